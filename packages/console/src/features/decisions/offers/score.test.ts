import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ExplainedScore } from '@arbiter/contract/explanation/explanation';
import type { OfferStory } from '@arbiter/contract/explanation/offers';
import { defaultRival, rivalsOf, rivalText } from './rival.ts';
import { axisFor, differencesOf, partsOf, piecesOf, placeOn } from './score.ts';

const row = (over: Partial<ExplainedScore> = {}): ExplainedScore => ({
  offerId: 'a',
  score: 0.56969,
  rank: 1,
  components: { propensity: 0.3, relevance: 0.933333, impact: 0.9, emphasis: 0.7, fitMultiplier: 1 },
  method: 'formula',
  exponents: { propensity: 0.4, relevance: 0.2, impact: 0.3, emphasis: 0.1 },
  creativeWeight: 100,
  priority: 70,
  modelKey: null,
  modelType: null,
  propensitySource: 'default',
  evidence: null,
  shadowScores: {},
  contributions: [],
  ...over,
});
const parts = (over: Partial<ExplainedScore> = {}) => {
  const found = partsOf(row(over));
  assert.ok(found);
  return found;
};

test('factors multiply to the score for each method', () => {
  // Case X3 of docs/design/api-decisioning.md 19.
  assert.ok(parts().isProduct);
  const plain = parts({ score: 0.1764, exponents: { propensity: 1, relevance: 1, impact: 1, emphasis: 1 } });
  assert.ok(plain.isProduct);
  assert.deepEqual(
    plain.factors.map(({ name }) => name),
    ['propensity', 'relevance', 'impact', 'emphasis', 'fit'],
  );
  // Case X1: priority 80, weight 50, fit 0.5.
  const fit = { propensity: 0.5, relevance: 1, impact: 1, emphasis: 0.8, fitMultiplier: 0.5 };
  const weighted = parts({
    method: 'priority_weighted',
    exponents: null,
    components: fit,
    priority: 80,
    creativeWeight: 50,
    score: 0.2,
  });
  assert.deepEqual(
    [weighted.isProduct, weighted.factors.map(({ name }) => name)],
    [true, ['priority', 'weight', 'fit']],
  );
  const likely = parts({ method: 'propensity', exponents: null, components: fit, score: 0.25 });
  assert.deepEqual([likely.isProduct, likely.product], [true, 0.25]);
});

test('an exponent of 0 removes a factor, even if the component is 0', () => {
  const components = { propensity: 0, relevance: 1, impact: 1, emphasis: 0.5, fitMultiplier: 1 };
  const found = parts({ components, score: 0.5, exponents: { propensity: 0, relevance: 1, impact: 1, emphasis: 1 } });
  assert.deepEqual([found.product, found.isProduct], [0.5, true]);
});

test('a score changed by a later step is no product; without a method there are no parts', () => {
  assert.equal(parts({ score: 0.9 }).isProduct, false);
  assert.equal(partsOf(row({ method: null })), null);
  assert.equal(partsOf(row({ method: 'formula', exponents: null })), null);
});

test('pieces on the axis follow each other from 1 to the score', () => {
  const found = parts();
  const axis = axisFor([found]);
  assert.deepEqual([axis.least, axis.most], [0.1, 1]);
  assert.ok(axis.ticks.length >= 3, 'enough lines to read by');
  const pieces = piecesOf(found, axis);
  assert.equal(pieces[0]?.right, 1);
  for (const [at, piece] of pieces.slice(1).entries()) assert.equal(piece.right, pieces[at]?.left);
  const whole = pieces.reduce((sum, { left, right }) => sum + right - left, 0);
  assert.ok(Math.abs(whole - (1 - placeOn(axis, found.product))) < 1e-12);
  // One length stands for one ratio wherever it is.
  const [a, b] = [placeOn(axis, 0.8) - placeOn(axis, 0.4), placeOn(axis, 0.4) - placeOn(axis, 0.2)];
  assert.ok(Math.abs(a - b) < 1e-12);
});

test('the axis fits the smallest score, scores of 0 and scores above 1', () => {
  const small = parts({
    components: { propensity: 0.002, relevance: 1, impact: 1, emphasis: 1, fitMultiplier: 1 },
    exponents: { propensity: 1, relevance: 1, impact: 1, emphasis: 1 },
    score: 0.002,
  });
  assert.equal(axisFor([parts(), small]).least, 0.001);
  const nothing = parts({
    method: 'propensity',
    components: { propensity: 0, relevance: 1, impact: 1, emphasis: 1, fitMultiplier: 1 },
    score: 0,
  });
  assert.deepEqual(piecesOf(nothing, axisFor([nothing]))[0]?.left, 0);
  const large = parts({ method: 'priority_weighted', priority: 400, score: 4 });
  assert.equal(axisFor([large]).most, 10);
});

test('differences between two scores add up, and read as numbers', () => {
  const other = parts({
    offerId: 'b',
    score: 0.276892,
    components: { propensity: 0.5, relevance: 0.833333, impact: 0.5, emphasis: 0.5, fitMultiplier: 0.5 },
  });
  const differences = differencesOf(parts(), other);
  assert.ok(differences);
  assert.deepEqual(
    differences.map(({ name }) => name),
    ['fit', 'propensity', 'impact', 'emphasis', 'relevance'],
  );
  const whole = differences.reduce((sum, { share }) => sum + (share ?? 0), 0);
  assert.ok(Math.abs(whole - 1) < 1e-9);
  const percent = (share: number) => `${Math.round(share * 100)} %`;
  const text = rivalText({ name: 'A', parts: parts() }, { name: 'B', parts: other }, percent);
  assert.equal(
    text,
    'A scored 106 % higher than B: fit 100 % higher, propensity 18 % lower, impact 19 % higher, emphasis 3 % higher and relevance 2 % higher.',
  );
  assert.match(
    rivalText({ name: 'B', parts: other }, { name: 'A', parts: parts() }, percent),
    /^B scored 51 % lower than A: fit 50 % lower/,
  );
  assert.equal(
    rivalText({ name: 'A', parts: parts() }, { name: 'C', parts: parts() }, percent),
    'A and C scored the same.',
  );
});

test("doesn't compare scores of different methods by factors", () => {
  const other = parts({ method: 'propensity', score: 0.3 });
  assert.equal(differencesOf(parts(), other), null);
  assert.match(rivalText({ name: 'A', parts: parts() }, { name: 'B', parts: other }, String), /different methods/);
});

test('offers the best, the neighbors and the selected offer as rivals', () => {
  const story = (at: number): OfferStory => ({
    offerId: `o${at}`,
    name: null,
    fate: at === 0 ? 'shown' : 'lost',
    rank: at === 0 ? 1 : null,
    place: at + 1,
    score: row({ offerId: `o${at}`, rank: at + 1 }),
    shown: null,
    dropped: null,
    gates: null,
  });
  const offers = Array.from({ length: 2_000 }, (_, at) => story(at));
  const blocked: OfferStory = { ...story(9_999), fate: 'blocked', score: null };
  const ids = (own: string, chosen: string | null = null) => {
    const { offered, further } = rivalsOf(own, [...offers, blocked], chosen);
    assert.equal(offered.length + further, own === 'o9999' ? 2_000 : 1_999);
    return offered.map(({ offerId }) => offerId);
  };
  assert.ok(ids('o0').length < 100 && ids('o0')[0] === 'o1', 'not with itself');
  assert.ok(ids('o1000').includes('o999') && ids('o1000').includes('o1001') && !ids('o1000').includes('o1000'));
  assert.ok(!ids('o1000').includes('o1500') && ids('o1000', 'o1500').includes('o1500'));
  assert.ok(ids('o9999').includes('o0'), 'one that was not scored stands beside none');
  assert.deepEqual(rivalsOf('o0', offers.slice(0, 3), null).further, 0);
  const [first, second, third] = offers;
  assert.ok(first && second && third);
  assert.equal(defaultRival(first, offers), second, 'the winner with the next');
  assert.equal(defaultRival(third, offers), first, 'others with the winner');
  assert.equal(defaultRival(first, [first]), null);
  for (const own of [first, third]) {
    const usual = defaultRival(own, offers)?.offerId ?? '';
    assert.ok(ids(own.offerId).includes(usual), 'the usual one can be seen in the choice');
  }
});
