import type { ErrorEntry } from '@arbiter/contract';
import { compileCondition, listWords, policyProblems, policyRemarks, policyTypes } from '@arbiter/engine';
import { asJsonObject } from '../../platform/json.ts';
import { type Remark, remarksAt } from '../../platform/remark.ts';

/**
 * What keeps a policy of this type and config from being stored (part 2, 4.5; docs/design/api-catalogue.md 8.4). A contract type
 * that the engine cannot evaluate yet is refused: a policy that blocks nothing would be worse than none.
 */
export function contactPolicyProblems(ruleType: string, config: Readonly<Record<string, unknown>>): ErrorEntry[] {
  if (!policyTypes.includes(ruleType))
    return [
      { path: '/ruleType', message: `${ruleType} is not available yet; available are ${listWords(policyTypes)}` },
    ];
  return policyProblems(ruleType, asJsonObject(config)).map(({ path, message }) => ({
    path: `/config${path}`,
    message,
  }));
}

/** What has no effect in a config without problems: unknown keys, a policy that can never act. */
export function contactPolicyRemarks(ruleType: string, config: Readonly<Record<string, unknown>>): Remark[] {
  return remarksAt('/config', policyRemarks(ruleType, asJsonObject(config)));
}

/** The config with its condition in the first spelling (docs/design/api-catalogue.md 1.3). Only for a config without problems. */
export function storedConfig(config: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (config.condition === undefined || config.condition === null) return config;
  const compiled = compileCondition(config.condition);
  return compiled.ok ? { ...config, condition: compiled.condition.stored } : config;
}
