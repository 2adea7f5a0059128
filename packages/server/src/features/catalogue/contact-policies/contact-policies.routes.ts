import { reply } from '../../../http/handler.ts';
import { assignedTo, recordHandlers } from '../catalogue-records/index.ts';
import {
  createContactPolicy,
  deleteContactPolicy,
  type PolicyReferrers,
  policyRemarksOf,
  showContactPolicies,
  showContactPolicy,
  updateContactPolicy,
} from './contact-policies.service.ts';
import { contactPolicySpec } from './contact-policies.store.ts';

export interface ContactPolicyDeps {
  readonly referrers: PolicyReferrers;
}

export const contactPolicyRoutes = ({ referrers }: ContactPolicyDeps) =>
  recordHandlers(contactPolicySpec, {
    show: showContactPolicies,
    showPast: showContactPolicy,
    create: createContactPolicy,
    change: updateContactPolicy,
    remove: async (tx, id, addressed) => reply(200, await deleteContactPolicy(tx, id, addressed, referrers)),
    remarks: policyRemarksOf,
    // Scope and target must match the same assignment.
    narrow: ({ scope, scopeId }) => assignedTo({ scope, scopeId }),
  });
