export { creativeRoutes } from './creatives.routes.ts';
export { createCreative, deleteCreativesOfOffer } from './creatives.service.ts';
export { type CreativeFacts, findCreativeFacts, printCreatives, snapshotCreatives } from './creatives.store.ts';
