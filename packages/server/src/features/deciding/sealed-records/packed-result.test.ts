import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Decision,
  type DecisionItem,
  itemTexts,
  planRefs,
  readResultText,
  resultText,
  type Snapshot,
  unpackResult,
} from '@arbiter/engine';
import { resultHash } from './packed-result.ts';

const rows = (...ids: string[]) => ids.map((id) => ({ id }));
const numbers = (...ids: string[]) => new Map(ids.map((id, at) => [id, at]));
const refs = planRefs(
  {
    offers: rows('o1', 'o2'),
    creatives: rows('c1', 'c2'),
    channels: rows('ch'),
    placements: rows('p'),
  } as unknown as Snapshot,
  { offer: numbers('o1', 'o2'), creative: numbers('c1', 'c2') },
);

const item = (over: Partial<DecisionItem>): DecisionItem => ({
  rank: 1,
  placementRank: null,
  offerId: 'o2',
  creativeId: 'c1',
  channelId: 'ch',
  placementId: null,
  effect: 'impress',
  mandatory: false,
  priority: 70,
  score: 0.123456789,
  scoreComponents: { propensity: 0.5, relevance: 1, impact: 0.25, emphasis: 0.7, fitMultiplier: 1 },
  modelKey: null,
  modelType: null,
  propensitySource: 'offer_blend',
  selection: { probability: 1, estimated: false, explored: false, method: 'topN' },
  content: { subject: 'left out' },
  personalization: { rate: 1 },
  ...over,
});

const summary = {
  candidateCount: 9,
  mandatoryCount: 1,
  afterCreatives: 8,
  afterQualification: 7,
  afterSuppression: 7,
  afterContactPolicy: 6,
  afterScoring: 6,
  finalCount: 2,
  computeErrors: 0,
  channelCoupling: [],
  slateProbability: 1,
  droppedByReason: {},
  warnings: [],
};

const plain: Decision = {
  items: [
    item({}),
    item({
      rank: 2,
      creativeId: null,
      channelId: null,
      placementId: 'p',
      placementRank: 1,
      effect: 'reserve',
      mandatory: true,
      modelKey: 'm',
      modelType: 'scorecard',
      selection: { probability: 0.25, estimated: true, explored: true, method: 'thompson', draws: 1000 },
    }),
  ],
  placementResults: null,
  properties: {},
  emptyReason: null,
  controlGroup: false,
  degradedScoring: false,
  models: null,
  variant: null,
  experiments: null,
  slateProbability: 1,
  explored: false,
  minProbability: 1,
  subFlows: null,
  draws: null,
  assignment: { creative: [1, 1], experiment: null, holdout: null },
  summary,
  withheldByQuota: 0,
  policyBlocks: { frequency_cap: 1 },
  policyErrors: 0,
  responseFormat: 'standard',
  includeFields: [],
  trace: null,
};

test('keeps the result to the last digit, without what follows from plan and inputs', () => {
  for (const decision of [
    plain,
    {
      ...plain,
      items: [],
      assignment: { ...plain.assignment, creative: [] },
      emptyReason: 'qualify',
      summary: { ...summary, droppedByReason: { qualification: 9 } },
    },
    {
      ...plain,
      controlGroup: true,
      degradedScoring: true,
      slateProbability: 0.5,
      properties: { a: 1 },
      assignment: { creative: [0.5, 1], experiment: null, holdout: 0.1 },
      placementResults: [{ placementId: 'p', placementName: 'P', channelId: 'ch', items: [1], emptyReason: null }],
      summary: { ...summary, slateProbability: 0.5, warnings: ['w'] },
    },
    {
      ...plain,
      slateProbability: 0.0125,
      explored: true,
      minProbability: 0.05,
      summary: { ...summary, slateProbability: 0.0125 },
      draws: [
        { offerId: 'o2', creativeId: 'c1', probability: 0.05, estimated: false, explored: true },
        { offerId: 'o1', creativeId: null, probability: 0.25, estimated: true, explored: false, draws: 20 },
      ],
    },
    { ...plain, subFlows: [] },
    {
      ...plain,
      subFlows: [
        { key: 'called', version: 3 },
        { key: 'draft', version: null },
      ],
    },
  ] as Decision[]) {
    const {
      trace: _t,
      responseFormat: _f,
      includeFields: _i,
      withheldByQuota: _w,
      policyBlocks: _b,
      explored: _e,
      minProbability: _p,
      draws,
      subFlows,
      policyErrors: _q,
      models: _m,
      variant: _v,
      experiments: _x,
      ...expected
    } = decision;
    const unpacked = unpackResult(readResultText(resultText(decision, refs)), refs);
    const items = expected.items.map(({ content: _c, personalization: _p, ...kept }) => kept);
    const calls = subFlows === null ? {} : { subFlows };
    assert.deepEqual(unpacked, { ...expected, items, ...(draws === null ? {} : { draws }), ...calls });
  }
});

test('a typical record stays below the size that is compressed', () => {
  assert.ok(resultText(plain, refs).length < 400);
});

test('the hash covers the result and what is shown, but not how objects were built', () => {
  const hashOf = (decision: Decision): string =>
    resultHash(resultText(decision, refs), itemTexts(decision)).toString('hex');
  const first = plain.items[0]!;
  const variants: Decision[] = [
    { ...plain, items: [{ ...first, content: { subject: 'other' } }, plain.items[1]!] },
    { ...plain, items: [{ ...first, personalization: { rate: 2 } }, plain.items[1]!] },
    { ...plain, items: [{ ...first, score: 0.12345678900000003 }, plain.items[1]!] },
    { ...plain, items: [plain.items[1]!, first] },
    { ...plain, properties: { a: null } },
    { ...plain, assignment: { ...plain.assignment, creative: [1, 0.5] } },
  ];
  assert.equal(new Set([plain, ...variants].map(hashOf)).size, variants.length + 1);
  const twin = { ...first, content: Object.freeze({ z: 1, a: [1, { y: 2, b: null }] }) };
  const again = { ...first, content: { a: [1, { b: null, y: 2 }], z: 1 } };
  assert.equal(hashOf({ ...plain, items: [twin] }), hashOf({ ...plain, items: [again] }), 'order of members');
});

test("rejects a number that JSON can't hold", () => {
  const broken = { ...plain, items: [item({ score: Number.NaN })] };
  assert.throws(() => resultText(broken, refs), RangeError);
});
