import type { Decision, DecisionInput } from '@arbiter/engine';

/** A batch's figures for the metrics. The decisions themselves are released before the commit. */
export interface DecisionCounts {
  readonly items: number;
  readonly candidates: number;
  readonly dropped: ReadonlyMap<string, number>;
  /** Candidates that contact policies removed, by rule type. */
  readonly blocked: ReadonlyMap<string, number>;
  /** Items with a reservation; dry runs make none. */
  readonly reserved: number;
  /** Decisions that did without a model, by its key. */
  readonly degraded: ReadonlyMap<string, number>;
  add(decision: Decision, dryRun: boolean, openBreakers: DecisionInput['openBreakers']): void;
}

export function newDecisionCounts(): DecisionCounts {
  const dropped = new Map<string, number>();
  const blocked = new Map<string, number>();
  const degraded = new Map<string, number>();
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
    blocked,
    degraded,
    get reserved() {
      return reserved;
    },
    add({ items: shown, summary, policyBlocks, degradedScoring, models }, dryRun, openBreakers) {
      if (!dryRun) for (const { effect } of shown) if (effect === 'reserve') reserved += 1;
      items += shown.length;
      candidates += summary.candidateCount;
      addAll(dropped, summary.droppedByReason);
      if (policyBlocks !== null) addAll(blocked, policyBlocks);
      if (!degradedScoring) return;
      const failed = (models ?? []).flatMap((model) => (model.failed ? [model.key] : []));
      for (const key of [...failed, ...(openBreakers ?? [])]) degraded.set(key, (degraded.get(key) ?? 0) + 1);
    },
  };
}

function addAll(sums: Map<string, number>, counts: Readonly<Record<string, number>>): void {
  for (const name in counts) sums.set(name, (sums.get(name) ?? 0) + counts[name]!);
}
