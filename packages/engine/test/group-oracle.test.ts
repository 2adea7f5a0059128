import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomRuns } from '../../../test/form.ts';
import { canonicalJson, compile, type Decision, decide, type Json, resultOf } from '../src/index.ts';
import { readCase } from './conformance/case.ts';
import { type Chance, chanceOf } from './corpus/chance.ts';

// An answer over several placements worked out again from the words of docs/design/api-decisioning.md 10, by trying
// everything: small catalogues, many of them.

interface Case {
  readonly offers: readonly { readonly id: string; readonly categoryId: string; readonly score: number }[];
  readonly placements: readonly { readonly id: string; readonly maxSlots: number; readonly weight: number }[];
  /** Placements that an offer has a creative for. */
  readonly fits: ReadonlyMap<string, ReadonlySet<string>>;
  readonly allocation: 'optimal' | 'greedy';
  readonly uniqueOffers: boolean;
  readonly rankedBy: 'topN' | 'round_robin';
  /** Maximum offers per category in a response; null: no limit. */
  readonly perCategory: number | null;
  readonly rankCut: number | null;
}

function randomCase(chance: Chance): Case {
  const steps = chance.pick([2, 8, 64]);
  const placements = ['p0', 'p1', 'p2'].slice(0, chance.int(1, 3)).map((id) => ({
    id,
    maxSlots: chance.pick([1, 1, 2]),
    weight: chance.pick([1, 1, 0.5, 2, 0]),
  }));
  const offers = ['A', 'B', 'C', 'D', 'E', 'F'].slice(0, chance.int(1, 6)).map((id) => ({
    id,
    categoryId: chance.pick(['x', 'y', 'z']),
    score: chance.int(0, steps) / steps,
  }));
  return {
    offers,
    placements,
    fits: new Map(offers.map(({ id }) => [id, new Set(chance.some(placements, 0.7).map((placement) => placement.id))])),
    allocation: chance.pick(['optimal', 'greedy']),
    uniqueOffers: chance.flip(0.7),
    rankedBy: chance.pick(['topN', 'round_robin']),
    perCategory: chance.flip(0.5) ? chance.int(1, 2) : null,
    rankCut: chance.flip(0.2) ? chance.int(1, 4) : null,
  };
}

function decisionOf(source: Case, order: <T>(rows: readonly T[]) => T[]): Decision {
  const { offers, placements, fits } = source;
  const config = {
    allocation: source.allocation,
    uniqueOffers: source.uniqueOffers,
    placementWeights: Object.fromEntries(placements.map(({ id, weight }) => [id, weight])),
  };
  const text = JSON.stringify({
    name: 'random',
    expect: {},
    channels: [{ id: 'web', channelType: 'web' }],
    placements: order(placements.map(({ id, maxSlots }) => ({ id, channelId: 'web', maxSlots }))),
    offers: order(offers.map(({ id, categoryId }) => ({ id, categoryId }))),
    creatives: order(
      offers.flatMap(({ id }) =>
        [...fits.get(id)!].map((placementId) => ({
          id: `${id}-${placementId}`,
          offerId: id,
          channelId: 'web',
          placementId,
        })),
      ),
    ),
    nodes: [
      { id: 'i', type: 'inventory' },
      { id: 'm', type: 'match_creatives' },
      { id: 's', type: 'score', config: { method: 'propensity' } },
      {
        id: 'r',
        type: 'rank',
        config: { method: source.rankedBy, ...(source.rankCut === null ? {} : { maxCandidates: source.rankCut }) },
      },
      { id: 'g', type: 'group', config },
    ],
    policies:
      source.perCategory === null
        ? []
        : [{ id: 'cap', ruleType: 'frequency_cap', config: { maxPerDay: source.perCategory, per: 'category' } }],
    request: {
      placements: placements.map(({ id }) => ({ placementId: id, limit: 50 })),
      attributes: { propensityScores: Object.fromEntries(offers.map(({ id, score }) => [id, score])) },
    },
  });
  const read = readCase(JSON.parse(text) as Json);
  const plan = compile(read.snapshot);
  return decide(plan, read.input(plan));
}

/** Offers as the rank node yields them, those behind its cut left out. */
function rankedList({ offers, fits, rankedBy, rankCut }: Case): Case['offers'] {
  const sorted = offers
    .filter(({ id }) => fits.get(id)!.size > 0)
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
  let list = sorted;
  if (rankedBy === 'round_robin') {
    const groups = [...Map.groupBy(sorted, ({ categoryId }) => categoryId).values()];
    list = [];
    for (let turn = 0; list.length < sorted.length; turn++) {
      for (const group of groups) if (turn < group.length) list.push(group[turn]!);
    }
  }
  return rankCut === null ? list : list.slice(0, rankCut);
}

const worthOf = (source: Case, list: Case['offers'], id: string, weight: number): number => {
  const position = list.findIndex((offer) => offer.id === id);
  return weight * (source.rankedBy === 'topN' ? list[position]!.score : (list.length - position) / list.length);
};

/** Fills slot by slot with the first candidate that fits and that no limit forbids. */
function greedy(source: Case, list: Case['offers']): string[][] {
  const taken: string[] = [];
  const perCategory = new Map<string, number>();
  return source.placements.map((placement) => {
    const items: string[] = [];
    for (let slot = 0; slot < placement.maxSlots; slot++) {
      const next = list.find(
        ({ id, categoryId }) =>
          source.fits.get(id)!.has(placement.id) &&
          !(source.uniqueOffers ? taken : items).includes(id) &&
          (perCategory.get(categoryId) ?? 0) < (source.perCategory ?? 99),
      );
      if (next === undefined || taken.length === (source.rankCut ?? 99)) break;
      items.push(next.id);
      taken.push(next.id);
      perCategory.set(next.categoryId, (perCategory.get(next.categoryId) ?? 0) + 1);
    }
    return items;
  });
}

/** The largest total over all ways to fill the slots. */
function largestTotal(source: Case, list: Case['offers']): number {
  const slots = source.placements.flatMap((placement) => Array.from({ length: placement.maxSlots }, () => placement));
  const used = new Set<string>();
  const from = (at: number): number => {
    const placement = slots[at];
    if (placement === undefined) return 0;
    let best = from(at + 1);
    for (const { id } of list) {
      const name = source.uniqueOffers ? id : `${id} ${placement.id}`;
      if (used.has(name) || !source.fits.get(id)!.has(placement.id)) continue;
      used.add(name);
      best = Math.max(best, worthOf(source, list, id, placement.weight) + from(at + 1));
      used.delete(name);
    }
    return best;
  };
  return from(0);
}

/** Checks what is true of every response, however it was allocated. */
function checkAnswer(
  source: Case,
  list: Case['offers'],
  decision: Decision,
  slots: readonly (readonly string[])[],
): void {
  const { items } = decision;
  assert.deepEqual(
    items.map(({ rank }) => rank),
    items.map((_, at) => at + 1),
    'ranks run from 1',
  );
  for (const { selection, score } of items) {
    assert.equal(selection.probability, 1);
    assert.ok(Number.isFinite(score));
  }
  assert.equal(decision.slateProbability, 1);
  const shown = slots.flat();
  if (source.uniqueOffers) assert.equal(new Set(shown).size, shown.length, 'an offer once');
  const category = (id: string): string => source.offers.find((offer) => offer.id === id)!.categoryId;
  const shownOf = (name: string): number => shown.filter((id) => category(id) === name).length;
  const most = source.perCategory ?? 99;
  for (const name of ['x', 'y', 'z']) assert.ok(shownOf(name) <= most, 'the cap holds inside the answer');
  const position = (id: string): number => list.findIndex((offer) => offer.id === id);
  for (const [at, placement] of source.placements.entries()) {
    const own = slots[at]!;
    assert.equal(new Set(own).size, own.length);
    for (const id of own)
      assert.ok(source.fits.get(id)!.has(placement.id) && position(id) >= 0, 'it fits and passed rank');
    // The rank node's cut is one of the answer too.
    if (own.length === placement.maxSlots || shown.length === source.rankCut) continue;
    const waiting = list.filter(
      ({ id }) =>
        source.fits.get(id)!.has(placement.id) &&
        !(source.uniqueOffers ? shown : own).includes(id) &&
        shownOf(category(id)) < most,
    );
    assert.deepEqual(waiting, [], 'no slot stays empty while something fits it');
  }
}

const answers = randomRuns(4_000);

test(`${answers} random responses: greedy follows its description, optimal has the largest total, both within their limits`, () => {
  const chance = chanceOf('1'.repeat(32), 'group');
  const seen = { greedy: 0, optimal: 0, better: 0, capped: 0 };
  for (let round = 0; round < answers; round++) {
    const source = randomCase(chance);
    const list = rankedList(source);
    const decision = decisionOf(source, (rows) => [...rows]);
    const slots = decision.placementResults!.map(({ items }) => items.map((at) => decision.items[at]!.offerId));
    const about = `round ${round} ${JSON.stringify({ ...source, fits: [...source.fits].map(([id, set]) => [id, ...set]) })}`;
    try {
      checkAnswer(source, list, decision, slots);
      const reversed = decisionOf(source, (rows) => rows.toReversed());
      assert.equal(
        canonicalJson(resultOf(reversed)),
        canonicalJson(resultOf(decision)),
        'the order of rows is nothing',
      );
      const bySteps = greedy(source, list);
      if (source.allocation === 'greedy') {
        assert.deepEqual(slots, bySteps);
        seen.greedy += 1;
      } else if (source.perCategory === null && (source.uniqueOffers || source.rankCut === null)) {
        const totalOf = (filled: readonly (readonly string[])[]): number =>
          source.placements.reduce(
            (sum, { weight }, at) => sum + filled[at]!.reduce((own, id) => own + worthOf(source, list, id, weight), 0),
            0,
          );
        const best = largestTotal(source, list);
        assert.ok(Math.abs(totalOf(slots) - best) < 1e-9, `${totalOf(slots)} of ${best}`);
        seen.optimal += 1;
        if (totalOf(bySteps) < best - 1e-9) seen.better += 1;
      } else {
        seen.capped += 1;
      }
    } catch (error) {
      throw new Error(about, { cause: error });
    }
  }
  assert.ok(Math.min(...Object.values(seen)) > answers / 40, JSON.stringify(seen));
});
