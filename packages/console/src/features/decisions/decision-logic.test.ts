import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyReasons } from '@arbiter/engine';
import { dropTexts } from '../../messages/drops.ts';
import { compareFunnels, compareOffers, valueDifferences } from './differences.ts';
import { dropDetail, emptyText, reasonText, stageName } from './drops.ts';
import { explainRecord, explainSimulated, explainTrace } from './explained.ts';
import { funnelOf, shareOf } from './funnel.ts';
import { countFates, groupByReason, offersOf } from './offers.ts';

const stage = (
  name: string,
  candidates: number,
  passed: number,
  dropped: object = {},
  nodeId: string | null = name,
) => ({
  ...{ stage: name, nodeId, candidates, passed, topScore: null, method: null, dropped, warnings: [], durationMs: 1 },
});
const score = (offerId: string, value: number, rank: number) => ({
  ...{ offerId, score: value, rank, method: 'propensity', exponents: null, creativeWeight: 100, priority: 50 },
  components: { propensity: value, relevance: 1, impact: 1, emphasis: 0.5, fitMultiplier: 1 },
  evidence: { positives: 18, negatives: 42, maturity: 'maturing' },
  ...{ modelKey: null, modelType: null, propensitySource: 'offer', shadowScores: {} },
});
const drop = (offerId: string, name: string, reason: string, detail: object = {}, ids: object = {}) => ({
  ...{ offerId, offerName: name, stage: 'qualify', nodeId: 'qualify', reason, ruleId: null, policyId: null, detail },
  ...ids,
});
const selection = { probability: 0.9, estimated: false, explored: false, method: 'topN' };

const trace = {
  pipeline: [
    stage('inventory', 5, 5),
    stage('match_creatives', 5, 5),
    stage('qualify', 5, 3, { qualification: 2 }),
    stage('suppression', 3, 3, {}, null),
    stage('score', 3, 3),
    stage('rank', 3, 1, { cut: 2 }),
    stage('compute', 1, 1),
  ],
  selectedOffers: [{ offerId: 'a', offerName: 'Apple', rank: 1, score: 0.5, creativeId: 'k', selection }],
  scoringResults: [score('a', 0.5, 1), score('b', 0.4, 2), score('c', 0.3, 3)],
  dropped: [
    drop('d', 'Date', 'qualification', { actual: 4 }, { ruleId: 'r1' }),
    drop('e', 'Elder', 'qualification', { actual: 4 }, { ruleId: 'r1' }),
    drop('b', 'Berry', 'cut', {}, { stage: 'rank', nodeId: 'rank' }),
    drop('c', 'Cherry', 'cut', {}, { stage: 'rank', nodeId: 'rank' }),
  ],
  qualificationResults: [
    {
      offerId: 'd',
      ruleId: 'r1',
      ruleName: 'Lapsed',
      ruleType: 'attribute_condition',
      stage: 'fit',
      status: 'failed',
      passed: false,
      detail: { actual: 4 },
    },
    {
      offerId: 'a',
      ruleId: 'r2',
      ruleName: 'Likes it',
      ruleType: 'attribute_condition',
      stage: 'match',
      status: 'failed',
      passed: false,
      penalty: 0.5,
      detail: {},
    },
  ],
  contactPolicyResults: [
    {
      offerId: 'a',
      policyId: 'p1',
      policyName: 'Cap',
      ruleType: 'frequency_cap',
      status: 'overridden',
      blocked: false,
      overriddenBy: 'p2',
      detail: null,
    },
  ],
  suppressionResults: [],
  summary: { candidateCount: 5, mandatoryCount: 0, finalCount: 1, slateProbability: 0.9, droppedByReason: { cut: 2 } },
  totalDurationMs: 3,
};

test('a trace tells of every offer once, the shown first, the blocked last', () => {
  const explained = explainTrace(trace);
  assert.equal(explained.origin, 'trace');
  const offers = offersOf(explained);
  assert.deepEqual(
    offers.map(({ name, fate, rank, place }) => [name, fate, rank, place]),
    [
      ['Apple', 'shown', 1, 1],
      ['Berry', 'lost', null, 2],
      ['Cherry', 'lost', null, 3],
      ['Date', 'blocked', null, null],
      ['Elder', 'blocked', null, null],
    ],
  );
  assert.deepEqual(countFates(offers), { shown: 1, lost: 2, blocked: 2 });
  const gates = offers[0]?.gates?.map(({ kind, status, name, penalty, overriddenBy }) => [
    kind,
    status,
    name,
    penalty,
    overriddenBy,
  ]);
  assert.deepEqual(gates, [
    ['rule', 'lowered', 'Likes it', 0.5, null],
    ['policy', 'overridden', 'Cap', null, 'p2'],
  ]);
});

test('what left is grouped by why, with the name of the gate', () => {
  const groups = groupByReason(offersOf(explainTrace(trace)));
  assert.deepEqual(
    groups.map(({ reason, gateName, offers }) => [reason, gateName, offers.length]),
    [
      ['cut', null, 2],
      ['qualification', 'Lapsed', 2],
    ],
  );
});

test('the funnel tells the stages that matter, and where offers left', () => {
  const steps = funnelOf(explainTrace(trace));
  assert.deepEqual(
    steps.map(({ key, count, left }) => [key, count, left]),
    [
      ['all', 5, 0],
      ['match_creatives:match_creatives', 5, 0],
      ['qualify:qualify', 3, 2],
      ['suppression', 3, 0],
      ['score:score', 3, 0],
      ['rank:rank', 1, 2],
      ['shown', 1, 0],
    ],
  );
  assert.equal(shareOf(steps[2]!, steps), 0.6);
  assert.deepEqual(steps[2]?.reasons, [{ reason: 'qualification', count: 2 }]);
  assert.deepEqual(funnelOf({ ...explainTrace(trace), stages: [] }), []);
});

test('rows of an older server lack newer fields and are read all the same', () => {
  const bare = explainTrace({
    selectedOffers: [{ offerId: 'a', rank: 1 }],
    scoringResults: [{ offerId: 'a', score: 0.5 }],
  });
  const [first] = offersOf(bare);
  assert.deepEqual([first?.name, first?.score?.components, first?.score?.method], [null, null, null]);
  assert.deepEqual(bare.summary.warnings, []);
});

test('arrays that were cut are announced', () => {
  const many = { ...trace, dropped: Array.from({ length: 500 }, (_, at) => drop(`o${at}`, 'x', 'cut')) };
  assert.deepEqual(explainTrace(many).cut, ['dropped']);
  assert.deepEqual(explainTrace(trace).cut, []);
});

test('an answer of simulate and a sealed record tell as much as they know', () => {
  const simulated = explainSimulated({
    decisions: [{ offerId: 'a', offerName: 'Apple', rank: 1, score: 0.5, selection }],
    meta: { stages: trace.pipeline, dropped: trace.dropped, scores: trace.scoringResults, warnings: [] },
    trace: { summary: trace.summary },
  });
  assert.equal(simulated.gates, null);
  assert.equal(offersOf(simulated).length, 5);
  const record = explainRecord({
    items: [{ offerId: 'a', rank: 1, score: 0.5, scoreComponents: score('a', 0.5, 1).components, selection }],
    summary: trace.summary,
  });
  assert.deepEqual([record.origin, offersOf(record).map(({ fate }) => fate)], ['record', ['shown']]);
  assert.equal(record.scores[0]?.components?.propensity, 0.5);
});

test('every reason of the engine has words, and an unknown one is shown as it was sent', () => {
  for (const reason of emptyReasons) assert.notEqual(emptyText(reason).title, reason, reason);
  for (const reason of Object.keys(dropTexts)) assert.notEqual(reasonText(reason).title, reason, reason);
  assert.equal(reasonText('of_tomorrow').title, 'of_tomorrow');
  assert.equal(emptyText('of_tomorrow').title, 'of_tomorrow');
  assert.equal(stageName('call_flow:telco-save/qualify'), 'Qualified (telco-save)');
  assert.equal(stageName('of_tomorrow'), 'of_tomorrow');
});

test('a drop tells its cause, its suppression, its least score, or that the answer used the limit up', () => {
  const write = { number: String, instant: (text: string) => text, offer: String, segment: String };
  const [row] = explainTrace(trace).dropped;
  assert.ok(row);
  const detailOf = (over: Partial<typeof row>) => dropDetail({ ...row, ...over }, write);
  assert.equal(detailOf({ reason: 'schedule', detail: { cause: 'ended' } }), 'has ended');
  assert.equal(detailOf({ reason: 'min_score', detail: { score: 0.1, minScore: 0.2 } }), '0.1, at least 0.2');
  assert.equal(
    detailOf({ reason: 'suppressed', detail: { scope: 'offer', reason: 'dismissed', expiresAt: 'T' } }),
    'this offer, until T: dismissed',
  );
  assert.match(detailOf({ stage: 'admission', reason: 'contact_policy' }) ?? '', /used up/);
  assert.equal(detailOf({}), null);
});

test('two decisions side by side: gained, lost, moved, another reason, the rest', () => {
  const after = {
    ...trace,
    selectedOffers: [{ offerId: 'b', offerName: 'Berry', rank: 1, score: 0.6, selection }],
    scoringResults: [score('b', 0.6, 1), score('a', 0.5, 2), score('c', 0.3, 3)],
    dropped: [
      drop('a', 'Apple', 'cut', {}, { stage: 'rank', nodeId: 'rank' }),
      drop('c', 'Cherry', 'cut', {}, { stage: 'rank', nodeId: 'rank' }),
      drop('d', 'Date', 'schedule', { cause: 'ended' }),
      drop('e', 'Elder', 'qualification', { actual: 4 }, { ruleId: 'r1' }),
    ],
  };
  const rows = compareOffers(explainTrace(trace), explainTrace(after));
  assert.deepEqual(
    rows.map(({ name, change }) => [name, change]),
    [
      ['Berry', 'gained'],
      ['Apple', 'lost'],
      ['Date', 'reason'],
      ['Cherry', 'same'],
      ['Elder', 'same'],
    ],
  );
  const same = compareOffers(explainTrace(trace), explainTrace(trace));
  assert.ok(same.every(({ change }) => change === 'same'));
});

test('funnels are compared step by step, also with steps of one alone', () => {
  const after = {
    ...trace,
    pipeline: [...trace.pipeline.slice(0, 3), stage('filter', 3, 2, { filter: 1 }), ...trace.pipeline.slice(3)],
  };
  const steps = compareFunnels(explainTrace(trace), explainTrace(after));
  const filter = steps.findIndex(({ key }) => key === 'filter:filter');
  assert.deepEqual(steps[filter], { key: 'filter:filter', stage: 'filter', a: null, b: 2 });
  assert.equal(steps[filter - 1]?.stage, 'qualify');
});

test('values differ at the deepest place that does', () => {
  assert.deepEqual(valueDifferences({ a: 1, b: { c: [1, 2] }, 'x/y': 1 }, { a: 1, b: { c: [1, 3, 4] }, 'x/y': 2 }), [
    { path: '/b/c/1', a: 2, b: 3 },
    { path: '/b/c/2', a: undefined, b: 4 },
    { path: '/x~1y', a: 1, b: 2 },
  ]);
  assert.deepEqual(valueDifferences({ a: [{}] }, { a: [{}] }), []);
});
