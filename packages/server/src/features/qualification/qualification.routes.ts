import type { qualificationRuleOperations } from '@arbiter/contract';
import { type Handlers, reply } from '../../http/handler.ts';
import { sameId } from '../records/index.ts';
import { stageOf } from './qualification.rules.ts';
import {
  createQualificationRule,
  deleteQualificationRule,
  listQualificationRules,
  readQualificationRule,
  updateQualificationRule,
} from './qualification.service.ts';

export function qualificationRuleRoutes(): Handlers<typeof qualificationRuleOperations> {
  return {
    list: async (tx, { query: { limit, cursor, includeDeleted, search, q, stage, ...filters } }) => {
      const wanted = { ...filters, stage: stage === undefined ? undefined : stageOf(stage) };
      return reply(
        200,
        await listQualificationRules(tx, wanted, { limit, cursor, includeDeleted, search: search ?? q }),
      );
    },
    create: async (tx, { body }) => reply(201, await createQualificationRule(tx, body)),
    get: async (tx, { params }) => reply(200, await readQualificationRule(tx, params.id)),
    update: async (tx, { body }) => reply(200, await updateQualificationRule(tx, body)),
    updateById: async (tx, { params, body }) =>
      reply(200, await updateQualificationRule(tx, { ...body, id: sameId(params.id, body.id) })),
    delete: async (tx, { query }) => {
      await deleteQualificationRule(tx, query.id, 'query');
      return reply(204, null);
    },
    deleteById: async (tx, { params }) => {
      await deleteQualificationRule(tx, params.id, 'path');
      return reply(204, null);
    },
  };
}
