import { suppressionOperations } from '@arbiter/contract';
import type { Database } from '../../../db/index.ts';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { suppressionJobs } from './suppressions.jobs.ts';
import { suppressionRoutes } from './suppressions.routes.ts';
import type { SuppressionPorts } from './suppressions.service.ts';
import { eraseSuppressions, removeExpired } from './suppressions.store.ts';

export { removeSuppressionsOf, type SuppressionPorts, writeTriggered } from './suppressions.service.ts';
export { customersSuppressedFor } from './suppressions.store.ts';
export { triggeredRows } from './triggered-rows.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['customer_suppressions'];

export const suppressionsFeature = feature({
  name: 'suppressions',
  tables,
  resets: { empties: tables },
  erases: [
    {
      tables: ['customer_suppressions'],
      scopes: ['everything'],
      erase: async (tx, { customerId }) => ({ suppressions: await eraseSuppressions(tx, customerId) }),
    },
  ],
  retains: [{ dataClass: null, counted: 'suppressions', remove: removeExpired }],
  operations: ({ suppressions }: { readonly suppressions: SuppressionPorts }) =>
    handlerEntries(suppressionOperations, suppressionRoutes(suppressions)),
  jobs: ({ database }: { readonly database: Database }) => suppressionJobs(database),
});
