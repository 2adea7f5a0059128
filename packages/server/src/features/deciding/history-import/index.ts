import { historyImportOperations } from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { historyImportRoutes } from './history-import.routes.ts';
import type { HistoryImportPorts } from './history-import.service.ts';

export { type EventFacts, writeEvents } from './effects.service.ts';
export type { HistoryImportPorts } from './history-import.service.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['import_keys'];

export const historyImportFeature = feature({
  name: 'history-import',
  tables,
  resets: { empties: tables },
  operations: ({ historyImport }: { readonly historyImport: HistoryImportPorts }) =>
    handlerEntries(historyImportOperations, historyImportRoutes(historyImport)),
});
