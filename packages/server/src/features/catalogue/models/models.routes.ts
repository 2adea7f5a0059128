import type { algorithmModelOperations } from '@arbiter/contract';
import { type Handlers, reply } from '../../../http/handler.ts';
import { noContent, recordHandlers } from '../catalogue-records/index.ts';
import {
  changeModel,
  createModel,
  deleteModel,
  type FindModelUses,
  modelRemarksOf,
  promoteModel,
  resetLearning,
  showModels,
  showPastModel,
} from './models.service.ts';
import { modelSpec } from './models.store.ts';
import { type ReadCustomer, scoreOfferSet, scoreOne } from './scoring.service.ts';

export interface ModelPorts {
  readonly findModelUses: FindModelUses;
  readonly readCustomer: ReadCustomer;
}

export function modelRoutes({ findModelUses, readCustomer }: ModelPorts): Handlers<typeof algorithmModelOperations> {
  return {
    ...recordHandlers(modelSpec, {
      show: showModels,
      create: createModel,
      change: (tx, id, rowVersion, changes) => changeModel(tx, id, rowVersion, changes, findModelUses),
      remove: (tx, id, addressed) => noContent(deleteModel(tx, id, addressed, findModelUses)),
      showPast: showPastModel,
      remarks: modelRemarksOf,
    }),
    async score(tx, { params, body }) {
      return reply(200, await scoreOne(tx, params.id, body, readCustomer));
    },
    async scoreOfferSet(tx, { params, body }) {
      return reply(200, await scoreOfferSet(tx, params.id, body, readCustomer));
    },
    async resetLearning(tx, { params }) {
      const row = await resetLearning(tx, params.id);
      return reply(200, (await showModels(tx, [row], 'one'))[0]!);
    },
    async promote(tx, { params, body }) {
      const row = await promoteModel(tx, params.id, body.toStatus, findModelUses);
      return reply(200, (await showModels(tx, [row], 'one'))[0]!);
    },
  };
}
