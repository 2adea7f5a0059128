import type { Decision } from '@arbiter/engine';

/** What the metrics want to know of a batch; the decisions themselves are let go of before the commit. */
export interface DecisionCounts {
  readonly items: number;
  readonly candidates: number;
  readonly dropped: ReadonlyMap<string, number>;
  /** Items with a reservation; dry runs make none. */
  readonly reserved: number;
  add(decision: Decision, dryRun: boolean): void;
}

export function newDecisionCounts(): DecisionCounts {
  const dropped = new Map<string, number>();
  let items = 0;
  let candidates = 0;
  let reserved = 0;
  return {
    get items() {
      return items;
    },
    get candidates() {
      return candidates;
    },
    dropped,
    get reserved() {
      return reserved;
    },
    add({ items: shown, summary }, dryRun) {
      if (!dryRun) for (const { effect } of shown) if (effect === 'reserve') reserved += 1;
      items += shown.length;
      candidates += summary.candidateCount;
      const { droppedByReason } = summary;
      for (const reason in droppedByReason) {
        dropped.set(reason, (dropped.get(reason) ?? 0) + droppedByReason[reason]!);
      }
    },
  };
}
