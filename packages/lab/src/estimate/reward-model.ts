import { exp, ln } from '@arbiter/engine';
import type { Predictions } from './estimators.ts';
import type { EvaluationLog } from './log.ts';

export const folds = 5;
/** Items that a fold is fitted on at most: more of them hardly change what it predicts. */
const mostItems = 200_000;
const rounds = 8;
/** Ridge penalty of each effect, toward 0; the intercept has none. */
const ridge = 1;
const segmentBits = 10;
const leastChance = 1e-9;

export interface RewardModel {
  readonly predictions: Predictions;
  /** True: on items that it hasn't seen, it predicts rewards better than their mean does. */
  readonly beatsConstant: boolean;
  /** Mean prediction and mean reward of tenths of the logged items, by prediction. */
  readonly calibration: readonly { readonly predicted: number; readonly observed: number }[];
}

/**
 * Predicts rewards by `logit f = b0 + b1 logit(P) + slot + offer + channel + offer x segment`, fitted by Newton's method in
 * blocks. Each fold of customers is predicted by a fit on the others, so nothing is predicted from its own reward.
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
          fit.effects.of(
            log,
            decision,
            log.slot[place]!,
            log.offer[place]!,
            log.channel[place]!,
            log.expectation[place]!,
          ),
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
      log,
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
  of(log: EvaluationLog, decision: number, slot: number, offer: number, channel: number, expectation: number): number;
}

function fitFold(
  log: EvaluationLog,
  decisionOf: Int32Array,
  scaled: Float64Array,
  isTrained: (place: number) => boolean,
): { readonly effects: Effects; readonly mean: number } {
  const rows = trainingRows(log, isTrained);
  const segments = rows.map((place) => log.segments[decisionOf[place]!]!);
  let positives = 0;
  for (const place of rows) positives += scaled[place]!;
  const mean = Math.min(1 - leastChance, Math.max(leastChance, rows.length === 0 ? 0 : positives / rows.length));
  const eta = new Float64Array(rows.length).fill(ln(mean / (1 - mean)));
  const one = (): number => 1;
  const slope = (row: number): number => log.expectation[rows[row]!]!;
  const intercept = new Float64Array(1).fill(eta[0] ?? 0);
  const slopes = new Float64Array(1);
  const slot = new Float64Array(256);
  const offer = new Float64Array(log.offers.length);
  const channel = new Float64Array(log.channels.length);
  const bits = Array.from({ length: segmentBits }, () => new Float64Array(log.offers.length));
  const used = segments.reduce((all, own) => all | own, 0);
  const target = (row: number): number => scaled[rows[row]!]!;
  for (let round = 0; round < rounds; round++) {
    newton(eta, target, intercept, () => 0, one, 1e-9);
    newton(eta, target, slopes, () => 0, slope, ridge);
    newton(eta, target, slot, (row) => log.slot[rows[row]!]!, one, ridge);
    newton(eta, target, offer, (row) => log.offer[rows[row]!]!, one, ridge);
    newton(eta, target, channel, (row) => log.channel[rows[row]!]!, one, ridge);
    for (let bit = 0; bit < segmentBits; bit++) {
      if ((used & (1 << bit)) === 0) continue;
      const levelOf = (row: number): number => ((segments[row]! & (1 << bit)) === 0 ? -1 : log.offer[rows[row]!]!);
      newton(eta, target, bits[bit]!, levelOf, one, ridge);
    }
  }
  const effects: Effects = {
    of(_log, decision, ownSlot, ownOffer, ownChannel, expectation) {
      let sum = intercept[0]! + slopes[0]! * expectation + slot[ownSlot]! + offer[ownOffer]! + channel[ownChannel]!;
      const own = log.segments[decision]! & used;
      for (let bit = 0; own >> bit > 0; bit++) if ((own & (1 << bit)) !== 0) sum += bits[bit]![ownOffer]!;
      return sum;
    },
  };
  return { effects, mean };
}

/** Logged items of the other folds, evenly thinned out to a number that's quick to fit. */
function trainingRows({ isLogged }: EvaluationLog, isTrained: (place: number) => boolean): Int32Array {
  const rows: number[] = [];
  for (let place = 0; place < isLogged.length; place++) if (isLogged[place] === 1 && isTrained(place)) rows.push(place);
  const step = Math.ceil(rows.length / mostItems);
  return Int32Array.from(step <= 1 ? rows : rows.filter((_, at) => at % step === 0));
}

/** One step for all levels of a group. They don't share rows, so each has a step of its own. Level -1: not in the group. */
function newton(
  eta: Float64Array,
  target: (row: number) => number,
  effects: Float64Array,
  levelOf: (row: number) => number,
  numberAt: (row: number) => number,
  penalty: number,
): void {
  const gradient = new Float64Array(effects.length);
  const curvature = new Float64Array(effects.length);
  for (let row = 0; row < eta.length; row++) {
    const level = levelOf(row);
    if (level < 0) continue;
    const chance = sigmoid(eta[row]!);
    const value = numberAt(row);
    gradient[level] = gradient[level]! + (target(row) - chance) * value;
    curvature[level] = curvature[level]! + chance * (1 - chance) * value * value;
  }
  const steps = effects.map((effect, level) =>
    bounded((gradient[level]! - penalty * effect) / (curvature[level]! + penalty)),
  );
  for (let level = 0; level < effects.length; level++) effects[level] = effects[level]! + steps[level]!;
  for (let row = 0; row < eta.length; row++) {
    const level = levelOf(row);
    if (level >= 0) eta[row] = eta[row]! + steps[level]! * numberAt(row);
  }
}

/** Where hardly anything is known, a full step may be far too long. */
const bounded = (step: number): number => Math.max(-2, Math.min(2, step));

const sigmoid = (x: number): number => 1 / (1 + exp(-x));

function logLoss(target: number, chance: number): number {
  const p = Math.min(1 - leastChance, Math.max(leastChance, chance));
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
