import { reply } from '../../../http/handler.ts';
import { recordHandlers, type TellChange } from '../catalogue-records/index.ts';
import {
  createOffer,
  deleteOffer,
  type OfferDependants,
  offerRemarks,
  showOffers,
  updateOffer,
} from './offers.service.ts';
import { offerSpec } from './offers.store.ts';

export interface OfferDeps {
  readonly dependants: OfferDependants;
  readonly tellChange: TellChange;
}

export const offerRoutes = ({ dependants, tellChange }: OfferDeps) =>
  recordHandlers(offerSpec, {
    show: showOffers,
    create: (tx, body) => createOffer(tx, body, tellChange),
    change: (tx, id, rowVersion, changes) => updateOffer(tx, id, rowVersion, changes, tellChange),
    remarks: (_tx, row) => offerRemarks(row),
    remove: async (tx, id, addressed) => reply(200, await deleteOffer(tx, id, addressed, dependants, tellChange)),
  });
