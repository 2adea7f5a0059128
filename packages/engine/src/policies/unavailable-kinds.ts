import { type ConfigReader, type JsonObject, readConfig } from '../compile/config-problems.ts';
import { need } from './outcome-config.ts';
import type { PolicyKind } from './policy-kind.ts';

/** A type that is judged on write and cannot be evaluated yet. */
export type UnavailableKind = Pick<PolicyKind, 'ruleType' | 'check' | 'keys' | 'remarks'>;

function unavailable(ruleType: string, keys: readonly string[], read: (reader: ConfigReader) => void): UnavailableKind {
  return {
    ruleType,
    keys,
    check(config: JsonObject) {
      const reader = readConfig(config);
      read(reader);
      reader.flag('bypassable');
      return reader.problems;
    },
  };
}

/** The contract's types that no decision evaluates yet: they are refused on write, each with its own faults first. */
export const unavailableKinds: readonly UnavailableKind[] = [
  unavailable('metric_condition', ['metricId', 'operator', 'threshold'], (reader) => {
    const metricId = reader.text('metricId');
    if (metricId === '') reader.refuse('metricId', 'must not be empty');
    need(reader, 'metricId', metricId);
    reader.word('operator', ['gt', 'gte', 'lt', 'lte', 'eq']);
    reader.number('threshold', -Number.MAX_VALUE, Number.MAX_VALUE);
  }),
];
