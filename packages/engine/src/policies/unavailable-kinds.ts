import { type ConfigReader, type JsonObject, readConfig, unknownKeys } from '../compile/config-problems.ts';
import { need } from './outcome-config.ts';
import type { PolicyKind } from './policy-kind.ts';

/** A type that is judged on write and cannot be evaluated yet. */
export type UnavailableKind = Pick<PolicyKind, 'ruleType' | 'check' | 'remarks'>;

function unavailable(ruleType: string, keys: readonly string[], read: (reader: ConfigReader) => void) {
  return {
    ruleType,
    check(config: JsonObject) {
      const reader = readConfig(config);
      read(reader);
      reader.flag('bypassable');
      return reader.problems;
    },
    remarks: (config: JsonObject) => unknownKeys(config, [...keys, 'bypassable']),
  };
}

const largest = Number.MAX_VALUE;

/** The contract's types that no decision evaluates yet: they are refused on write, each with its own faults first. */
export const unavailableKinds: readonly UnavailableKind[] = [
  unavailable('budget_exhausted', ['budgetField', 'threshold'], (reader) => {
    need(reader, 'budgetField', reader.word('budgetField', ['impressions', 'spend']));
    need(reader, 'threshold', reader.number('threshold', -largest, largest));
  }),
  unavailable('metric_condition', ['metricId', 'operator', 'threshold'], (reader) => {
    const metricId = reader.text('metricId');
    if (metricId === '') reader.refuse('metricId', 'must not be empty');
    need(reader, 'metricId', metricId);
    reader.word('operator', ['gt', 'gte', 'lt', 'lte', 'eq']);
    reader.number('threshold', -largest, largest);
  }),
];
