import type { Decision } from '@arbiter/engine';

/** What the metrics want to know of a batch; the decisions themselves are let go of before the commit. */
export interface DecisionCounts {
  readonly items: number;
  readonly candidates: number;
  readonly dropped: ReadonlyMap<string, number>;
  add(decision: Decision): void;
}

export function newDecisionCounts(): DecisionCounts {
  const dropped = new Map<string, number>();
  let items = 0;
  let candidates = 0;
  return {
    get items() {
      return items;
    },
    get candidates() {
      return candidates;
    },
    dropped,
    add({ items: shown, summary }) {
      items += shown.length;
      candidates += summary.candidateCount;
      const { droppedByReason } = summary;
      for (const reason in droppedByReason) {
        dropped.set(reason, (dropped.get(reason) ?? 0) + droppedByReason[reason]!);
      }
    },
  };
}
