import { narrativeOperations } from '@arbiter/contract';
import type { Database } from '../../../db/index.ts';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { narrativeJobs } from './narratives.jobs.ts';
import { narrativeRoutes } from './narratives.routes.ts';
import type { NarrativePorts } from './narratives.service.ts';
import { deleteNarratives } from './narratives.store.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['decision_narratives'];

export const narrativesFeature = feature({
  name: 'narratives',
  tables,
  resets: { empties: tables },
  erases: [
    {
      tables,
      scopes: ['traces', 'all', 'everything'],
      async erase(tx, { customerId }) {
        await deleteNarratives(tx, customerId);
        return {};
      },
    },
  ],
  operations: ({ narratives }: { readonly narratives: NarrativePorts }) =>
    handlerEntries(narrativeOperations, narrativeRoutes(narratives)),
  jobs: ({ database }: { readonly database: Database }) => narrativeJobs(database),
});
