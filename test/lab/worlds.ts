// Simulated logs with a known truth. The intervals of packages/lab must contain it as often as they promise.

import { h32, stream } from '@arbiter/engine';
import { collectLog, type Evaluation, evaluate, type PlaceRow } from '@arbiter/lab';

const offers = 5;
const kinds = 4;

/** A world: its customers, what they like, the live policy and the draft. */
export interface World {
  readonly name: string;
  readonly decisions: number;
  /** Decisions of a customer: 1 to this many. */
  readonly visits: number;
  readonly places: 1 | 3;
  /** Approximate mean reward of an item. */
  readonly reward: number;
  readonly explore: number;
  /** How many of the best offers the log draws from. If it's all, the log supports any draft. */
  readonly pool: number;
  readonly logger: 'fixed' | 'learning' | 'thompson';
}

const world = (name: string, own: Partial<World>): World => ({
  name,
  decisions: 10_000,
  visits: 1,
  places: 1,
  reward: 0.05,
  explore: 0.2,
  pool: offers,
  logger: 'fixed',
  ...own,
});

export const worlds: readonly World[] = [
  world('one item, 5 %, one visit', { decisions: 16_000 }),
  world('one item, 1 %, up to 10 visits', { reward: 0.01, explore: 0.3, decisions: 40_000, visits: 10 }),
  world('one item, 10 %, up to 30 visits', { reward: 0.1, explore: 0.1, decisions: 16_000, visits: 30 }),
  world('one item, 0.5 %, up to 5 visits', { reward: 0.005, explore: 0.3, decisions: 80_000, visits: 5 }),
  world('one item, 3 %, little exploration', { reward: 0.03, explore: 0.05, decisions: 80_000, visits: 10 }),
  world('three items, 5 %, up to 10 visits', { places: 3, explore: 0.3, visits: 10 }),
  world('three items, 2 %, up to 30 visits', { places: 3, reward: 0.02, explore: 0.3, decisions: 20_000, visits: 30 }),
  world('one item, 5 %, a log that learns', { logger: 'learning', decisions: 16_000, visits: 3 }),
  world('one item, 3 %, Thompson sampling', { reward: 0.03, logger: 'thompson', decisions: 20_000, visits: 3 }),
  world('three items, 10 %, a log that learns', {
    places: 3,
    reward: 0.1,
    explore: 0.3,
    logger: 'learning',
    visits: 3,
  }),
  world('no support: a pool of two', { pool: 2 }),
  world('no support: nothing explored', { explore: 0 }),
];

export const hasSupport = ({ pool, explore }: World): boolean => pool === offers && explore > 0;

type Table = readonly (readonly number[])[];

/** What an item earns, by kind of customer and offer; the same in all logs of a world. */
interface Truth {
  readonly rewards: Table;
  readonly live: Table;
  readonly draft: Table;
}

const table = (value: (kind: number, offer: number) => number): Table =>
  Array.from({ length: kinds }, (_, kind) => Array.from({ length: offers }, (_, offer) => value(kind, offer)));

const truths = new Map<string, Truth>();

function truthOf(own: World): Truth {
  const known = truths.get(own.name) ?? newTruth(own);
  truths.set(own.name, known);
  return known;
}

function newTruth({ name, reward, pool }: World): Truth {
  const next = stream(h32(name).toString(16), 'truth');
  const rewards = table(() => reward * (0.4 + 1.2 * next()));
  // The live flow knows a little; the draft prefers another offer for half of the customers.
  const live = rewards.map((row) => row.map((mean) => mean * (0.5 + next())));
  const draft = live.map((row, kind) => {
    if (kind % 2 === 1) return row;
    const order = row.map((_, offer) => offer).sort((a, b) => row[b]! - row[a]!);
    // Beyond the pool there is no support, within it the draft swaps the first two.
    const other = order[pool < offers ? offers - 1 : 1]!;
    return row.map((score, offer) => (offer === other ? row[order[0]!]! * 1.1 : score));
  });
  return { rewards, live, draft };
}

/** Chances of the offers left: one of the best `pool` with the chance `explore`, else the best. */
function chancesOf(
  scores: readonly number[],
  left: readonly number[],
  explore: number,
  pool: number,
): Map<number, number> {
  const order = left.toSorted((a, b) => scores[b]! - scores[a]! || a - b);
  const drawn = order.slice(0, pool);
  return new Map(drawn.map((offer, at) => [offer, (at === 0 ? 1 - explore : 0) + explore / drawn.length]));
}

const draftExplore = 0.05;

/** Reward per decision of the draft, in expectation over all customers and draws. */
export function trueValue(own: World): number {
  const { rewards, draft } = truthOf(own);
  const from = (kind: number, left: readonly number[], place: number): number => {
    if (place === own.places) return 0;
    let value = 0;
    for (const [offer, chance] of chancesOf(draft[kind]!, left, draftExplore, offers)) {
      const rest = left.filter((other) => other !== offer);
      value += chance * (rewards[kind]![offer]! * placeFactor(place) + from(kind, rest, place + 1));
    }
    return value;
  };
  let sum = 0;
  for (let kind = 0; kind < kinds; kind++) sum += from(kind, all, 0);
  return sum / kinds;
}

const all = Array.from({ length: offers }, (_, at) => at);
const placeFactor = (place: number): number => 0.85 ** place;

/** Chances that each of some Beta variables is the largest, coarsely: what's drawn is drawn by these very chances. */
function thompson(arms: readonly (readonly [number, number])[]): number[] {
  const steps = 200;
  const densities = arms.map(([a, b]) => {
    const logs = Array.from({ length: steps }, (_, at) => {
      const x = (at + 0.5) / steps / 4;
      return (a - 1) * Math.log(x) + (b - 1) * Math.log(1 - x);
    });
    const most = Math.max(...logs);
    const raw = logs.map((each) => Math.exp(each - most));
    const sum = raw.reduce((so, each) => so + each, 0);
    return raw.map((each) => each / sum);
  });
  const below = densities.map((density) => {
    let so = 0;
    return density.map((each) => {
      so += each;
      return so - each / 2;
    });
  });
  const wins = densities.map((density, arm) => {
    let sum = 0;
    for (let at = 0; at < steps; at++) {
      let chance = density[at]!;
      for (let other = 0; other < arms.length; other++) if (other !== arm) chance *= below[other]![at]!;
      sum += chance;
    }
    return sum;
  });
  const sum = wins.reduce((so, each) => so + each, 0);
  // Little is left to the log's least liked offers, so it supports any draft.
  return wins.map((each) => 0.9 * (each / sum) + 0.1 / arms.length);
}

export interface Coverage {
  /** Logs with the verdict `ok`, and those of them whose interval has the true value. */
  readonly ok: number;
  readonly covered: number;
  /** Intervals that lie below the true value; the other misses lie above. */
  readonly below: number;
  readonly refused: number;
  readonly reasons: Readonly<Record<string, number>>;
  /** Mean of the estimates; NaN when all were refused. */
  readonly mean: number;
}

/** Judges this many logs of a world. The same seed gives the same logs. */
export function coverageOf(own: World, logs: number, seed: string): Coverage {
  const truth = trueValue(own);
  const reasons: Record<string, number> = {};
  let [ok, covered, below, refused, sum] = [0, 0, 0, 0, 0];
  for (let log = 0; log < logs; log++) {
    const found = judgeLog(own, `${seed} ${log}`);
    for (const reason of found.reasons) reasons[reason] = (reasons[reason] ?? 0) + 1;
    if (found.verdict === 'refused') refused += 1;
    if (found.verdict !== 'ok') continue;
    const { value, ciLower, ciUpper } = found.estimates![found.headline]!;
    ok += 1;
    sum += value!;
    if (ciLower <= truth && truth <= ciUpper) covered += 1;
    else if (ciUpper < truth) below += 1;
  }
  return { ok, covered, below, refused, reasons, mean: sum / ok };
}

const batch = 500;

/** One log of the world, judged. */
function judgeLog(own: World, seed: string): Evaluation {
  const { rewards, live, draft } = truthOf(own);
  const next = stream(h32(seed).toString(16), own.name);
  const rows = collectLog();
  const seen = table(() => 0).map((row) => row.map(() => [1, 1 / own.reward - 1] as [number, number]));
  let scores = live;
  let byThompson: number[][] = [];
  let customer = 0;
  let visitsLeft = 0;
  let kind = 0;
  let affinity = 1;
  for (let decision = 0; decision < own.decisions; decision++) {
    if (visitsLeft === 0) {
      customer += 1;
      visitsLeft = 1 + Math.floor(next() * own.visits);
      kind = Math.floor(next() * kinds);
      // A customer's rewards go together: some like everything, some hardly anything. The mean is 1.
      affinity = next() < 0.5 ? 0.5 : 1.5;
    }
    visitsLeft -= 1;
    if (own.logger !== 'fixed' && decision % batch === 0) {
      scores = seen.map((row) => row.map(([a, b]) => a / (a + b)));
      if (own.logger === 'thompson') byThompson = seen.map((row) => thompson(row));
    }
    let left = all;
    const places: PlaceRow[] = [];
    for (let place = 0; place < own.places; place++) {
      const chances =
        own.logger === 'thompson'
          ? new Map(byThompson[kind]!.map((chance, offer): [number, number] => [offer, chance]))
          : chancesOf(scores[kind]!, left, own.explore, own.pool);
      const taken = draw(chances, next());
      const wanted = chancesOf(draft[kind]!, left, draftExplore, offers);
      const reward = next() < rewards[kind]![taken]! * placeFactor(place) * affinity ? 1 : 0;
      const counts = seen[kind]![taken]!;
      counts[reward === 1 ? 0 : 1] += 1;
      const isSupported = (offer: number): boolean => (chances.get(offer) ?? 0) > 0;
      const choices = [...wanted].map(([offer, chance]) => ({
        offer: String(offer),
        channel: 'web',
        chance,
        propensity: live[kind]![offer]!,
        supported: isSupported(offer),
      }));
      places.push({
        ratio: wanted.get(taken)! / chances.get(taken)!,
        reward,
        item: { offer: String(taken), channel: 'web', propensity: live[kind]![taken]! },
        supported: choices.reduce((so, { chance, supported }) => so + (supported ? chance : 0), 0),
        choices,
      });
      left = left.filter((offer) => offer !== taken);
    }
    rows.add({ customer: String(customer), fold: h32(String(customer)) % 5, segments: 1 << kind, places });
  }
  return evaluate(rows.build(), {
    estimators: [],
    clip: 100,
    confidence: 0.95,
    rewards: { lowest: 0, highest: 1 },
    notEvaluable: 0,
    maxNotEvaluable: 0.05,
    probabilities: { checked: own.decisions, mismatches: 0 },
    stateShift: 0,
    days: 7,
    exploreRate: own.explore,
  });
}

function draw(chances: ReadonlyMap<number, number>, at: number): number {
  let until = 0;
  let last = -1;
  for (const [offer, chance] of chances) {
    until += chance;
    last = offer;
    if (at < until) return offer;
  }
  return last;
}
