import type { adminRlsOperations } from '@arbiter/contract';
import { type Handlers, reply } from '../../http/handler.ts';
import { repairRls, reportRls } from './rls.service.ts';

/** Handlers of the row-level security report and repair (contract part 1, 4.13). */
export function adminRlsRoutes(): Handlers<typeof adminRlsOperations> {
  return {
    report: async (tx) => reply(200, await reportRls(tx)),
    repair: async (tx) => reply(200, await repairRls(tx)),
  };
}
