import { contactPolicyOperations } from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { restorable, searchable } from '../catalogue-records/index.ts';
import { contactPolicyRoutes } from './contact-policies.routes.ts';
import type { PolicyReferrers } from './contact-policies.service.ts';
import { contactPolicySpec } from './contact-policies.store.ts';

export { policyMark } from './contact-policies.rules.ts';
export { createContactPolicy, type PolicyReferrers } from './contact-policies.service.ts';
export {
  idlePolicies,
  policiesNamingSegment,
  policiesReadingMetric,
  selectGlobalPolicyIds,
  snapshotPolicies,
} from './contact-policies.store.ts';
export { policyToTry, type TriedPolicy } from './policy-trial.service.ts';
export { previewPolicy } from './preview-policy.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['contact_policies'];

export const contactPoliciesFeature = feature({
  name: 'contact-policies',
  tables,
  searches: [searchable(contactPolicySpec, { detail: 'status' })],
  resets: { empties: tables },
  restores: [restorable(contactPolicySpec)],
  operations: ({ policyReferrers }: { readonly policyReferrers: PolicyReferrers }) =>
    handlerEntries(contactPolicyOperations, contactPolicyRoutes({ referrers: policyReferrers })),
});
