import type { ErrorEntry } from '@arbiter/contract';
import { policyProblems, policyTypes } from '@arbiter/engine';
import { asJsonObject } from '../../platform/json.ts';

/**
 * What keeps a policy of this type and config from being stored (part 2, 4.5; api-catalogue.md 8.4). A contract type
 * that the engine cannot evaluate yet is refused: a policy that blocks nothing would be worse than none.
 */
export function contactPolicyProblems(ruleType: string, config: Readonly<Record<string, unknown>>): ErrorEntry[] {
  if (!policyTypes.includes(ruleType)) return [{ path: '/ruleType', message: `${ruleType} is not available yet` }];
  return policyProblems(ruleType, asJsonObject(config)).map(({ path, message }) => ({
    path: `/config${path}`,
    message,
  }));
}
