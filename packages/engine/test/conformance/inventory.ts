import { CONDITION_OPERATORS } from '../../src/conditions/operator.ts';
import { flowConfigKeys } from '../../src/flow-validation/validate-flow.ts';
import { functionNames } from '../../src/formula/functions.ts';
import type { KeyCheck } from '../../src/nodes/node-keys.ts';
import { nodeKinds } from '../../src/nodes/node-kinds.ts';
import { policyKeys } from '../../src/policies/policy-kinds.ts';
import { ruleKeys } from '../../src/qualification/rule-kinds.ts';

/**
 * Returns what the engine itself knows about the subjects of `conformance/inventory.json`, by group. A new key of a
 * node, policy or rule, or a new function of the formula language, shows up here at once. Keys: `rank.topN`; words of a
 * key: `rank.method=diversity`.
 */
export function knownSubjects(): Readonly<Record<string, readonly string[]>> {
  return {
    nodes: [...nodeKinds.values()].flatMap(({ type, keys }) => keysOf(type, keys)),
    flowConfig: keysOf('flowConfig', { defaultLimit: flowConfigKeys.defaultLimit, explore: flowConfigKeys.explore }),
    policies: Object.entries(policyKeys).flatMap(([type, keys]) =>
      keys.filter((key) => key !== 'bypassable').map((key) => `${type}.${key}`),
    ),
    rules: Object.entries(ruleKeys).flatMap(([type, keys]) =>
      // A type of both is listed once.
      keys
        .filter((key) => key !== 'penalty' && policyKeys[type]?.includes(key) !== true)
        .map((key) => `${type}.${key}`),
    ),
    operators: [...CONDITION_OPERATORS].map((operator) => `attribute_condition.operator=${operator}`),
    functions: functionNames().map((name) => `${name}()`),
  };
}

/** A list of more words is one subject. */
const maxWords = 20;

function keysOf(prefix: string, keys: Readonly<Record<string, KeyCheck>>): string[] {
  return Object.entries(keys).flatMap(([key, { takes }]) => {
    const path = `${prefix}.${key}`;
    if (takes?.words !== undefined && takes.words.length <= maxWords)
      return takes.words.map((word) => `${path}=${word}`);
    return takes?.keys === undefined ? [path] : keysOf(path, takes.keys);
  });
}
