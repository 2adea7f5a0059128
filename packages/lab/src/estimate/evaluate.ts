import { type Diagnostics, diagnose, heaviestShare } from './diagnostics.ts';
import {
  type Estimate,
  type EstimatorInput,
  type EstimatorName,
  estimators,
  perDecision,
  slotsOf,
} from './estimators.ts';
import { hallInterval, type Interval, perCustomer } from './interval.ts';
import type { EvaluationLog } from './log.ts';
import { fitRewards, type RewardModel } from './reward-model.ts';
import { mean } from './sums.ts';
import { type EnoughData, type Evidence, judge, neededFor, type RefusalReason, type Verdict } from './verdict.ts';
import { weightsOf } from './weights.ts';

export interface EvaluationOptions {
  readonly estimators: readonly EstimatorName[];
  readonly clip: number;
  readonly confidence: number;
  /** Candidates judged at once. More candidates mean a stricter confidence for each (Bonferroni). */
  readonly candidates?: number;
  /** Minimum and maximum reward of an item. */
  readonly rewards: { readonly lowest: number; readonly highest: number };
  /** Records left out because they can't be evaluated. */
  readonly notEvaluable: number;
  /** Maximum share of them. */
  readonly maxNotEvaluable: number;
  readonly probabilities: Evidence['probabilities'];
  readonly stateShift: number | null;
  /** Days that the log covers, and the rate at which the flow explored. */
  readonly days: number;
  readonly exploreRate: number;
  /** Names of the segments that results are split by, by bit. */
  readonly segments?: readonly string[];
}

/** A value with its interval. `value` and `se` are null where only bounds are known. */
export interface Bounds {
  readonly value: number | null;
  readonly se: number | null;
  readonly ciLower: number;
  readonly ciUpper: number;
}

export interface Evaluation {
  readonly verdict: Verdict;
  readonly reasons: readonly RefusalReason[];
  readonly needed: EnoughData | null;
  readonly decisions: number;
  readonly customers: number;
  /** By name; null: refused. */
  readonly estimates: Readonly<Partial<Record<EstimatorName, Bounds>>> | null;
  readonly headline: EstimatorName;
  readonly logged: Bounds;
  /** How much more the candidate earns per decision, and as a share of the actual reward; null when refused. */
  readonly delta: Bounds | null;
  readonly lift: Bounds | null;
  readonly bySegment: readonly {
    readonly segment: string;
    readonly decisions: number;
    readonly customers: number;
    readonly estimate: Bounds | null;
    readonly logged: Bounds | null;
  }[];
  readonly diagnostics: Diagnostics & {
    /** Share of the variance that the ten most influential customers account for. */
    readonly heaviestShare: number;
    readonly skewness: number;
    readonly calibration: RewardModel['calibration'];
    /** The headline estimate by clip. */
    readonly byClip: readonly { readonly clip: number | null; readonly value: number }[];
  };
}

/** Estimates what a candidate would have earned per decision, or returns why the log can't tell (docs/design/lead.md 3). */
export function evaluate(log: EvaluationLog, options: EvaluationOptions): Evaluation {
  const { lowest, highest } = options.rewards;
  const weights = weightsOf(log, options.clip);
  const model = fitRewards(log, lowest, highest);
  const input: EstimatorInput = { log, weights, predictions: model.predictions, threshold: options.clip };
  const diagnostics = diagnose(log, weights);
  const headline = headlineOf(log, model);
  const confidence = 1 - (1 - options.confidence) / (options.candidates ?? 1);
  const interval = (value: number, influence: Float64Array): Interval =>
    hallInterval(value, influence, log.customer, log.customers, confidence);
  const main = estimators[headline](input);
  const own = interval(main.value, main.influence);
  const decisions = log.customer.length;
  const evidence: Evidence = {
    decisions,
    customers: log.customers,
    diagnostics,
    skewness: own.skewness,
    notEvaluableShare: shareOf(options.notEvaluable, decisions),
    maxNotEvaluable: options.maxNotEvaluable,
    probabilities: options.probabilities,
    stateShift: options.stateShift,
  };
  const { verdict, reasons } = judge(evidence);
  const earned = perDecision(log, (place) => log.reward[place]!);
  const average = mean(earned);
  const loggedInfluence = earned.map((reward) => reward - average);
  const missing = (1 - diagnostics.supportShare) * slotsOf(log);
  const widen = (known: Interval, { bias }: Estimate): Bounds =>
    boundsOf(verdict, known, bias, [missing * Math.max(0, -lowest), missing * Math.max(0, highest)]);
  const difference = main.influence.map((influence, at) => influence - loggedInfluence[at]!);
  const isRefused = verdict === 'refused';
  return {
    verdict,
    reasons,
    needed: verdict === 'ok' ? null : neededFor(evidence, options.days, options.exploreRate),
    decisions,
    customers: log.customers,
    estimates: isRefused
      ? null
      : Object.fromEntries(
          [...new Set([headline, ...options.estimators])].map((name) => {
            const estimate = name === headline ? main : estimators[name](input);
            return [name, widen(interval(estimate.value, estimate.influence), estimate)];
          }),
        ),
    headline,
    logged: plain(interval(average, loggedInfluence)),
    delta: isRefused ? null : widen(interval(main.value - average, difference), main),
    lift: isRefused || average <= 0 ? null : liftOf(main, average, loggedInfluence, interval, widen),
    bySegment: bySegment(log, main, earned, options.segments ?? [], verdict, confidence),
    diagnostics: {
      ...diagnostics,
      skewness: own.skewness,
      heaviestShare: heaviestShare(perCustomer(main.influence, log.customer, log.customers)),
      calibration: model.calibration,
      byClip: isRefused ? [] : byClip(input, headline),
    },
  };
}

/**
 * Decided before any interval is checked: `dr` if predictions help, else `snips`. When the candidate acts as the log did,
 * there's nothing to correct, and `ips` is the log's own mean.
 */
function headlineOf({ ratio }: EvaluationLog, model: RewardModel): EstimatorName {
  if (ratio.every((each) => each === 1)) return 'ips';
  return model.beatsConstant ? 'dr' : 'snips';
}

const shareOf = (part: number, rest: number): number => (part === 0 ? 0 : part / (part + rest));
const plain = ({ value, se, ciLower, ciUpper }: Interval): Bounds => ({ value, se, ciLower, ciUpper });

/** Widens an interval by what clipping may hide and, without full support, by what the unseen part may earn. */
function boundsOf(
  verdict: Verdict,
  { value, se, ciLower, ciUpper }: Interval,
  [biasBelow, biasAbove]: Estimate['bias'],
  [lossUnseen, gainUnseen]: readonly [number, number],
): Bounds {
  const isBounded = verdict === 'bounded';
  return {
    value: isBounded ? null : value,
    se: isBounded ? null : se,
    ciLower: ciLower - biasBelow - (isBounded ? lossUnseen : 0),
    ciUpper: ciUpper + biasAbove + (isBounded ? gainUnseen : 0),
  };
}

/** The ratio to the logged mean, by the delta method. */
function liftOf(
  main: Estimate,
  average: number,
  loggedInfluence: Float64Array,
  interval: (value: number, influence: Float64Array) => Interval,
  widen: (known: Interval, estimate: Estimate) => Bounds,
): Bounds {
  const ratio = main.value / average;
  const influence = main.influence.map((own, at) => (own - ratio * loggedInfluence[at]!) / average);
  const known = interval(ratio - 1, influence);
  const { value, se, ciLower, ciUpper } = widen(known, main);
  // What widens a value widens the ratio by as much per unit of the logged mean.
  return {
    value,
    se,
    ciLower: known.ciLower + (ciLower - known.ciLower) / average,
    ciUpper: known.ciUpper + (ciUpper - known.ciUpper) / average,
  };
}

/** Fewer customers would reveal individual ones. */
const minCustomers = 10;

function bySegment(
  log: EvaluationLog,
  main: Estimate,
  earned: Float64Array,
  segments: readonly string[],
  verdict: Verdict,
  confidence: number,
): Evaluation['bySegment'] {
  return segments.map((segment, bit) => {
    const rows = Int32Array.from(log.customer.keys()).filter((at) => (log.segments[at]! & (1 << bit)) !== 0);
    const known = new Map<number, number>();
    const customer = Int32Array.from(rows, (row) => {
      const own = log.customer[row]!;
      if (!known.has(own)) known.set(own, known.size);
      return known.get(own)!;
    });
    const isShown = known.size >= minCustomers;
    const boundsFor = (terms: Float64Array): Bounds => {
      const value = mean(terms);
      return plain(
        hallInterval(
          value,
          terms.map((term) => term - value),
          customer,
          known.size,
          confidence,
        ),
      );
    };
    return {
      segment,
      decisions: isShown ? rows.length : 0,
      customers: isShown ? known.size : 0,
      estimate:
        isShown && verdict === 'ok'
          ? boundsFor(Float64Array.from(rows, (row) => main.value + main.influence[row]!))
          : null,
      logged: isShown ? boundsFor(Float64Array.from(rows, (row) => earned[row]!)) : null,
    };
  });
}

function byClip(input: EstimatorInput, headline: EstimatorName): Evaluation['diagnostics']['byClip'] {
  return [10, 30, 100, null].map((clip) => {
    const weights = weightsOf(input.log, clip ?? Number.POSITIVE_INFINITY);
    return { clip, value: estimators[headline]({ ...input, weights }).value };
  });
}
