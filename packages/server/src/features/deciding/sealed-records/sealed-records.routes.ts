import type { decisionListOperations } from '@arbiter/contract';
import { type Handlers, reply } from '../../../http/handler.ts';
import { listDecisions } from './decision-list.service.ts';

export function decisionListRoutes(): Handlers<typeof decisionListOperations> {
  return { list: async (tx, { query }) => reply(200, await listDecisions(tx, query)) };
}
