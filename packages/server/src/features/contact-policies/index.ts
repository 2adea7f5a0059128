import { contactPolicyOperations } from '@arbiter/contract';
import { feature } from '../../feature.ts';
import { handlerEntries } from '../../http/handler.ts';
import { contactPolicyRoutes } from './contact-policies.routes.ts';
import type { PolicyReferrers } from './contact-policies.service.ts';

export { createContactPolicy, type PolicyReferrers } from './contact-policies.service.ts';
export { snapshotPolicies } from './contact-policies.store.ts';

/** Tables of this feature: nobody else's code names them (see the walls). */
export const tables = ['contact_policies'];

export const contactPoliciesFeature = feature({
  name: 'contact-policies',
  tables,
  operations: ({ policyReferrers }: { readonly policyReferrers: PolicyReferrers }) =>
    handlerEntries(contactPolicyOperations, contactPolicyRoutes({ referrers: policyReferrers })),
});
