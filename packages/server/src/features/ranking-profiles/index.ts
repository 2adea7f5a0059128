import { rankingProfileOperations } from '@arbiter/contract';
import { feature } from '../../feature.ts';
import { handlerEntries } from '../../http/handler.ts';
import { rankingProfileRoutes } from './ranking-profiles.routes.ts';
import type { FindProfileUses } from './ranking-profiles.service.ts';

export type { FindProfileUses } from './ranking-profiles.service.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['ranking_profiles'];

export const rankingProfilesFeature = feature({
  name: 'ranking-profiles',
  tables,
  operations: ({ findProfileUses }: { readonly findProfileUses: FindProfileUses }) =>
    handlerEntries(rankingProfileOperations, rankingProfileRoutes({ findUses: findProfileUses })),
});
