import { readConfig } from '../compile/config-problems.ts';
import { compileComparison, metricFields, readComparison } from '../metrics/metric-comparison.ts';
import type { JsonObject } from '../plan/snapshot.ts';
import type { PolicyKind } from './policy-kind.ts';

/** Blocks while the customer's value of a behavioral metric satisfies the comparison (docs/design/api-catalogue.md 8.3). */
export const metricCondition: PolicyKind = {
  ruleType: 'metric_condition',
  fields: metricFields,
  required: ['metricId'],
  historyDays: () => 0,
  check: (config) => parse(config).problems,
  compile(policy, _scope, builder) {
    const comparison = compileComparison(parse(policy.config).comparison, builder);
    const { perCandidate, needsCreative, name, operator, threshold } = comparison;
    const blocksAt = (value: number | null): boolean => value !== null && comparison.holds(value);
    return {
      role: 'block',
      final: false,
      timeless: true,
      bindsMandatory: false,
      needsCreative,
      countsAll: false,
      reach: (run) => (perCandidate || blocksAt(comparison.valueOf(run.scope, null)) ? 'all' : 'none'),
      blocks: (run, candidate) => !perCandidate || blocksAt(comparison.valueOf(run.scope, candidate)),
      explain(run, candidate) {
        const actual = comparison.valueOf(run.scope, candidate);
        return {
          reason: `metric_condition: ${name} ${actual} ${operator} ${threshold}`,
          detail: comparison.detail(actual),
        };
      },
      take: null,
    };
  },
};

function parse(config: JsonObject) {
  const reader = readConfig(config);
  const comparison = readComparison(reader);
  reader.flag('bypassable');
  return { comparison, problems: reader.problems };
}
