import { integerField, wordField } from '../compile/config-fields.ts';
import type { ConfigReader } from '../compile/config-problems.ts';
import type { CapLimit } from '../plan/offer.ts';
import type { JsonObject } from '../plan/snapshot.ts';
import { calendarLimit, maxContacts, readRolling } from './cap-limits.ts';

export const periodWords = ['daily', 'weekly', 'monthly', 'alltime'] as const;
export type PeriodWord = (typeof periodWords)[number];

export const maxTotalField = integerField(0, maxContacts, 'Maximum contacts in the period.');

export const periodField = (words: readonly PeriodWord[], usual: PeriodWord) =>
  wordField(words, "Period to count over: a day, week or month in the tenant's time zone, or all time.", usual);

/** `maxTotal` in `periodType`, which is one of `words`; the usual one when it is left out. `maxTotal` is required. */
export function readTotal(reader: ConfigReader, words: readonly PeriodWord[], usual: PeriodWord): CapLimit[] {
  const before = reader.problems.length;
  const max = reader.integer('maxTotal', maxTotalField);
  if (max === undefined && reader.problems.length === before) reader.refuse('maxTotal', 'is required');
  const period = reader.word('periodType', words) ?? usual;
  return max === undefined ? [] : [calendarLimit(period, max)];
}

/** `readTotal`, then the rolling windows. */
export function readTotalAndWindows(
  reader: ConfigReader,
  config: JsonObject,
  words: readonly PeriodWord[],
  usual: PeriodWord,
): CapLimit[] {
  return [...readTotal(reader, words, usual), ...readRolling(config.windows, reader)];
}
