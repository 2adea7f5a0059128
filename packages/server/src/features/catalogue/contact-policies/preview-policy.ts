import type { ContactPolicyCreate, ErrorEntry } from '@arbiter/contract';
import type { SnapshotPolicy } from '@arbiter/engine';
import { columnDefaults } from '../../../db/column-defaults.ts';
import { asJsonObject } from '../../../platform/json.ts';
import { wantedAssignments, withDefaults } from '../catalogue-records/index.ts';
import { contactPolicyProblems, storedConfig } from './contact-policies.rules.ts';
import { defaultScope } from './contact-policies.service.ts';

/**
 * Returns what decisions would read of a policy created with this body, and why it can't be created. Null: nothing,
 * because it isn't active. Its age is 0. Throws 400 for assignments that can't be stored.
 */
export function previewPolicy(
  id: string,
  body: ContactPolicyCreate,
): { readonly policy: SnapshotPolicy | null; readonly problems: readonly ErrorEntry[] } {
  const { name, ruleType, config = {}, priority, status } = withDefaults(columnDefaults.contact_policies, body);
  const problems = contactPolicyProblems(ruleType, config);
  const wanted = wantedAssignments(body, null, defaultScope) ?? [];
  if (status !== 'active' || problems.length > 0) return { policy: null, problems };
  const scopes = wanted.map(({ scope, scopeId }) => ({ scope, scopeId }));
  const policy = { id, name, ruleType, config: asJsonObject(storedConfig(config)), scopes, priority, createdAt: 0 };
  return { policy, problems };
}
