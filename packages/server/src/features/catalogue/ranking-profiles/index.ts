import { rankingProfileOperations } from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { restorable, searchable } from '../catalogue-records/index.ts';
import { rankingProfileRoutes } from './ranking-profiles.routes.ts';
import type { FindProfileUses } from './ranking-profiles.service.ts';
import { rankingProfileSpec } from './ranking-profiles.store.ts';

export type { FindProfileUses } from './ranking-profiles.service.ts';
export { keepsProfile, snapshotRankingProfiles } from './ranking-profiles.store.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['ranking_profiles'];

export const rankingProfilesFeature = feature({
  name: 'ranking-profiles',
  tables,
  searches: [searchable(rankingProfileSpec, { detail: 'key' })],
  resets: { empties: tables },
  restores: [restorable(rankingProfileSpec)],
  operations: ({ findProfileUses }: { readonly findProfileUses: FindProfileUses }) =>
    handlerEntries(rankingProfileOperations, rankingProfileRoutes({ findUses: findProfileUses })),
});
