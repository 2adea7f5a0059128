import { anyNumberField, type ConfigFields, textField, wordField } from '../compile/config-fields.ts';
import { type ConfigReader, readConfig } from '../compile/config-problems.ts';
import type { JsonObject } from '../plan/snapshot.ts';
import { need } from './outcomes/outcome-config.ts';
import type { PolicyKind } from './policy-kind.ts';

/** A type that is judged on write and cannot be evaluated yet. */
export type UnavailableKind = Pick<
  PolicyKind,
  'ruleType' | 'check' | 'fields' | 'required' | 'historyDays' | 'remarks'
>;

const metricFields = {
  metricId: textField('Metric to compare.'),
  operator: wordField(['gt', 'gte', 'lt', 'lte', 'eq'], 'How to compare the metric with the threshold.', 'gte'),
  threshold: anyNumberField('Threshold for the metric.'),
};

function unavailable(
  ruleType: string,
  fields: ConfigFields,
  required: readonly string[],
  read: (reader: ConfigReader) => void,
): UnavailableKind {
  return {
    ruleType,
    fields,
    required,
    historyDays: () => 0,
    check(config: JsonObject) {
      const reader = readConfig(config);
      read(reader);
      reader.flag('bypassable');
      return reader.problems;
    },
  };
}

/** The contract's types that no decision evaluates yet: they are refused on write, each with its own faults first. */
export const unavailableKinds = {
  metric_condition: unavailable('metric_condition', metricFields, ['metricId'], (reader) => {
    const metricId = reader.text('metricId');
    if (metricId === '') reader.refuse('metricId', 'must not be empty');
    need(reader, 'metricId', metricId);
    reader.word('operator', metricFields.operator.enum);
    reader.number('threshold', metricFields.threshold);
  }),
} satisfies Readonly<Record<string, UnavailableKind>>;
