export { type OfferDeps, offerRoutes } from './offers.routes.ts';
export {
  createOffer,
  deleteOffer,
  type OfferDependants,
} from './offers.service.ts';
export {
  findOfferFacts,
  fingerprintOffers,
  fingerprintOtherOffers,
  hasOffers,
  snapshotOffers,
  snapshotOtherOffers,
} from './offers.store.ts';

/** Tables of this feature: nobody else's code names them (see the walls). */
export const tables = ['offers'];
