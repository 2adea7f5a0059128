import { strategyNames } from '../delivery/explore-exploit.ts';
import { rankMethods } from '../delivery/rank-methods.ts';
import { roundRobinWords } from '../delivery/round-robin.ts';
import { integer, number, object, oneOf } from './node-keys.ts';
import type { NodeKind } from './node-kind.ts';

/** Decides how the answer is filled (docs/design/api-decisioning.md 8, 10). */
export const rank: NodeKind = {
  type: 'rank',
  phase: 2,
  single: true,
  keys: {
    method: oneOf([...rankMethods.keys()]),
    topN: integer(1, 1000),
    maxCandidates: integer(1, 1000),
    lambda: number(0, 1),
    diversityLambda: number(0, 1),
    similarity: object({ keys: { category: number(0, 1), subCategory: number(0, 1), productType: number(0, 1) } }),
    maxPerCategory: integer(0, 50),
    roundRobinBy: oneOf(roundRobinWords),
    strategy: oneOf(strategyNames),
    explorationRate: number(0, 1),
    pool: oneOf(['all', 'low_evidence']),
    minEvidence: integer(1, 10_000),
    temperature: number(0.01, 10),
    ucbC: number(0, 10),
    draws: integer(100, 10_000),
    poolSize: integer(2, 50),
    fromRank: integer(1, 50),
  },
  required: [],
  check(config, issues) {
    const method = config.method ?? 'topN';
    if ((config.topN ?? null) !== null && method !== 'topN') {
      issues.refuse('/topN', 'invalid_config', 'can only be used with method topN');
    }
  },
};
