import type { DecisionInput } from '../plan/input.ts';
import type { Attempt, Flip } from './flip.ts';

const secondMs = 1_000;

/**
 * The first of the moments at which the offer is in the answer, all else equal: true then, false a second before. Where
 * the offer comes in between two moments, the instant is narrowed down to the millisecond.
 */
export function timeFlip(
  moments: Iterable<number>,
  now: number,
  inputAt: (at: number) => DecisionInput,
  attempt: Attempt,
): Flip | null {
  let shut = now;
  for (const moment of moments) {
    const result = attempt.run(inputAt(moment));
    if (result === null) return null;
    if (result.rank === null) {
      shut = moment;
      continue;
    }
    const at = narrow(shut, moment, inputAt, attempt);
    if (at === null) return null;
    const again = attempt.run(inputAt(at));
    return again === null || again.rank === null ? null : { kind: 'time', changes: [], at, resultRank: again.rank };
  }
  return null;
}

/**
 * An instant after `shut`, up to `open`, at which the offer is in and a second before which it is not. Null when the search
 * is over, or when the offer comes and goes within a second.
 */
function narrow(shut: number, open: number, inputAt: (at: number) => DecisionInput, attempt: Attempt): number | null {
  const isIn = (at: number): boolean | null => {
    const result = attempt.run(inputAt(at));
    return result === null ? null : result.rank !== null;
  };
  for (let high = open; ; ) {
    const before = high - secondMs;
    const wasIn = isIn(before);
    if (wasIn === false) return high;
    if (wasIn === null || before <= shut) return null;
    let low = shut;
    high = before;
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      const inside = isIn(middle);
      if (inside === null) return null;
      if (inside) high = middle;
      else low = middle;
    }
  }
}
