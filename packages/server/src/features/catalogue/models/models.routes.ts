import type { algorithmModelOperations } from '@arbiter/contract';
import { type Handlers, reply } from '../../../http/handler.ts';
import { noContent, recordHandlers } from '../catalogue-records/index.ts';
import {
  changeModel,
  createModel,
  deleteModel,
  type FindExperimentUses,
  modelRemarksOf,
  resetLearning,
  showModels,
  showPastModel,
} from './models.service.ts';
import { modelSpec } from './models.store.ts';
import { type PromotePorts, promoteModel } from './promote.service.ts';
import { type ScoringPorts, scoreOfferSet, scoreOne } from './scoring.service.ts';

export interface ModelPorts extends PromotePorts, ScoringPorts {
  readonly findExperimentUses: FindExperimentUses;
}

export function modelRoutes(ports: ModelPorts): Handlers<typeof algorithmModelOperations> {
  const { findModelUses, findExperimentUses, measureModel, envelope, outboundRules } = ports;
  const endpoints = { envelope, outboundRules };
  const uses = { findModelUses, findExperimentUses };
  return {
    ...recordHandlers(modelSpec, {
      show: showModels,
      create: (tx, body) => createModel(tx, body, endpoints),
      change: (tx, id, rowVersion, changes) => changeModel(tx, id, rowVersion, changes, { ...uses, endpoints }),
      remove: (tx, id, addressed) => noContent(deleteModel(tx, id, addressed, uses)),
      showPast: showPastModel,
      remarks: modelRemarksOf,
    }),
    async score(request) {
      return reply(200, await scoreOne(ports, request, request.params.id, request.body));
    },
    async scoreOfferSet(request) {
      return reply(200, await scoreOfferSet(ports, request, request.params.id, request.body));
    },
    async resetLearning(tx, { params }) {
      const row = await resetLearning(tx, params.id);
      return reply(200, (await showModels(tx, [row], 'one'))[0]!);
    },
    async promote(tx, { params, body }) {
      const row = await promoteModel(tx, params.id, body, { findModelUses, measureModel });
      return reply(200, (await showModels(tx, [row], 'one'))[0]!);
    },
  };
}
