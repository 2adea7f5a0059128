import { noContent, recordHandlers } from '../catalogue-records/index.ts';
import {
  changeRankingProfile,
  createRankingProfile,
  deleteRankingProfile,
  type FindProfileUses,
} from './ranking-profiles.service.ts';
import { rankingProfileSpec } from './ranking-profiles.store.ts';

export const rankingProfileRoutes = ({ findUses }: { readonly findUses: FindProfileUses }) =>
  recordHandlers(rankingProfileSpec, {
    create: createRankingProfile,
    change: changeRankingProfile,
    remove: (tx, id, addressed) => noContent(deleteRankingProfile(tx, id, addressed, findUses)),
  });
