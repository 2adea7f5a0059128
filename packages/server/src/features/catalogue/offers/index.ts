import { offerOperations } from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import type { TellChange } from '../catalogue-records/index.ts';
import { searchable } from '../catalogue-records/index.ts';
import { offerRoutes } from './offers.routes.ts';
import { type OfferDependants, restorableOffer } from './offers.service.ts';
import { offerSpec } from './offers.store.ts';

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
  offersNamingSegment,
  readAssemblyOffers,
  readOfferFacts,
  selectBudgetedOffers,
  snapshotOffers,
  snapshotOffersNamed,
  snapshotOtherOffers,
  subCategoryOf,
} from './offers.store.ts';
export { type OfferPreview, previewOffer, previewProblems } from './preview-offer.ts';
export { readSoldOut, selectSoldOut, takeStock } from './stock.store.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['offers', 'offer_stock'];

/** What offers need from features that build on them. */
export interface OfferPorts {
  readonly offerDependants: OfferDependants;
  readonly tellChange: TellChange;
}

export const offersFeature = feature({
  name: 'offers',
  tables,
  searches: [searchable(offerSpec, { detail: 'status' })],
  resets: { empties: tables },
  restores: [restorableOffer],
  operations: ({ offerDependants, tellChange }: OfferPorts) =>
    handlerEntries(offerOperations, offerRoutes({ dependants: offerDependants, tellChange })),
});
