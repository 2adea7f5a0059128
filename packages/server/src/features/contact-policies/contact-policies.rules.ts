import type { ErrorEntry } from '@arbiter/contract';
import { compileCondition, policyProblems, policyTypes } from '@arbiter/engine';
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

/** The config with its condition in the first spelling (api-catalogue.md 1.3). Only for a config without problems. */
export function storedConfig(config: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (config.condition === undefined || config.condition === null) return config;
  const compiled = compileCondition(config.condition);
  return compiled.ok ? { ...config, condition: compiled.condition.stored } : config;
}
