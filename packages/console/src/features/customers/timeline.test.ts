import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DecisionListRow } from '@arbiter/contract/deciding/decision-lists';
import type { InteractionRow } from '@arbiter/contract/deciding/interaction-lists';
import { byDay, timelineOf } from './timeline.ts';

const at = (minute: number) => `2026-11-20T12:${String(minute).padStart(2, '0')}:00.000Z`;
const decision = (minute: number): DecisionListRow => ({
  requestId: `q${minute}`,
  recommendationId: `d${minute}`,
  traceId: null,
  customerId: 'C1',
  source: 'recommend',
  decidedAt: at(minute),
  flow: { id: 'f', key: 'base', version: 1 },
  configVersion: 1,
  channelId: null,
  itemCount: 1,
  emptyReason: null,
  explored: false,
  minProbability: 1,
  topOffer: null,
});
const interaction = (minute: number, interactionType: InteractionRow['interactionType'], recorded = minute) =>
  ({
    id: `i${minute}`,
    customerId: 'C1',
    offerId: 'o',
    creativeId: null,
    channelId: null,
    placementId: null,
    interactionType,
    outcomeTypeKey: interactionType === 'response' ? 'click' : null,
    classification: 'neutral',
    direction: 'outbound',
    recommendationId: null,
    rank: null,
    campaignId: null,
    journeyId: null,
    conversionValue: null,
    context: null,
    attributes: null,
    timestamp: at(minute),
    createdAt: at(recorded),
    offer: null,
    creative: null,
  }) satisfies InteractionRow;
const suppression = {
  id: 's1',
  scope: 'offer',
  scopeId: 'o',
  offerName: 'Latte',
  policyType: 'outcome_based',
  policyId: null,
  reason: 'dismiss',
  triggerCount: 1,
  createdAt: at(9),
  expiresAt: at(59),
  isActive: true,
} as const;
const whole = <Row>(...rows: Row[]) => ({ rows, complete: true });
const part = <Row>(...rows: Row[]) => ({ rows, complete: false });
const keys = (timeline: ReturnType<typeof timelineOf>) => timeline.entries.map(({ key }) => key);

test('all lists are one, newest first; at one instant what followed stands above', () => {
  const timeline = timelineOf(
    whole(decision(9), decision(3)),
    whole(interaction(9, 'response'), interaction(4, 'impression')),
    [suppression],
  );
  assert.deepEqual(keys(timeline), ['s1', 'i9', 'd9', 'i4', 'd3']);
  assert.deepEqual(
    timeline.entries.map(({ kind }) => kind),
    ['suppression', 'outcome', 'decision', 'contact', 'decision'],
  );
  assert.equal(timeline.since, null);
});

test('what is older than the end of a list that goes on waits', () => {
  const timeline = timelineOf(
    part(decision(9), decision(5)),
    whole(interaction(6, 'response'), interaction(4, 'response')),
    [],
  );
  assert.deepEqual(keys(timeline), ['d9', 'i6', 'd5']);
  assert.equal(timeline.since, at(5));
  assert.deepEqual(keys(timelineOf(part(), whole(interaction(4, 'response')), [])), ['i4'], 'an empty list has no end');
});

test('history ends where it was recorded last, not where it happened last', () => {
  const timeline = timelineOf(whole(decision(9), decision(2)), part(interaction(1, 'response', 8)), []);
  assert.deepEqual(keys(timeline), ['d9']);
});

test('a running cooldown is no event of its own', () => {
  assert.deepEqual(keys(timelineOf(whole(), whole(), [{ ...suppression, id: null, policyType: 'cooldown' }])), []);
});

test('days keep the order of their entries', () => {
  const { entries } = timelineOf(whole(decision(9), decision(8), decision(1)), whole(), []);
  const days = byDay(entries, (instant) => (instant < at(5) ? 'a' : 'b'));
  assert.deepEqual(
    days.map(({ day, entries: of }) => [day, of.map(({ key }) => key)]),
    [
      ['b', ['d9', 'd8']],
      ['a', ['d1']],
    ],
  );
});
