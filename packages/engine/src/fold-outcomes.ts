import type { ContactLane, LatestOutcome } from './plan/input.ts';
import type { OutcomeReads } from './plan/plan.ts';

/** Returns those of a customer's known outcomes that a plan's policies read (`plan.outcomeReads`). */
export function foldOutcomes(
  lanes: readonly ContactLane[],
  outcomes: readonly { readonly key: string; readonly lane: number; readonly at: number }[],
  { keys, horizonMs }: OutcomeReads,
  now: number,
): LatestOutcome[] {
  const found: LatestOutcome[] = [];
  for (const { key, lane, at } of outcomes) {
    if (now - at < horizonMs && (keys === null || keys.includes(key))) found.push({ key, lane: lanes[lane]!, at });
  }
  return found;
}
