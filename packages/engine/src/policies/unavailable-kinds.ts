import { type ConfigReader, type JsonObject, readConfig, unknownKeys } from '../compile/config-problems.ts';
import { perWords } from './counted-set.ts';
import type { PolicyKind } from './policy-kind.ts';

/** A type that is judged on write and cannot be evaluated yet. */
export type UnavailableKind = Pick<PolicyKind, 'ruleType' | 'check' | 'remarks'>;

const longestDays = 36_500;

function unavailable(
  ruleType: string,
  keys: readonly string[],
  read: (reader: ConfigReader, config: JsonObject) => void,
) {
  return {
    ruleType,
    check(config: JsonObject) {
      const reader = readConfig(config);
      read(reader, config);
      reader.flag('bypassable');
      return reader.problems;
    },
    remarks: (config: JsonObject) => unknownKeys(config, [...keys, 'bypassable']),
  };
}

/** Refuses a key that is not given; what is wrong with one that is given has been said. */
function need(reader: ConfigReader, key: string, value: unknown): void {
  if (value === undefined && !reader.problems.some(({ path }) => path === `/${key}`)) reader.refuse(key, 'is required');
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

/** One outcome or several. */
export function readOutcomes(reader: ConfigReader, config: JsonObject, isRequired: boolean): void {
  const value = config.afterOutcome ?? null;
  if (value === null && !isRequired) return;
  const isFine = Array.isArray(value) ? value.length > 0 && value.every(isText) : isText(value);
  if (!isFine) reader.refuse('afterOutcome', 'afterOutcome must be a non-empty string or non-empty string array');
}

const largest = Number.MAX_VALUE;

/** The contract's types that no decision evaluates yet: they are refused on write, each with its own faults first. */
export const unavailableKinds: readonly UnavailableKind[] = [
  unavailable('budget_exhausted', ['budgetField', 'threshold'], (reader) => {
    need(reader, 'budgetField', reader.word('budgetField', ['impressions', 'spend']));
    need(reader, 'threshold', reader.number('threshold', -largest, largest));
  }),
  unavailable('outcome_based', ['afterOutcome', 'suppressForDays', 'per'], (reader, config) => {
    readOutcomes(reader, config, true);
    need(reader, 'suppressForDays', reader.number('suppressForDays', 0, longestDays));
    reader.word('per', perWords);
  }),
  unavailable(
    'category_suppression',
    ['categoryId', 'subCategoryId', 'triggerCategoryId', 'suppressionDays', 'afterOutcome'],
    (reader, config) => {
      for (const key of ['categoryId', 'subCategoryId', 'triggerCategoryId']) {
        if (reader.text(key) === '') reader.refuse(key, 'must not be empty');
      }
      need(reader, 'suppressionDays', reader.number('suppressionDays', 0, longestDays));
      readOutcomes(reader, config, false);
    },
  ),
  unavailable('metric_condition', ['metricId', 'operator', 'threshold'], (reader) => {
    const metricId = reader.text('metricId');
    if (metricId === '') reader.refuse('metricId', 'must not be empty');
    need(reader, 'metricId', metricId);
    reader.word('operator', ['gt', 'gte', 'lt', 'lte', 'eq']);
    reader.number('threshold', -largest, largest);
  }),
];
