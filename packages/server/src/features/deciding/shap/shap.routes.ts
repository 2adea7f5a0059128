import type { shapOperations } from '@arbiter/contract';
import { type Handlers, reply } from '../../../http/handler.ts';
import type { Archive } from '../archived-months/index.ts';
import type { CustomerKeys } from '../customer-states/index.ts';
import { decisionNamed } from '../decisions/index.ts';
import { explainDecision } from './explain-decision.service.ts';
import { explainModel } from './explain-model.service.ts';

export function shapRoutes(keys: CustomerKeys, archive: Archive): Handlers<typeof shapOperations> {
  return {
    decision: async (tx, { params, body }) =>
      reply(200, await explainDecision(tx, { keys, archive, decisionNamed }, params.id, body)),
    model: async (tx, { params, body }) => reply(200, await explainModel(tx, keys, params.id, body)),
  };
}
