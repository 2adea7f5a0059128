import type { Decision, DecisionInput } from '@arbiter/engine';

/** A batch's figures for the metrics. The decisions themselves are released before the commit. */
export interface DecisionSums {
  readonly items: number;
  readonly candidates: number;
  readonly dropped: ReadonlyMap<string, number>;
  /** Candidates that contact policies removed, by rule type. */
  readonly blocked: ReadonlyMap<string, number>;
  /** Items with a reservation; dry runs make none. */
  readonly reserved: number;
  /** Decisions that did without a model, by its key. */
  readonly degraded: ReadonlyMap<string, number>;
  /** Customers who were assigned a variant of an experiment, by kind of variant; dry runs assign none. */
  readonly assigned: ReadonlyMap<VariantKind, number>;
}

export interface DecisionCounts extends DecisionSums {
  add(decision: Decision, dryRun: boolean, input: Pick<DecisionInput, 'openBreakers' | 'experiments'>): void;
}

/** Tenants choose the keys of challengers, so a metric has one label value for all of them. */
export type VariantKind = 'champion' | 'challenger' | 'holdout';

const kindOf = (variant: string): VariantKind =>
  variant === '__champion__' ? 'champion' : variant === '__holdout__' ? 'holdout' : 'challenger';

export function newDecisionCounts(): DecisionCounts {
  const dropped = new Map<string, number>();
  const blocked = new Map<string, number>();
  const degraded = new Map<string, number>();
  const assigned = new Map<VariantKind, number>();
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
    assigned,
    get reserved() {
      return reserved;
    },
    add({ items: shown, summary, policyBlocks, degradedScoring, models, experiments }, dryRun, input) {
      for (const { key, variant } of dryRun ? noUses : (experiments ?? noUses)) {
        if (input.experiments !== undefined && Object.hasOwn(input.experiments, key)) continue;
        assigned.set(kindOf(variant), (assigned.get(kindOf(variant)) ?? 0) + 1);
      }
      if (!dryRun) for (const { effect } of shown) if (effect === 'reserve') reserved += 1;
      items += shown.length;
      candidates += summary.candidateCount;
      addAll(dropped, summary.droppedByReason);
      if (policyBlocks !== null) addAll(blocked, policyBlocks);
      if (!degradedScoring) return;
      const failed = (models ?? []).flatMap((model) => (model.failed ? [model.key] : []));
      for (const key of [...failed, ...(input.openBreakers ?? [])]) degraded.set(key, (degraded.get(key) ?? 0) + 1);
    },
  };
}

const noUses: NonNullable<Decision['experiments']> = [];

function addAll(sums: Map<string, number>, counts: Readonly<Record<string, number>>): void {
  for (const name in counts) sums.set(name, (sums.get(name) ?? 0) + counts[name]!);
}
