import { exp, ln } from '@arbiter/engine';
import { pairwiseSum as sum } from '../pairwise-sum.ts';
import type { Predictions } from './estimators.ts';
import type { EvaluationLog } from './log.ts';

export const folds = 5;
/** Maximum items to fit a fold on. More hardly change its predictions. */
const maxItems = 200_000;
const rounds = 8;
const sweeps = 2;
/** The fit ends when no effect changes by more than this. */
const converged = 0.01;
/** Ridge penalty of each effect, toward 0; the intercept has none. */
const ridge = 1;
const segmentBits = 10;
const minChance = 1e-9;

export interface RewardModel {
  readonly predictions: Predictions;
  /** Whether it predicts the rewards of unseen items better than their mean does. */
  readonly beatsConstant: boolean;
  /** Mean prediction and mean reward of tenths of the logged items, by prediction. */
  readonly calibration: readonly { readonly predicted: number; readonly observed: number }[];
}

/**
 * Predicts rewards by `logit f = b0 + b1 logit(P) + slot + offer + channel + offer x segment`, fitted with a ridge penalty. Each fold of customers is predicted by a fit on the others, so nothing is predicted from its own reward.
 */
export function fitRewards(log: EvaluationLog, lowest: number, highest: number): RewardModel {
  const span = highest - lowest;
  const places = log.reward.length;
  const logged = new Float64Array(places);
  const expected = new Float64Array(places);
  const decisionOf = decisionsOf(log);
  const scaled = log.reward.map((reward) => (span === 0 ? 0 : (reward - lowest) / span));
  let loss = 0;
  let constantLoss = 0;
  for (let fold = 0; fold < folds; fold++) {
    const isIn = (place: number): boolean => log.fold[log.customer[decisionOf[place]!]!] === fold;
    const fit = fitFold(log, decisionOf, scaled, (place) => !isIn(place));
    for (let place = 0; place < places; place++) {
      if (!isIn(place)) continue;
      const decision = decisionOf[place]!;
      if (log.isLogged[place] === 1) {
        const chance = sigmoid(
          fit.effects.of(decision, log.slot[place]!, log.offer[place]!, log.channel[place]!, log.expectation[place]!),
        );
        logged[place] = lowest + span * chance;
        loss += logLoss(scaled[place]!, chance);
        constantLoss += logLoss(scaled[place]!, fit.mean);
      }
      expected[place] = lowest * log.filled[place]! + span * expectedChance(log, fit.effects, decision, place);
    }
  }
  return {
    predictions: { logged, expected },
    beatsConstant: loss < constantLoss,
    calibration: calibrationOf(log, logged),
  };
}

function expectedChance(log: EvaluationLog, effects: Effects, decision: number, place: number): number {
  let chance = 0;
  for (let at = log.firstChoice[place]!; at < log.firstChoice[place + 1]!; at++) {
    const eta = effects.of(
      decision,
      log.slot[place]!,
      log.choiceOffer[at]!,
      log.choiceChannel[at]!,
      log.choiceExpectation[at]!,
    );
    chance += log.choiceChance[at]! * sigmoid(eta);
  }
  return chance;
}

/** The decision of each place. */
function decisionsOf({ firstPlace, reward }: EvaluationLog): Int32Array {
  const decisions = new Int32Array(reward.length);
  for (let decision = 0; decision + 1 < firstPlace.length; decision++) {
    decisions.fill(decision, firstPlace[decision]!, firstPlace[decision + 1]!);
  }
  return decisions;
}

/** Coefficients by level of each group. */
interface Effects {
  of(decision: number, slot: number, offer: number, channel: number, expectation: number): number;
}

function fitFold(
  log: EvaluationLog,
  decisionOf: Int32Array,
  scaled: Float64Array,
  isTrained: (place: number) => boolean,
): { readonly effects: Effects; readonly mean: number } {
  const rows = trainingRows(log, isTrained);
  const target = filled(new Float64Array(rows.length), (row) => scaled[rows[row]!]!);
  const mean = Math.min(1 - minChance, Math.max(minChance, rows.length === 0 ? 0 : sum(target) / rows.length));
  const segments = filled(new Uint16Array(rows.length), (row) => log.segments[decisionOf[rows[row]!]!]!);
  const used = segments.reduce((all, own) => all | own, 0);
  const group = (levels: number, levelOf: (row: number) => number, penalty = ridge): Group => ({
    effects: new Float64Array(levels),
    level: filled(new Int32Array(rows.length), levelOf),
    value: null,
    penalty,
  });
  const offerOf = (row: number): number => log.offer[rows[row]!]!;
  const intercept = group(1, () => 0, 1e-9);
  intercept.effects[0] = ln(mean / (1 - mean));
  const slope = {
    ...group(1, () => 0),
    value: filled(new Float64Array(rows.length), (row) => log.expectation[rows[row]!]!),
  };
  const slot = group(256, (row) => log.slot[rows[row]!]!);
  const offer = group(log.offers.length, offerOf);
  const channel = group(log.channels.length, (row) => log.channel[rows[row]!]!);
  const bits = Array.from({ length: segmentBits }, (_, bit) =>
    (used & (1 << bit)) === 0
      ? null
      : group(log.offers.length, (row) => ((segments[row]! & (1 << bit)) === 0 ? -1 : offerOf(row))),
  );
  const groups = [slot, offer, channel, ...bits.filter((bit) => bit !== null)];
  fitGroups(target, [intercept, slope, ...groups.filter(hasSeveralLevels)]);
  const effects: Effects = {
    of(decision, ownSlot, ownOffer, ownChannel, expectation) {
      let eta = intercept.effects[0]! + slope.effects[0]! * expectation;
      eta += slot.effects[ownSlot]! + offer.effects[ownOffer]! + channel.effects[ownChannel]!;
      const own = log.segments[decision]! & used;
      for (let bit = 0; own >> bit > 0; bit++) if ((own & (1 << bit)) !== 0) eta += bits[bit]!.effects[ownOffer]!;
      return eta;
    },
  };
  return { effects, mean };
}

/** A group with the same effect in every row would repeat the intercept. */
const hasSeveralLevels = ({ level }: Group): boolean => level.some((own) => own !== level[0]);

/** A loop, because `from` with a callback takes several times as long. */
function filled<T extends Float64Array | Int32Array | Uint16Array>(values: T, valueAt: (row: number) => number): T {
  for (let row = 0; row < values.length; row++) values[row] = valueAt(row);
  return values;
}

/** Effects that never meet in one row: those of one property. */
interface Group {
  readonly effects: Float64Array;
  /** By row; -1: none. */
  readonly level: Int32Array;
  /** By row: what the effect is multiplied by; null: 1. */
  readonly value: Float64Array | null;
  readonly penalty: number;
}

/**
 * Iteratively reweighted least squares. Each round approximates the loss by a square around the predictions so far, and adapts
 * one group after the other to what the others leave.
 */
function fitGroups(target: Float64Array, groups: readonly Group[]): void {
  const count = target.length;
  const weight = new Float64Array(count);
  const rest = new Float64Array(count);
  for (let round = 0; round < rounds; round++) {
    const eta = etaOf(count, groups);
    for (let row = 0; row < count; row++) {
      const chance = sigmoid(eta[row]!);
      weight[row] = Math.max(minChance, chance * (1 - chance));
      rest[row] = (target[row]! - chance) / weight[row]!;
    }
    let largest = 0;
    for (let sweep = 0; sweep < sweeps; sweep++) {
      for (const group of groups) largest = Math.max(largest, adapt(group, weight, rest));
    }
    if (largest < converged) return;
  }
}

function etaOf(count: number, groups: readonly Group[]): Float64Array {
  const eta = new Float64Array(count);
  for (const { effects, level, value } of groups) {
    for (let row = 0; row < count; row++) {
      const own = level[row]!;
      if (own >= 0) eta[row] = eta[row]! + effects[own]! * (value === null ? 1 : value[row]!);
    }
  }
  return eta;
}

/** Moves a group's effects to the ridge solution for the residual, and updates the residual. Returns the largest change. */
function adapt({ effects, level, value, penalty }: Group, weight: Float64Array, rest: Float64Array): number {
  const gradient = new Float64Array(effects.length);
  const curvature = new Float64Array(effects.length);
  for (let row = 0; row < rest.length; row++) {
    const own = level[row]!;
    if (own < 0) continue;
    const times = value === null ? 1 : value[row]!;
    gradient[own] = gradient[own]! + weight[row]! * rest[row]! * times;
    curvature[own] = curvature[own]! + weight[row]! * times * times;
  }
  let largest = 0;
  const steps = gradient;
  for (let own = 0; own < effects.length; own++) {
    steps[own] = bounded((gradient[own]! - penalty * effects[own]!) / (curvature[own]! + penalty));
    effects[own] = effects[own]! + steps[own]!;
    largest = Math.max(largest, Math.abs(steps[own]!));
  }
  for (let row = 0; row < rest.length; row++) {
    const own = level[row]!;
    if (own >= 0) rest[row] = rest[row]! - steps[own]! * (value === null ? 1 : value[row]!);
  }
  return largest;
}

/** Returns logged items of the other folds, evenly thinned out to a number that's quick to fit. */
function trainingRows({ isLogged }: EvaluationLog, isTrained: (place: number) => boolean): Int32Array {
  const rows: number[] = [];
  for (let place = 0; place < isLogged.length; place++) if (isLogged[place] === 1 && isTrained(place)) rows.push(place);
  const step = Math.ceil(rows.length / maxItems);
  return Int32Array.from(step <= 1 ? rows : rows.filter((_, at) => at % step === 0));
}

/** With little data, a full step may be far too long. */
const bounded = (step: number): number => Math.max(-2, Math.min(2, step));

const sigmoid = (x: number): number => 1 / (1 + exp(-x));

function logLoss(target: number, chance: number): number {
  const p = Math.min(1 - minChance, Math.max(minChance, chance));
  return -(target * ln(p) + (1 - target) * ln(1 - p));
}

function calibrationOf({ isLogged, reward }: EvaluationLog, logged: Float64Array): RewardModel['calibration'] {
  const places = Int32Array.from(isLogged.keys()).filter((place) => isLogged[place] === 1);
  places.sort((a, b) => logged[a]! - logged[b]! || a - b);
  const groups = Math.min(10, places.length);
  return Array.from({ length: groups }, (_, group) => {
    const own = places.subarray(
      Math.floor((group * places.length) / groups),
      Math.floor(((group + 1) * places.length) / groups),
    );
    let predicted = 0;
    let observed = 0;
    for (const place of own) {
      predicted += logged[place]!;
      observed += reward[place]!;
    }
    return { predicted: predicted / own.length, observed: observed / own.length };
  });
}
