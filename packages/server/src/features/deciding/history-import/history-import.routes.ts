import type { historyImportOperations } from '@arbiter/contract';
import { type Handlers, reply } from '../../../http/handler.ts';
import { type HistoryImportPorts, importHistory } from './history-import.service.ts';
import { createLineReader } from './line.rules.ts';

export function historyImportRoutes(ports: HistoryImportPorts): Handlers<typeof historyImportOperations> {
  const readLine = createLineReader();
  return {
    import: async (request) => reply(200, await importHistory(ports, readLine, request, request.body)),
  };
}
