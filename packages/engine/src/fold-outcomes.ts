import type { OutcomeReads } from './compile/plan.ts';
import type { ContactLane, LatestOutcome } from './input.ts';

/** The outcomes that a plan's policies look at (`plan.outcomeReads`), of all that are known of the customer. */
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
