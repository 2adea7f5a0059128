export { type OfferDeps, offerRoutes } from './offers.routes.ts';
export {
  createOffer,
  deleteOffer,
  type OfferDependants,
} from './offers.service.ts';
export {
  findOfferFacts,
  printOffers,
  printOtherOffers,
  snapshotOffers,
  snapshotOtherOffers,
} from './offers.store.ts';
