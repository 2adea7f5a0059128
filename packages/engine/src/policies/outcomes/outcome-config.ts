import type { ConfigReader, ConfigRemark } from '../../compile/config-problems.ts';
import type { Json, JsonObject } from '../../plan/snapshot.ts';

const dayMs = 86_400_000;
/** Longest time an outcome may suppress, in days of 24 hours. */
export const longestDays = 36_500;

export const afterOutcomeField = (description: string) => ({
  anyOf: [
    { type: 'string', minLength: 1 },
    { type: 'array', minItems: 1, items: { type: 'string', minLength: 1 } },
  ],
  description: `Key of an outcome type, or a list of keys. ${description}`,
});

/** Rejects a missing key. Problems of a present one are already reported. */
export function need(reader: ConfigReader, key: string, value: unknown): void {
  if (value === undefined && !reader.problems.some(({ path }) => path === `/${key}`)) reader.refuse(key, 'is required');
}

/** `afterOutcome`, one key or several; null: it is left out or wrong. */
export function readOutcomes(reader: ConfigReader, config: JsonObject, isRequired: boolean): readonly string[] | null {
  const value = config.afterOutcome ?? null;
  if (value === null && !isRequired) return null;
  const keys = Array.isArray(value) ? value : [value];
  if (keys.length > 0 && keys.every(isText)) return keys;
  reader.refuse('afterOutcome', 'afterOutcome must be a non-empty string or non-empty string array');
  return null;
}

/**
 * Returns what has no effect: 0 days under `key`, and `impression` among the outcomes, because contacts aren't
 * outcomes.
 */
export function outcomeRemarks(config: JsonObject, key: string): readonly ConfigRemark[] {
  const listed = Array.isArray(config.afterOutcome) ? config.afterOutcome : [config.afterOutcome];
  return [
    ...(config[key] === 0
      ? [
          {
            path: `/${key}`,
            nearest: null,
            reason: 'With 0 the policy blocks nothing.',
            suggestion: `Set ${key} to a value above 0.`,
          },
        ]
      : []),
    ...(listed.includes('impression')
      ? [
          {
            path: '/afterOutcome',
            nearest: null,
            reason: 'An impression is a contact, not an outcome, so it blocks nothing.',
            suggestion: 'Use a policy of type cooldown instead.',
          },
        ]
      : []),
  ];
}

const isText = (value: Json): value is string => typeof value === 'string' && value !== '';

/** Days of 24 hours as ms. */
export const daysToMs = (days: number): number => days * dayMs;

/** Days since an instant, rounded down to two decimals; one that is dated ahead is 0 days ago. */
export const daysAgo = (now: number, at: number): number => Math.max(0, Math.floor((now - at) / (dayMs / 100)) / 100);

/** The same in words, with one decimal: `2.0`. */
export function daysAgoText(now: number, at: number): string {
  const tenths = Math.max(0, Math.floor((now - at) / (dayMs / 10)));
  return `${Math.floor(tenths / 10)}.${tenths % 10}`;
}
