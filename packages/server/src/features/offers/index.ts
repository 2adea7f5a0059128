export { type OfferDeps, offerRoutes } from './offers.routes.ts';
export {
  createOffer,
  deleteOffer,
  type OfferDependants,
  snapshotOffers,
  snapshotOtherOffers,
} from './offers.service.ts';
export { findOfferFacts } from './offers.store.ts';
