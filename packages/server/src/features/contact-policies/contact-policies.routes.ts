import type { Tx } from '../../db/tx.ts';
import { reply } from '../../http/handler.ts';
import { assignedTo, recordHandlers } from '../catalogue-records/index.ts';
import {
  createContactPolicy,
  deleteContactPolicy,
  type PolicyReferrers,
  showContactPolicies,
  showContactPolicy,
  updateContactPolicy,
} from './contact-policies.service.ts';
import { contactPolicySpec } from './contact-policies.store.ts';
import { historyWarnings } from './kept-history.service.ts';

export interface ContactPolicyDeps {
  readonly referrers: PolicyReferrers;
}

export function contactPolicyRoutes({ referrers }: ContactPolicyDeps) {
  const handlers = recordHandlers(contactPolicySpec, {
    show: showContactPolicies,
    showPast: showContactPolicy,
    create: createContactPolicy,
    change: updateContactPolicy,
    remove: async (tx, id, addressed) => reply(200, await deleteContactPolicy(tx, id, addressed, referrers)),
    // Scope and target must hold for one assignment together.
    narrow: ({ scope, scopeId }) => assignedTo({ scope, scopeId }),
  });
  type Written = Awaited<ReturnType<typeof handlers.create | typeof handlers.update>>;
  const warned = async <R extends Written>(tx: Tx, answer: R): Promise<R> => {
    const warnings = await historyWarnings(tx, answer.body);
    return warnings.length === 0 ? answer : { ...answer, body: { ...answer.body, warnings } };
  };
  return {
    ...handlers,
    create: async (tx: Tx, request: Parameters<typeof handlers.create>[1]) =>
      warned(tx, await handlers.create(tx, request)),
    update: async (tx: Tx, request: Parameters<typeof handlers.update>[1]) =>
      warned(tx, await handlers.update(tx, request)),
    updateById: async (tx: Tx, request: Parameters<typeof handlers.updateById>[1]) =>
      warned(tx, await handlers.updateById(tx, request)),
  };
}
