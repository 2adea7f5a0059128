import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RecommendAnswer } from '../deciding/recommendation.ts';
import { explainAnswer, explainRecord, explainTrace } from './explain.ts';
import { countFates, dropLine, groupByReason, offersOf } from './offers.ts';
import { funnelOf, shareOf } from './stages.ts';
import { blocked, outranked, score, selection, trace } from './test-trace.ts';
import { dropDetail, dropTexts, emptyText, reasonText, stageName } from './texts.ts';

const format = { number: String, instant: (text: string) => text };

test('lists every offer of a trace once: shown, then lost, then blocked', () => {
  const offers = offersOf(explainTrace(trace));
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
});

test('shows the gates of an offer, with match rules that lowered its score and blocks that were lifted', () => {
  const [first, ...others] = offersOf(explainTrace(trace));
  const gates = first?.gates?.map((gate) => [
    gate.kind,
    gate.status,
    gate.name,
    gate.kind === 'rule' ? gate.result.penalty : null,
    gate.kind === 'policy' ? gate.result.overriddenBy : null,
  ]);
  assert.deepEqual(gates, [
    ['rule', 'lowered', 'Likes it', 0.5, null],
    ['policy', 'overridden', 'Cap', null, 'p2'],
  ]);
  assert.deepEqual(others.find(({ name }) => name === 'Berry')?.gates, []);
});

test('groups dropped offers by reason, with the name of the gate', () => {
  const groups = groupByReason(offersOf(explainTrace(trace)));
  assert.deepEqual(
    groups.map(({ reason, gateName, offers }) => [reason, gateName, offers.length]),
    [
      ['cut', null, 2],
      ['qualification', 'Lapsed', 2],
    ],
  );
});

test('the funnel shows the stages that matter and where offers were dropped', () => {
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

test('says which lists reached their limit', () => {
  const many = { ...trace, dropped: Array.from({ length: 500 }, (_, at) => blocked(`o${at}`, 'x')) };
  assert.deepEqual(explainTrace(many).cut, ['dropped']);
  assert.deepEqual(explainTrace(trace).cut, []);
});

test('explains a simulated response without gates', () => {
  const answer = {
    ...{ channel: null, channelId: null, placement: null },
    decisions: [{ offerId: 'a', offerName: 'Apple', rank: 1, score: 0.5, selection }],
    meta: { stages: trace.pipeline, dropped: trace.dropped, scores: trace.scoringResults, warnings: [] },
    trace: { traceId: null, summary: trace.summary },
  };
  const explained = explainAnswer(answer as unknown as RecommendAnswer);
  assert.equal(explained.gates, null);
  assert.deepEqual(
    offersOf(explained).map(({ fate }) => fate),
    ['shown', 'lost', 'lost', 'blocked', 'blocked'],
  );
});

test('explains the items of a sealed record, and nothing about other offers', () => {
  const { components } = score('a', 0.5, 1);
  const item = {
    ...{ offerId: 'a', rank: 1, placementRank: null, score: 0.5, scoreComponents: components, selection },
    ...{
      creativeId: null,
      channelId: null,
      placementId: null,
      effect: 'impress' as const,
      mandatory: false,
      priority: 50,
    },
    ...{ modelKey: null, modelType: null, propensitySource: 'offer' as const },
  } as const;
  const explained = explainRecord({ items: [item], summary: trace.summary }, (id) => (id === 'a' ? 'Apple' : null));
  assert.deepEqual(
    offersOf(explained).map(({ name, fate }) => [name, fate]),
    [['Apple', 'shown']],
  );
  assert.equal(explained.scores[0]?.components.propensity, 0.5);
  assert.deepEqual([explained.gates, explained.summary.durationMs], [null, null]);
});

test('labels every drop reason, and shows unknown ones as they are', () => {
  for (const reason of Object.keys(dropTexts)) assert.notEqual(reasonText(reason).title, reason, reason);
  assert.equal(reasonText('of_tomorrow').title, 'of_tomorrow');
  assert.equal(emptyText('of_tomorrow').title, 'of_tomorrow');
  assert.equal(stageName('call_flow:telco-save/qualify'), 'Qualified (telco-save)');
  assert.equal(stageName('of_tomorrow'), 'of_tomorrow');
});

test('details a drop by its cause, its suppression or its minimum, or as used up by earlier items', () => {
  const place = { stage: 'inventory' };
  const detailOf = (row: Parameters<typeof dropDetail>[0]) => dropDetail(row, format);
  assert.equal(detailOf({ ...place, reason: 'schedule', detail: { cause: 'ended' } }), 'has ended');
  assert.equal(detailOf({ ...place, reason: 'min_score', detail: { score: 0.1, minScore: 0.2 } }), '0.1, at least 0.2');
  const propensity = { propensity: 0.3, minPropensity: 0.4 };
  assert.equal(detailOf({ ...place, reason: 'min_propensity', detail: propensity }), '0.3, at least 0.4');
  const suppression = { scope: 'offer', scopeId: 'o', reason: 'dismissed', expiresAt: 'T' } as const;
  assert.equal(detailOf({ ...place, reason: 'suppressed', detail: suppression }), 'this offer, until T: dismissed');
  const cap = { reason: 'cap', period: 'daily', max: 1, actual: 1 } as const;
  assert.match(detailOf({ stage: 'admission', reason: 'contact_policy', detail: cap }) ?? '', /used up/);
  assert.equal(detailOf({ stage: 'contact_policy', reason: 'contact_policy', detail: cap }), null);
  assert.equal(detailOf(outranked('b', 'Berry')), null);
});

test('explains a drop in one line: its detail, else what the gate says, else the text of the reason', () => {
  const lines = new Map(offersOf(explainTrace(trace)).map((story) => [story.name, dropLine(story, format)]));
  assert.equal(lines.get('Apple'), '');
  assert.equal(lines.get('Date'), 'age is 4, required gte 18');
  assert.equal(lines.get('Berry'), dropTexts.cut.text);
});
