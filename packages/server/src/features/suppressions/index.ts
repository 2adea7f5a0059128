import { suppressionOperations } from '@arbiter/contract';
import { feature } from '../../feature.ts';
import { handlerEntries } from '../../http/handler.ts';
import { suppressionRoutes } from './suppressions.routes.ts';
import type { SuppressionPorts } from './suppressions.service.ts';
import { eraseSuppressions } from './suppressions.store.ts';

export { type SuppressionPorts, writeTriggered } from './suppressions.service.ts';
export { type OutcomeSubject, triggeredRows } from './triggered-rows.ts';

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
  operations: ({ suppressions }: { readonly suppressions: SuppressionPorts }) =>
    handlerEntries(suppressionOperations, suppressionRoutes(suppressions)),
});
