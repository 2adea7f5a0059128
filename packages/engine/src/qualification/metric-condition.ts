import { readConfig } from '../compile/config-problems.ts';
import { compileComparison, metricFields, readComparison } from '../metrics/metric-comparison.ts';
import type { JsonObject } from '../plan/snapshot.ts';
import { missingField, missingWords, type RuleKind } from './rule-kind.ts';

/** Requires a value of a behavioral metric (docs/design/api-catalogue.md 9). */
export const metricCondition: RuleKind = {
  ruleType: 'metric_condition',
  defaultStage: 'eligibility',
  fields: { ...metricFields, onMissing: missingField },
  required: ['metricId'],
  check: (config) => parse(config).problems,
  compile(rule, builder) {
    const { comparison: parsed, passMissing } = parse(rule.config);
    const comparison = compileComparison(parsed, builder);
    const { perCandidate, needsCreative, name, operator, threshold } = comparison;
    return {
      perCustomer: !perCandidate,
      needsCreative,
      failingOffers: null,
      timeless: true,
      passes(run, candidate) {
        const value = comparison.valueOf(run.scope, candidate);
        return value === null ? passMissing : comparison.holds(value);
      },
      explain(run, candidate) {
        const actual = comparison.valueOf(run.scope, candidate);
        return {
          reason: `metric ${name} is ${actual ?? 'missing'}, required ${operator} ${threshold}`,
          detail: comparison.detail(actual),
        };
      },
    };
  },
};

function parse(config: JsonObject) {
  const reader = readConfig(config);
  const comparison = readComparison(reader);
  const passMissing = reader.word('onMissing', missingWords) === 'pass';
  return { comparison, passMissing, problems: reader.problems };
}
