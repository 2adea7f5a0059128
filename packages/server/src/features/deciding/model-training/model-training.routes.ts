import type { modelTrainingOperations } from '@arbiter/contract';
import { type Handlers, reply } from '../../../http/handler.ts';
import type { CustomerKeys } from '../customer-states/index.ts';
import { readDrift } from './drift.service.ts';
import { cancelTraining, startTraining } from './start-training.service.ts';

export function modelTrainingRoutes(keys: CustomerKeys): Handlers<typeof modelTrainingOperations> {
  return {
    async train(tx, { params, body }) {
      return reply(202, await startTraining(tx, params.id, body));
    },
    async cancelTraining(tx, { params }) {
      return reply(200, await cancelTraining(tx, params.id));
    },
    async drift(tx, { params, query }) {
      return reply(200, await readDrift(tx, keys, params.id, query.days));
    },
  };
}
