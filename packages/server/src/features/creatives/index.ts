export { creativeRoutes } from './creatives.routes.ts';
export { createCreative, deleteCreativesOfOffer } from './creatives.service.ts';
export { type CreativeFacts, findCreativeFacts, snapshotCreatives } from './creatives.store.ts';
