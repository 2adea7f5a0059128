import { pairwiseSum as sum } from '../pairwise-sum.ts';
import type { EvaluationLog } from './log.ts';
import { mean } from './sums.ts';
import type { Weights } from './weights.ts';

export type EstimatorName = 'ips' | 'sips' | 'snips' | 'dm' | 'dr' | 'switch';

/** An estimate of the reward per decision, and how much each decision moves it. */
export interface Estimate {
  readonly value: number;
  /** By decision; their mean is 0. */
  readonly influence: Float64Array;
  /** What clipping may have taken from the value, downward and upward; both at least 0. */
  readonly bias: readonly [lower: number, upper: number];
}

/** Predicted rewards, by place. */
export interface Predictions {
  /** Of the logged item; 0 for an empty slot. */
  readonly logged: Float64Array;
  /** Expected reward of the candidate at the place: the mean over its choices. */
  readonly expected: Float64Array;
}

export interface EstimatorInput {
  readonly log: EvaluationLog;
  readonly weights: Weights;
  readonly predictions: Predictions;
  /** Weights above it aren't corrected by `switch`. */
  readonly threshold: number;
}

type Estimator = (input: EstimatorInput) => Estimate;

/**
 * The estimators of docs/design/lead.md 3. Sources: Dudik et al. 2011 and Su et al. 2020 (`dr`, `switch`), Swaminathan and
 * Joachims 2015 (`snips`), McInerney et al. 2020 (`ips` over places), Kiyohara et al. 2022 (`dr` over places).
 */
export const estimators: Readonly<Record<EstimatorName, Estimator>> = {
  ips: ({ log, weights }) => {
    const { reward } = log;
    return averaged(
      log,
      (place) => weights.clipped[place]! * reward[place]!,
      excess(log, weights, (place) => reward[place]!),
    );
  },
  sips: ({ log, weights }) => slateEstimate(log, weights),
  snips: ({ log, weights }) => selfNormalized(log, weights),
  dm: ({ log, weights, predictions }) => {
    const scale = prefixScale(log, weights);
    return averaged(
      log,
      (place) => weights.before[place]! * scale[log.slot[place]!]! * predictions.expected[place]!,
      noBias,
    );
  },
  dr: ({ log, weights, predictions: { logged, expected } }) => {
    const { reward } = log;
    const residual = (place: number): number => reward[place]! - logged[place]!;
    return averaged(
      log,
      (place) => weights.clipped[place]! * residual(place) + weights.before[place]! * expected[place]!,
      excess(log, weights, residual),
    );
  },
  switch: ({ log, weights, predictions: { logged, expected }, threshold }) =>
    averaged(
      log,
      (place) =>
        (weights.full[place]! <= threshold ? weights.full[place]! * (log.reward[place]! - logged[place]!) : 0) +
        weights.before[place]! * expected[place]!,
      noBias,
    ),
};

const noBias: Estimate['bias'] = [0, 0];

/** Returns the mean over decisions of the sum of their places' terms. */
function averaged(log: EvaluationLog, termOf: (place: number) => number, bias: Estimate['bias']): Estimate {
  const terms = perDecision(log, termOf);
  const value = mean(terms);
  return { value, influence: terms.map((term) => term - value), bias };
}

export function perDecision({ firstPlace }: EvaluationLog, termOf: (place: number) => number): Float64Array {
  const terms = new Float64Array(firstPlace.length - 1);
  for (let decision = 0; decision < terms.length; decision++) {
    let term = 0;
    for (let place = firstPlace[decision]!; place < firstPlace[decision + 1]!; place++) term += termOf(place);
    terms[decision] = term;
  }
  return terms;
}

/** Returns what clipping cut off, by side. */
function excess(log: EvaluationLog, { full, clipped }: Weights, rewardOf: (place: number) => number): Estimate['bias'] {
  const above = perDecision(log, (place) => (full[place]! - clipped[place]!) * Math.max(0, rewardOf(place)));
  const below = perDecision(log, (place) => (full[place]! - clipped[place]!) * Math.max(0, -rewardOf(place)));
  return [mean(below), mean(above)];
}

/** One weight for the whole answer. */
function slateEstimate(log: EvaluationLog, { full, clipped }: Weights): Estimate {
  const { firstPlace, reward } = log;
  const last = lastLogged(log);
  const weightOf = (weights: Float64Array, place: number, decision: number): number =>
    last[decision]! < firstPlace[decision]! ? 1 : place > last[decision]! ? 0 : weights[last[decision]!]!;
  const terms = (weights: Float64Array, part: (reward: number) => number): Float64Array => {
    const all = new Float64Array(last.length);
    for (let decision = 0; decision < all.length; decision++) {
      let term = 0;
      for (let place = firstPlace[decision]!; place < firstPlace[decision + 1]!; place++) {
        term += weightOf(weights, place, decision) * part(reward[place]!);
      }
      all[decision] = term;
    }
    return all;
  };
  const own = terms(clipped, (each) => each);
  const value = mean(own);
  const missing = (part: (reward: number) => number): number => mean(terms(full, part)) - mean(terms(clipped, part));
  const bias: Estimate['bias'] = [missing((each) => Math.max(0, -each)), missing((each) => Math.max(0, each))];
  return { value, influence: own.map((term) => term - value), bias };
}

/** By decision: the last slot that the answer fills. */
function lastLogged({ firstPlace, isLogged }: EvaluationLog): Int32Array {
  const last = new Int32Array(firstPlace.length - 1);
  for (let decision = 0; decision < last.length; decision++) {
    let place = firstPlace[decision + 1]! - 1;
    while (place >= firstPlace[decision]! && isLogged[place] === 0) place -= 1;
    last[decision] = place;
  }
  return last;
}

/** Sums over the decisions that have a place, by slot. */
interface SlotSums {
  /** Decisions with an item of the answer there. */
  readonly count: number;
  readonly weight: number;
  readonly reward: number;
}

/**
 * Divides by the weights themselves instead of by their expectation. What the log can't show reduces the
 * share of the rest, at this slot and all later ones.
 */
function selfNormalized(log: EvaluationLog, weights: Weights): Estimate {
  const { slot, isLogged, reward } = log;
  const decisions = log.customer.length;
  const shares = massBySlot(log, weights);
  const sums = shares.map((_, at): SlotSums => {
    const own = (numberAt: (place: number) => number): number =>
      sum(perDecision(log, (place) => (slot[place] === at && isLogged[place] === 1 ? numberAt(place) : 0)));
    return {
      count: own(() => 1),
      weight: own((place) => weights.clipped[place]!),
      reward: own((place) => weights.clipped[place]! * reward[place]!),
    };
  });
  let value = 0;
  let share = 1;
  /** By slot: what a unit of weight adds to the value. */
  const factors = sums.map(({ count, weight, reward: sumOfRewards }, at) => {
    share *= shares[at]!;
    if (weight === 0) return { factor: 0, average: 0 };
    value += (count / decisions) * share * (sumOfRewards / weight);
    return { factor: (share * count) / weight, average: sumOfRewards / weight };
  });
  const influence = perDecision(log, (place) => {
    if (isLogged[place] === 0) return 0;
    const { factor, average } = factors[slot[place]!]!;
    return factor * weights.clipped[place]! * (reward[place]! - average);
  });
  return { value, influence, bias: excess(log, weights, (place) => reward[place]!) };
}

/** By slot: how much weight the log can be expected to give it, as a share of the weight before it; 1 where unknown. */
function massBySlot(log: EvaluationLog, { before }: Weights): readonly number[] {
  return Array.from({ length: slotsOf(log) }, (_, at) => {
    const isLogged = (place: number): number => log.isLogged[place]!;
    const all = slotSum(log, at, (place) => isLogged(place) * before[place]!);
    return all === 0 ? 1 : slotSum(log, at, (place) => isLogged(place) * before[place]! * log.supported[place]!) / all;
  });
}

/** Sums over the places of a slot whose support was checked. */
function slotSum(log: EvaluationLog, at: number, numberAt: (place: number) => number): number {
  return sum(
    perDecision(log, (place) => (log.slot[place] === at && !Number.isNaN(log.supported[place]!) ? numberAt(place) : 0)),
  );
}

export function slotsOf({ slot }: EvaluationLog): number {
  let most = 0;
  for (let place = 0; place < slot.length; place++) if (slot[place]! >= most) most = slot[place]! + 1;
  return most;
}

/** By slot: what the weights of the places before must be multiplied by to average 1. */
function prefixScale(log: EvaluationLog, { before }: Weights): readonly number[] {
  return Array.from({ length: slotsOf(log) }, (_, at) => {
    const own = (numberAt: (place: number) => number): number =>
      sum(perDecision(log, (place) => (log.slot[place] === at ? numberAt(place) : 0)));
    const weight = own((place) => before[place]!);
    return weight === 0 ? 0 : own(() => 1) / weight;
  });
}
