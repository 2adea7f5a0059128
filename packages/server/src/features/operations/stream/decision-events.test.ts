import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDecisionEvents, type DecisionMade, eventsOf } from './decision-events.ts';

const id = (n: number) => `0190a000-0000-7000-8000-0000000000${String(n).padStart(2, '0')}`;
const at = new Date('2026-11-20T05:10:00.007Z');

const made = (change: Partial<DecisionMade>): DecisionMade => ({
  id: id(1),
  requestId: id(1),
  customerId: 'C-1',
  decisionFlowKey: 'main',
  configVersion: 7,
  channel: null,
  placement: null,
  items: [],
  ...change,
});
const item = (offer: number, rank: number, change: object = {}) => ({
  offerId: id(offer),
  creativeId: id(20),
  channelId: id(30),
  rank,
  score: 0.1 + 0.2,
  selection: { probability: 1 },
  effect: 'impress' as const,
  ...change,
});

/** As the database returns the row. */
function stored(decisions: readonly DecisionMade[], events?: string) {
  const batch = createDecisionEvents();
  for (const decision of decisions) batch.add(decision);
  const packed = batch.packed();
  return { tenantId: id(99), createdAt: at, events: events ?? packed.events, ...packed.lanes };
}

test('unpacks packed events unchanged, and counts lanes once', () => {
  const decisions = [
    made({
      channel: 'email',
      placement: 'Top "1"',
      items: [item(10, 1), item(11, 2, { score: 1e-7, selection: { probability: 0.25 } })],
    }),
    made({
      id: id(2),
      requestId: id(3),
      customerId: 'Zoë "O\'Neil" \\ 😀 \u2028x',
      items: [item(10, 1), item(12, 2, { creativeId: null, channelId: null, effect: 'reserve' })],
    }),
    made({ id: id(4), requestId: id(4) }),
  ];
  const row = stored(decisions);
  assert.deepEqual(row.offerIds, [id(10), id(11), id(12)]);
  assert.deepEqual(row.impressions, [2, 1, 0]);
  const expected = decisions.map((decision) => ({
    id: decision.id,
    type: 'decision.made.v1',
    tenantId: id(99),
    timestamp: '2026-11-20T05:10:00.007Z',
    payload: {
      requestId: decision.requestId,
      recommendationId: decision.id,
      customerId: decision.customerId,
      decisionFlowKey: 'main',
      configVersion: 7,
      channel: decision.channel,
      placement: decision.placement,
      offersReturned: decision.items.length,
      items: decision.items.map(({ offerId, rank, score, selection, creativeId, channelId, effect }) => ({
        offerId,
        rank,
        score,
        selectionProbability: selection.probability,
        creativeId,
        channelId,
        impression: effect === 'impress',
      })),
    },
  }));
  assert.deepEqual(
    eventsOf(row).map((text) => JSON.parse(text ?? 'null')),
    expected,
  );
  assert.deepEqual(eventsOf(row), eventsOf(row));
});

test('the bytes of an event are stable', () => {
  const row = stored([made({ channel: 'email', items: [item(10, 1)] })]);
  assert.equal(row.events, `[[1,"${id(1)}",0,"C-1","main",7,"email",null,[0,1,0.30000000000000004,1]]]`);
  assert.deepEqual(eventsOf({ ...row, channelIds: [id(30)] }), [
    `{"id":"${id(1)}","type":"decision.made.v1","tenantId":"${id(99)}","timestamp":"2026-11-20T05:10:00.007Z",` +
      `"payload":{"requestId":"${id(1)}","recommendationId":"${id(1)}","customerId":"C-1","decisionFlowKey":"main",` +
      `"configVersion":7,"channel":"email","placement":null,"offersReturned":1,"items":[{"offerId":"${id(10)}","rank":1,` +
      `"score":0.30000000000000004,"selectionProbability":1,"creativeId":"${id(20)}","channelId":"${id(30)}","impression":true}]}}`,
  ]);
});

test('reads whole and packed events, and rejects an unknown format', () => {
  const whole = '{"id":"x","type":"interaction.recorded.v1","payload":{"a":1}}';
  assert.deepEqual(eventsOf(stored([], `[${whole}]`)), [whole]);
  assert.throws(() => eventsOf(stored([], '[[2,"x"]]')), /form 2/);
});
