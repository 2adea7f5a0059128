import { pairwiseSum as sum } from '../pairwise-sum.ts';
import { perDecision, slotsOf } from './estimators.ts';
import { perCustomer } from './interval.ts';
import type { EvaluationLog } from './log.ts';
import { sumOf } from './sums.ts';
import type { Weights } from './weights.ts';

/** How well the log can judge the candidate, derived from the weights. */
export interface Diagnostics {
  /** Share of the candidate's answers that the log could also have shown. */
  readonly supportShare: number;
  /** Number of equally weighted decisions with the same precision, by slot. */
  readonly effectiveSampleSizes: readonly number[];
  /** The least of those, over slots that a twentieth of the decisions fill. */
  readonly effectiveSampleSize: number;
  /** Customers with a counted reward. */
  readonly rewardCustomers: number;
  readonly largestWeight: number;
  /** Share of the items whose weight was clipped. */
  readonly clippedShare: number;
  /** By slot: how many standard errors the weights are from what they should average. Null if not checked. */
  readonly weightZ: readonly (number | null)[];
  /** Weighted number of places per decision that only the candidate would fill. */
  readonly unseenSlots: number;
  /** Offers that the candidate shows where the log never does, with their share of its answers; the 20 largest. */
  readonly unsupportedOffers: readonly { readonly offer: string; readonly share: number }[];
}

const minShare = 0.05;

export function diagnose(log: EvaluationLog, weights: Weights): Diagnostics {
  const { full, clipped } = weights;
  const { isLogged, slot, reward } = log;
  const decisions = log.customer.length;
  const slots = slotsOf(log);
  const onSlot = (at: number, numberAt: (place: number) => number): number =>
    sumOf(reward.length, (place) => (slot[place] === at && isLogged[place] === 1 ? numberAt(place) : 0));
  const sizes = Array.from({ length: slots }, (_, at) => {
    const all = onSlot(at, (place) => clipped[place]!);
    const squares = onSlot(at, (place) => clipped[place]! * clipped[place]!);
    return { filled: onSlot(at, () => 1), size: squares === 0 ? 0 : (all * all) / squares };
  });
  const judged = sizes.filter(({ filled }, at) => at === 0 || filled >= minShare * decisions);
  const rewarded = perCustomer(
    perDecision(log, (place) => (clipped[place]! * Math.abs(reward[place]!) > 0 ? 1 : 0)),
    log.customer,
    log.customers,
  );
  const items = sumOf(reward.length, (place) => isLogged[place]!);
  return {
    supportShare: supportShare(log, weights),
    effectiveSampleSizes: sizes.map(({ size }) => size),
    effectiveSampleSize: judged.reduce((least, { size }) => Math.min(least, size), judged[0]?.size ?? 0),
    rewardCustomers: rewarded.reduce((count, own) => count + (own > 0 ? 1 : 0), 0),
    largestWeight: full.reduce((most, weight) => Math.max(most, weight), 0),
    clippedShare: items === 0 ? 0 : sumOf(full.length, (place) => (full[place]! > clipped[place]! ? 1 : 0)) / items,
    weightZ: Array.from({ length: slots }, (_, at) => weightZ(log, weights, at)),
    unseenSlots:
      decisions === 0
        ? 0
        : sumOf(reward.length, (place) => (isLogged[place] === 1 ? 0 : weights.before[place]! * log.filled[place]!)) /
          decisions,
    unsupportedOffers: unsupportedOffers(log, weights),
  };
}

/** Whether support was checked. There's nothing to check if both answers are empty. */
function isSampled({ firstPlace, supported }: EvaluationLog, decision: number): boolean {
  const first = firstPlace[decision]!;
  return first === firstPlace[decision + 1]! || !Number.isNaN(supported[first]!);
}

/** Returns the product over slots of one minus the mean unsupported mass, weighted by the places before. */
function supportShare(log: EvaluationLog, { before, full }: Weights): number {
  const { firstPlace } = log;
  const decisions = log.customer.length;
  let share = 1;
  for (let at = 0; at < slotsOf(log); at++) {
    const all = new Float64Array(decisions);
    const missing = new Float64Array(decisions);
    for (let decision = 0; decision < decisions; decision++) {
      if (!isSampled(log, decision)) continue;
      const place = firstPlace[decision]! + at;
      if (place < firstPlace[decision + 1]!) {
        all[decision] = before[place]!;
        missing[decision] = before[place]! * (log.filled[place]! - log.supported[place]!);
      } else {
        // Nothing is shown there, as often as the candidate gives the places before.
        const last = firstPlace[decision + 1]! - 1;
        all[decision] = last < firstPlace[decision]! ? 1 : full[last]!;
      }
    }
    const weight = sum(all);
    share *= weight === 0 ? 0 : 1 - sum(missing) / weight;
  }
  return Math.min(1, Math.max(0, share));
}

/** Given the places before, a weight averages what the log supports. If it doesn't, some probability is wrong. */
function weightZ(log: EvaluationLog, { full, before }: Weights, at: number): number | null {
  const terms = perDecision(log, (place) => {
    const { slot, supported, isLogged } = log;
    if (slot[place] !== at || isLogged[place] === 0 || Number.isNaN(supported[place]!)) return 0;
    return full[place]! - before[place]! * supported[place]!;
  });
  const parts = perCustomer(terms, log.customer, log.customers);
  const squares = sum(parts.map((part) => part * part));
  return squares === 0 ? null : sum(parts) / Math.sqrt(squares);
}

const maxOffers = 20;

function unsupportedOffers(log: EvaluationLog, { before }: Weights): Diagnostics['unsupportedOffers'] {
  const shares = new Float64Array(log.offers.length);
  let all = 0;
  for (let place = 0; place < log.reward.length; place++) {
    const supported = log.supported[place]!;
    if (Number.isNaN(supported)) continue;
    all += before[place]! * log.filled[place]!;
    for (let at = log.firstChoice[place]!; at < log.firstChoice[place + 1]!; at++) {
      if (log.choiceSupported[at] === 1) continue;
      const offer = log.choiceOffer[at]!;
      shares[offer] = shares[offer]! + before[place]! * log.choiceChance[at]!;
    }
  }
  return log.offers
    .map((offer, at) => ({ offer, share: all === 0 ? 0 : shares[at]! / all }))
    .filter(({ share }) => share > 0)
    .sort((a, b) => b.share - a.share || (a.offer < b.offer ? -1 : 1))
    .slice(0, maxOffers);
}

/** Share of the variance that the ten most influential customers account for. */
export function heaviestShare(parts: Float64Array): number {
  const squares = parts.map((part) => part * part).sort();
  const all = sum(squares);
  return all === 0 ? 0 : sum(squares, Math.max(0, squares.length - 10)) / all;
}
