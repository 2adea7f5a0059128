import type { DeadLetter } from '@arbiter/contract/operations/dead-letters';

/** Dead letters of one job with one cause. */
export interface LetterGroup {
  readonly topic: string;
  /** What their last tries said, numbers left out: durations and ids differ where the cause is one. */
  readonly error: string;
  readonly count: number;
  readonly newest: string;
}

/** Groups dead letters by job and cause, the largest group first. */
export function groupsOf(letters: readonly Pick<DeadLetter, 'topic' | 'error' | 'failedAt'>[]): readonly LetterGroup[] {
  const groups = new Map<string, LetterGroup>();
  for (const { topic, error: whole, failedAt } of letters) {
    const error = whole.replace(/[0-9a-f]{8}-[0-9a-f-]{27}|\d+(?:[.,:]\d+)*/gi, '…');
    const key = `${topic}\n${error}`;
    const known = groups.get(key);
    groups.set(key, {
      topic,
      error,
      count: (known?.count ?? 0) + 1,
      newest: known !== undefined && known.newest > failedAt ? known.newest : failedAt,
    });
  }
  return [...groups.values()].sort((a, b) => b.count - a.count);
}
