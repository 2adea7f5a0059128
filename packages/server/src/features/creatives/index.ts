export { creativeRoutes } from './creatives.routes.ts';
export { createCreative, deleteCreativesOfOffer } from './creatives.service.ts';
export { snapshotCreatives } from './creatives.store.ts';
