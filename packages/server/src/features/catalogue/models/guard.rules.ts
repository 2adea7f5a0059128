/** What is known about a model that is to be promoted. */
export interface GuardFacts {
  /** AUC of the model and of the champion that it would replace; null: unknown. */
  readonly auc: number | null;
  readonly championAuc: number | null;
  /** PSI by predictor. */
  readonly psi: Readonly<Record<string, number>>;
  /** Share of decisions without a usable score; null: unknown. */
  readonly errorRate: number | null;
}

export interface GuardThresholds {
  readonly aucDrop: number;
  readonly psi: number;
  readonly errorRate: number;
}

/** docs/design/api-decisioning.md 15. */
export const defaultThresholds: GuardThresholds = { aucDrop: 0.05, psi: 0.25, errorRate: 0.02 };

/** A limit that a model exceeds. */
export interface GuardBreach {
  readonly metric: 'auc_drop' | 'psi' | 'error_rate';
  /** Null unless `psi`. */
  readonly predictor: string | null;
  readonly value: number;
  readonly threshold: number;
}

/** Returns why a model must not replace the champion. Without the AUC of both, nothing does. */
export function breachesOf({ auc, championAuc, psi, errorRate }: GuardFacts, limits: GuardThresholds): GuardBreach[] {
  if (auc === null || championAuc === null) return [];
  const breaches: GuardBreach[] = [];
  const drop = championAuc === 0 ? 0 : (championAuc - auc) / championAuc;
  if (drop > limits.aucDrop)
    breaches.push({ metric: 'auc_drop', predictor: null, value: drop, threshold: limits.aucDrop });
  for (const [predictor, value] of Object.entries(psi)) {
    if (value > limits.psi) breaches.push({ metric: 'psi', predictor, value, threshold: limits.psi });
  }
  if (errorRate !== null && errorRate > limits.errorRate) {
    breaches.push({ metric: 'error_rate', predictor: null, value: errorRate, threshold: limits.errorRate });
  }
  return breaches;
}
