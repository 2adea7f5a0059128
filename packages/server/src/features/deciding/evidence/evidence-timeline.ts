import type { Evidence } from '@arbiter/engine';
import type { Tx } from '../../../db/index.ts';
import { readOn, rebuildEvidence } from './evidence.store.ts';
import { applyChange, type EvidenceState } from './evidence.ts';

/** All evidence states between two numbers, for work that reads them in any order. */
export interface EvidenceTimeline {
  readonly from: number;
  readonly to: number;
  /** Throws RangeError for a number outside of the range. */
  at(number: number): Evidence;
}

type Pair = readonly [positives: number, negatives: number];

/** The sums of one offer or category. Entry i applies from number `numbers[i]` on. */
interface Steps {
  readonly numbers: number[];
  readonly pairs: Pair[];
}

const none: Pair = [0, 0];

/** Reads the states from one number to another. */
export async function readTimeline(tx: Tx, from: number, to: number): Promise<EvidenceTimeline> {
  const state: EvidenceState = await rebuildEvidence(tx, from);
  if (state.number !== from) throw new Error(`evidence ${from} is missing`);
  const offers = stepsFrom(state.offers, from);
  const categories = stepsFrom(state.categories, from);
  const overall: Steps = { numbers: [from], pairs: [[...state.global]] };
  await readOn(tx, state, (change) => {
    if (change.number > to) return false;
    applyChange(state, change);
    const { number, offerId, categoryId } = change;
    addStep(offers, offerId, number, state.offers.get(offerId));
    if (categoryId !== null) addStep(categories, categoryId, number, state.categories.get(categoryId));
    overall.numbers.push(number);
    overall.pairs.push([...state.global]);
    return true;
  });
  if (state.number !== to) throw new Error(`evidence ${to} is missing`);
  return {
    from,
    to,
    at(number) {
      if (number < from || number > to) throw new RangeError(`evidence ${number} is not among ${from} to ${to}`);
      return {
        number,
        global: pairAt(overall, number),
        offer: (id) => pairAt(offers.get(id), number),
        category: (id) => pairAt(categories.get(id), number),
      };
    },
  };
}

function stepsFrom(pairs: ReadonlyMap<string, Pair>, number: number): Map<string, Steps> {
  return new Map(
    [...pairs].map(([id, [positives, negatives]]) => [id, { numbers: [number], pairs: [[positives, negatives]] }]),
  );
}

function addStep(all: Map<string, Steps>, id: string, number: number, pair: Pair = none): void {
  let steps = all.get(id);
  if (steps === undefined) {
    steps = { numbers: [], pairs: [] };
    all.set(id, steps);
  }
  steps.numbers.push(number);
  steps.pairs.push([pair[0], pair[1]]);
}

function pairAt(steps: Steps | undefined, number: number): Pair {
  if (steps === undefined) return none;
  const { numbers, pairs } = steps;
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle]! <= number) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? none : pairs[low - 1]!;
}
