import { reply } from '../../http/handler.ts';
import { recordHandlers } from '../catalogue-records/index.ts';
import { createOffer, deleteOffer, type OfferDependants, showOffers, updateOffer } from './offers.service.ts';
import { offerSpec } from './offers.store.ts';

export interface OfferDeps {
  readonly dependants: OfferDependants;
}

export const offerRoutes = ({ dependants }: OfferDeps) =>
  recordHandlers(offerSpec, {
    show: showOffers,
    create: createOffer,
    change: updateOffer,
    remove: async (tx, id, addressed) => reply(200, await deleteOffer(tx, id, addressed, dependants)),
  });
