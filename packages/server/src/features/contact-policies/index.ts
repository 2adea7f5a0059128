export { type ContactPolicyDeps, contactPolicyRoutes } from './contact-policies.routes.ts';
export { createContactPolicy, type PolicyReferrers } from './contact-policies.service.ts';
export { snapshotPolicies } from './contact-policies.store.ts';

/** Tables of this feature: nobody else's code names them (see the walls). */
export const tables = ['contact_policies'];
