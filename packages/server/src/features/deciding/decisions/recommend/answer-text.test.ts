import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Decision, type DecisionItem, itemTexts, type Plan } from '@arbiter/engine';
import { type AnswerFacts, shapeAnswer } from './answer.ts';
import { answerText } from './answer-text.ts';

const offers = new Map([
  [
    'o1',
    {
      name: 'A "quoted" offer\n',
      shortDesc: 'short',
      description: '\u2028 é \\',
      categoryId: 'cat',
      subCategoryId: 'sub',
      productType: 'loan',
      metadata: { z: [1, { a: null }], 'key"': 'ü' },
    },
  ],
  [
    'o2',
    {
      name: 'B',
      shortDesc: '',
      description: '',
      categoryId: null,
      subCategoryId: null,
      productType: null,
      metadata: {},
    },
  ],
]);

const plan = {
  flow: { id: 'f', key: 'flow "1"', version: 3 },
  names: {
    offer: (id: string) => offers.get(id),
    creative: (id: string) => (id === 'c1' ? { name: 'Crea', templateType: 'email', abTestVariant: null } : undefined),
    channel: (id: string) => (id === 'ch' ? { name: 'Mail', channelType: 'email' } : undefined),
    placement: (id: string) => (id === 'p' ? { name: 'Top' } : undefined),
    category: () => ({ name: 'Cat' }),
    subCategory: () => ({ name: 'Sub' }),
  },
} as unknown as Plan;

const item = (over: Partial<DecisionItem>): DecisionItem => ({
  rank: 1,
  placementRank: null,
  offerId: 'o1',
  creativeId: 'c1',
  channelId: 'ch',
  placementId: 'p',
  effect: 'impress',
  mandatory: false,
  priority: 70,
  score: 0.123456789,
  scoreComponents: { propensity: 1 / 3, relevance: 1, impact: 1e-9, emphasis: -0, fitMultiplier: 1 },
  modelKey: null,
  modelType: null,
  propensitySource: 'offer_blend',
  selection: { probability: 0.3333333333, estimated: false, explored: true, method: 'topN' },
  content: Object.freeze({ subject: 'Hi </script> \ud800', deep: { b: 1, a: [true, null] } }),
  personalization: { rate: 1.5, _errors: [{ key: 'x' }] },
  ...over,
});

const decision: Decision = {
  items: [
    item({}),
    item({
      rank: 2,
      placementRank: 1,
      offerId: 'o2',
      creativeId: null,
      channelId: null,
      placementId: null,
      effect: 'reserve',
      mandatory: true,
      modelKey: 'm"',
      modelType: 'scorecard',
      content: {},
      personalization: {},
    }),
  ],
  placementResults: null,
  properties: { b: 1, a: { y: 'ß', x: [] } },
  emptyReason: null,
  controlGroup: false,
  degradedScoring: true,
  models: null,
  variant: null,
  experiments: null,
  slateProbability: 0.11111111,
  explored: false,
  minProbability: 1,
  subFlows: null,
  draws: null,
  assignment: { creative: [1, 1], experiment: null, holdout: null },
  summary: {
    candidateCount: 9,
    mandatoryCount: 1,
    afterCreatives: 8,
    afterQualification: 7,
    afterSuppression: 7,
    afterContactPolicy: 6,
    afterScoring: 6,
    finalCount: 2,
    computeErrors: 1,
    channelCoupling: [
      {
        channelId: 'ch',
        mode: 'atomic',
        source: 'flow',
        cascaded: true,
        emptyPlacements: ['p'],
        suppressedPlacements: [],
      },
    ],
    slateProbability: 0.11111111,
    droppedByReason: { qualification: 1, cut: 2 },
    warnings: ['careful "here"'],
  },
  withheldByQuota: 0,
  policyBlocks: null,
  policyErrors: 0,
  responseFormat: 'standard',
  includeFields: [],
  trace: null,
};

const facts: AnswerFacts = {
  requestId: '0198d2a4-0000-7000-8000-000000000001',
  recommendationId: '0198d2a4-0000-7000-8000-000000000000',
  interactionIds: ['i1', 'i2'],
  customerId: 'C "1" \u0007',
  anonymous: false,
  known: true,
  asked: { channel: 'email', channelId: null, placement: 'top "left"' },
  now: Date.UTC(2026, 10, 20),
  configVersion: 12,
  configAgeMs: 3,
  evidenceAgeMs: 4,
  profileAgeMs: 0,
  durationMs: 5,
  stages: null,
  traceId: null,
  reservationExpiresAt: () => '2026-11-21T00:00:00.000Z',
  dryRun: false,
  debug: false,
  schemaWarnings: [],
  quota: null,
};

const cases: readonly (readonly [string, Decision, AnswerFacts])[] = [
  ['items', decision, facts],
  ['nothing', { ...decision, items: [], emptyReason: 'qualify', controlGroup: true, properties: {} }, facts],
  ['dry run', decision, { ...facts, dryRun: true, recommendationId: null, interactionIds: null }],
  ['sampled', decision, { ...facts, traceId: 't', anonymous: true, known: false }],
  ['playground', decision, { ...facts, quota: { limit: 5000, used: 5000, remaining: 0, truncated: true } }],
  ['minimal', { ...decision, responseFormat: 'minimal' }, facts],
  ['chosen fields', { ...decision, includeFields: ['score'] }, facts],
  [
    'grouped',
    {
      ...decision,
      placementResults: [{ placementId: 'p', placementName: 'Top', channelId: 'ch', items: [1, 0], emptyReason: null }],
    },
    facts,
  ],
];

for (const [name, made, about] of cases) {
  test(`the text assembled from pieces equals the serialized response: ${name}`, () => {
    const text = answerText(plan, made, about, itemTexts(made));
    const shaped = shapeAnswer(plan, made, about);
    assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(shaped)));
    const order = (value: unknown): string[] => Object.keys(JSON.parse(JSON.stringify(value)) as object);
    assert.deepEqual(order(JSON.parse(text)), order(shaped), 'in the same order');
    assert.equal(answerText(plan, made, about, itemTexts(made)), text, 'again, from the pieces that are kept');
  });
}
