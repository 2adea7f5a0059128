import { type ConfigReader, readConfig } from '../compile/config-problems.ts';
import type { RuleKind, RuleStage } from './rule-kind.ts';

/** A type that is judged on write and cannot be evaluated yet. */
export type UnavailableRule = Pick<RuleKind, 'ruleType' | 'defaultStage' | 'check' | 'keys' | 'remarks'>;

const largest = Number.MAX_VALUE;

function unavailable(
  ruleType: string,
  defaultStage: RuleStage,
  keys: readonly string[],
  read: (reader: ConfigReader) => void,
): UnavailableRule {
  return {
    ruleType,
    defaultStage,
    keys,
    check(config) {
      const reader = readConfig(config);
      read(reader);
      return reader.problems;
    },
  };
}

/** A text that is not empty; refused when it is not given. */
function needText(reader: ConfigReader, key: string): void {
  const text = reader.text(key);
  if (text === '') reader.refuse(key, 'must not be empty');
  need(reader, key, text);
}

/** Refuses a key that is not given; what is wrong with one that is given has been said. */
function need(reader: ConfigReader, key: string, value: unknown): void {
  if (value === undefined && !reader.problems.some(({ path }) => path === `/${key}`)) reader.refuse(key, 'is required');
}

const readMissing = (reader: ConfigReader): unknown => reader.word('onMissing', ['fail', 'pass']);

/** Types of docs/design/api-catalogue.md 9 that no decision evaluates yet: refused on write, each with its own faults first. */
export const unavailableRules: readonly UnavailableRule[] = [
  unavailable('metric_condition', 'eligibility', ['metricId', 'operator', 'threshold', 'onMissing'], (reader) => {
    needText(reader, 'metricId');
    reader.word('operator', ['gt', 'gte', 'lt', 'lte', 'eq']);
    reader.number('threshold', -largest, largest);
    readMissing(reader);
  }),
];
