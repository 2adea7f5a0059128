import { anyNumberField, type ConfigFields, textField, wordField } from '../compile/config-fields.ts';
import { type ConfigReader, readConfig } from '../compile/config-problems.ts';
import type { RuleStage } from '../plan/rule.ts';
import { missingField, missingWords, type RuleKind } from './rule-kind.ts';

/** A type that is judged on write and cannot be evaluated yet. */
export type UnavailableRule = Pick<RuleKind, 'ruleType' | 'defaultStage' | 'check' | 'fields' | 'required' | 'remarks'>;

function unavailable(
  ruleType: string,
  defaultStage: RuleStage,
  fields: ConfigFields,
  required: readonly string[],
  read: (reader: ConfigReader) => void,
): UnavailableRule {
  return {
    ruleType,
    defaultStage,
    fields,
    required,
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

/** Rejects a missing key. Problems of a present one are already reported. */
function need(reader: ConfigReader, key: string, value: unknown): void {
  if (value === undefined && !reader.problems.some(({ path }) => path === `/${key}`)) reader.refuse(key, 'is required');
}

const readMissing = (reader: ConfigReader): unknown => reader.word('onMissing', missingWords);

const metricFields = {
  metricId: textField('Metric to compare.'),
  operator: wordField(['gt', 'gte', 'lt', 'lte', 'eq'], 'How to compare the metric with the threshold.', 'gte'),
  threshold: anyNumberField('Threshold for the metric.'),
  onMissing: missingField,
};

/** Types of docs/design/api-catalogue.md 9 that no decision evaluates yet: refused on write, each with its own faults first. */
export const unavailableRules: readonly UnavailableRule[] = [
  unavailable('metric_condition', 'eligibility', metricFields, ['metricId'], (reader) => {
    needText(reader, 'metricId');
    reader.word('operator', metricFields.operator.enum);
    reader.number('threshold', metricFields.threshold);
    readMissing(reader);
  }),
];
