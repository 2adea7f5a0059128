import { round6 } from '../arithmetic/decimal.ts';
import type { Decision } from '../plan/decision.ts';
import type { DecisionInput } from '../plan/input.ts';
import type { Attempt, Flip } from './flip.ts';

const highestPriority = 100;

/**
 * The smallest integer priority above its own with which the offer is in the answer; null: none up to 100. `isRead`: a gate
 * compares the priority, so that more of it may also be worse, and every one is tried; else the range is halved.
 */
export function priorityFlip(input: DecisionInput, own: number, isRead: boolean, attempt: Attempt): Flip | null {
  const rankAt = (priority: number): number | null | undefined => {
    const result = attempt.run(input, { priority });
    return result === null ? undefined : result.rank;
  };
  const first = Math.floor(own) + 1;
  if (first > highestPriority) return null;
  let to: number | null = null;
  if (isRead) {
    for (let priority = first; priority <= highestPriority && to === null; priority++) {
      const rank = rankAt(priority);
      if (rank === undefined) return null;
      if (rank !== null) to = priority;
    }
  } else {
    const atMost = rankAt(highestPriority);
    if (atMost === null || atMost === undefined) return null;
    let [low, high] = [first - 1, highestPriority];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      const rank = rankAt(middle);
      if (rank === undefined) return null;
      if (rank === null) low = middle;
      else high = middle;
    }
    to = high;
  }
  const resultRank = to === null ? null : rankAt(to);
  if (to === null || resultRank === null || resultRank === undefined) return null;
  return { kind: 'priority', changes: [{ path: 'offer.priority', from: own, to }], at: null, resultRank };
}

const micro = 1_000_000;

/**
 * Finds the smallest score of 6 decimals above its own that puts the offer into the answer: it replaces one of the
 * items, so it's between two of their scores, and a search narrows it down.
 */
export function scoreFlip(input: DecisionInput, own: number, base: Decision, attempt: Attempt): Flip | null {
  const units = (score: number): number => Math.round(round6(score) * micro);
  const isIn = (unit: number): boolean | null => {
    const result = attempt.run(input, { score: unit / micro });
    return result === null ? null : result.rank !== null;
  };
  let low = units(own);
  const rungs = [...new Set(base.items.map(({ score }) => units(score) + 1))].filter((rung) => rung > low);
  for (const rung of rungs.sort((a, b) => a - b)) {
    const inside = isIn(rung);
    if (inside === null) return null;
    if (!inside) {
      low = rung;
      continue;
    }
    let high = rung;
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      const found = isIn(middle);
      if (found === null) return null;
      if (found) high = middle;
      else low = middle;
    }
    const to = high / micro;
    const again = attempt.run(input, { score: to });
    if (again === null || again.rank === null) return null;
    const changes = [{ path: 'score', from: round6(own), to }];
    return { kind: 'score', changes, at: null, resultRank: again.rank };
  }
  return null;
}
