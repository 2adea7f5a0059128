import type { Diagnostics } from './diagnostics.ts';

/** Why a log can't judge a candidate, or only within bounds. */
export type RefusalReason =
  | 'no_decisions'
  | 'unsupported'
  | 'few_effective'
  | 'few_rewards'
  | 'skewed'
  | 'weights_off'
  | 'probabilities_wrong'
  | 'selection'
  | 'state_shift';
export type Verdict = 'ok' | 'bounded' | 'refused';

/** Limits of docs/design/lead.md 3, in one place. */
const limits = {
  supportOk: 0.95,
  supportBounded: 0.8,
  effectiveSampleSize: 200,
  rewardCustomers: 50,
  skewness: 0.3,
  weightZ: 3.5,
  stateShift: 0.2,
  mismatches: 0.0002,
};

export interface Evidence {
  readonly decisions: number;
  readonly customers: number;
  readonly diagnostics: Diagnostics;
  /** Of the headline estimate. */
  readonly skewness: number;
  readonly notEvaluableShare: number;
  readonly maxNotEvaluable: number;
  /** Recomputed probabilities, and how many of them differ from the record. */
  readonly probabilities: { readonly checked: number; readonly mismatches: number };
  /** Null if not measured. */
  readonly stateShift: number | null;
}

export function judge(evidence: Evidence): { readonly verdict: Verdict; readonly reasons: readonly RefusalReason[] } {
  const { decisions, customers, diagnostics, skewness, probabilities, stateShift } = evidence;
  const { supportShare, effectiveSampleSize, rewardCustomers, weightZ } = diagnostics;
  if (decisions === 0) return { verdict: 'refused', reasons: ['no_decisions'] };
  const refused: RefusalReason[] = [];
  if (supportShare < limits.supportBounded) refused.push('unsupported');
  if (effectiveSampleSize < limits.effectiveSampleSize) refused.push('few_effective');
  if (rewardCustomers < limits.rewardCustomers) refused.push('few_rewards');
  if (Math.abs(skewness) / Math.sqrt(customers) > limits.skewness) refused.push('skewed');
  if (weightZ.some((z) => z !== null && Math.abs(z) > limits.weightZ)) refused.push('weights_off');
  if (probabilities.mismatches > limits.mismatches * probabilities.checked) refused.push('probabilities_wrong');
  if (evidence.notEvaluableShare > evidence.maxNotEvaluable) refused.push('selection');
  if (refused.length > 0) return { verdict: 'refused', reasons: refused };
  const bounded: RefusalReason[] = [];
  if (supportShare < limits.supportOk) bounded.push('unsupported');
  if (stateShift !== null && stateShift > limits.stateShift) bounded.push('state_shift');
  return { verdict: bounded.length > 0 ? 'bounded' : 'ok', reasons: bounded };
}

/** What would be enough: a rate of exploration over the same days, or days at the same rate. */
export interface EnoughData {
  /** At most 0.2; null if exploration alone isn't enough. */
  readonly explore: number | null;
  /** Null if no number of days is enough. */
  readonly days: number | null;
}

/** A rate is a mean over many plans, so its last digits mean nothing. */
const rounded = (rate: number): number => Math.round(rate * 10_000) / 10_000;

const maxExplore = 0.2;
/** Rate to suggest for a flow without exploration. */
const firstExplore = 0.05;

export function neededFor(
  { diagnostics: { effectiveSampleSize, rewardCustomers, supportShare } }: Evidence,
  days: number,
  exploreRate: number,
): EnoughData {
  // Without support, more of the same shows nothing new.
  if (supportShare < limits.supportBounded)
    return { explore: rounded(Math.max(exploreRate, firstExplore)), days: null };
  const times = Math.max(
    1,
    effectiveSampleSize > 0 ? limits.effectiveSampleSize / effectiveSampleSize : Number.POSITIVE_INFINITY,
    rewardCustomers > 0 ? limits.rewardCustomers / rewardCustomers : Number.POSITIVE_INFINITY,
  );
  const explore = Math.max(exploreRate, firstExplore) * times;
  return {
    explore: explore <= maxExplore ? rounded(explore) : null,
    days: Number.isFinite(times) ? Math.ceil(days * times) : null,
  };
}
