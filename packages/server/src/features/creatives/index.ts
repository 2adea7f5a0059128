export { creativeRoutes } from './creatives.routes.ts';
export { createCreative, deleteCreativesOfOffer } from './creatives.service.ts';
export { type CreativeFacts, findCreativeFacts, fingerprintCreatives, snapshotCreatives } from './creatives.store.ts';

/** Tables of this feature: nobody else's code names them (see the walls). */
export const tables = ['creatives'];
