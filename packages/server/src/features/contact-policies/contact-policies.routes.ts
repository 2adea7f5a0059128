import type { contactPolicyOperations } from '@arbiter/contract';
import { type Handlers, reply } from '../../http/handler.ts';
import { sameId } from '../records/index.ts';
import {
  createContactPolicy,
  deleteContactPolicy,
  listContactPolicies,
  type PolicyReferrers,
  readContactPolicy,
  updateContactPolicy,
} from './contact-policies.service.ts';

export interface ContactPolicyDeps {
  readonly referrers: PolicyReferrers;
}

export function contactPolicyRoutes({ referrers }: ContactPolicyDeps): Handlers<typeof contactPolicyOperations> {
  return {
    list: async (tx, { query: { limit, cursor, includeDeleted, search, q, ...filters } }) =>
      reply(200, await listContactPolicies(tx, filters, { limit, cursor, includeDeleted, search: search ?? q })),
    create: async (tx, { body }) => reply(201, await createContactPolicy(tx, body)),
    get: async (tx, { params, query }) => reply(200, await readContactPolicy(tx, params.id, query.includeDeleted)),
    update: async (tx, { body }) => reply(200, await updateContactPolicy(tx, body)),
    updateById: async (tx, { params, body }) =>
      reply(200, await updateContactPolicy(tx, { ...body, id: sameId(params.id, body.id) })),
    delete: async (tx, { query }) => reply(200, await deleteContactPolicy(tx, query.id, 'query', referrers)),
    deleteById: async (tx, { params }) => reply(200, await deleteContactPolicy(tx, params.id, 'path', referrers)),
  };
}
