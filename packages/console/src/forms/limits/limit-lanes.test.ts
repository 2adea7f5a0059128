import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type LimitSources, limitLanes, windowOf } from './limit-lanes.ts';

const berlin = 'Europe/Berlin';
const now = Date.parse('2026-11-26T11:00:00.000Z');
const iso = (at: number | undefined) => (at === undefined ? null : new Date(at).toISOString());
const span = (detail: unknown, at = now) => {
  const window = windowOf(detail, at, berlin);
  return window === null ? null : [iso(window.at), iso(window.until)];
};

test('starts a pause at the contact that the policy names', () => {
  assert.deepEqual(span({ cooldownHours: 24, hoursSinceLast: 1.5 }), [
    '2026-11-26T09:30:00.000Z',
    '2026-11-27T09:30:00.000Z',
  ]);
  assert.deepEqual(span({ suppressForDays: 7, daysSince: 2, lastOutcome: 'dismiss' }), [
    '2026-11-24T11:00:00.000Z',
    '2026-12-01T11:00:00.000Z',
  ]);
});

test('counts caps in days, weeks and months of the zone, and in rolling windows', () => {
  const cap = { max: 3, actual: 3 };
  assert.deepEqual(span({ ...cap, period: 'daily' }), ['2026-11-25T23:00:00.000Z', '2026-11-26T23:00:00.000Z']);
  assert.deepEqual(span({ ...cap, period: 'weekly' }), ['2026-11-22T23:00:00.000Z', '2026-11-29T23:00:00.000Z']);
  assert.deepEqual(span({ ...cap, period: 'monthly' }), ['2026-10-31T23:00:00.000Z', '2026-11-30T23:00:00.000Z']);
  assert.deepEqual(span({ ...cap, windowDays: 7 }), ['2026-11-19T11:00:00.000Z', '2026-11-26T11:00:00.000Z']);
  assert.deepEqual(span({ ...cap, windowHours: 2 }), ['2026-11-26T09:00:00.000Z', '2026-11-26T11:00:00.000Z']);
});

test('gives the day of a clock change its true length', () => {
  const [from, until] = span({ max: 1, actual: 1, period: 'daily' }, Date.parse('2026-10-25T10:00:00Z')) ?? [];
  assert.equal((Date.parse(until ?? '') - Date.parse(from ?? '')) / 3_600_000, 25);
});

test("has no window for a limit that time doesn't end", () => {
  for (const detail of [
    null,
    'x',
    {},
    { max: 3, actual: 3, period: 'alltime' },
    { excludeSegments: ['a'] },
    { cooldownHours: '24', hoursSinceLast: 1 },
  ]) {
    assert.equal(span(detail), null, JSON.stringify(detail));
  }
});

const policy = (policyId: string, policyName: string, detail: unknown) => ({
  policyId,
  policyName,
  ruleType: 'cooldown',
  blocked: true,
  reason: null,
  detail,
});

const offer = (policies: readonly ReturnType<typeof policy>[]): LimitSources['report']['offers'][number] => ({
  offerId: 'o1',
  offerName: 'Gold Birthday Drink',
  categoryId: null,
  subCategoryId: null,
  priority: 1,
  eligible: false,
  primaryReason: 'contact_policy',
  rank: null,
  score: null,
  scheduleBlocked: false,
  qualificationPassed: true,
  qualification: [],
  contactPolicyBlocked: true,
  policies: policies as LimitSources['report']['offers'][number]['policies'],
  creativeCount: 1,
});

const sources = (more: Partial<LimitSources> = {}): LimitSources => ({
  report: { evaluatedAt: new Date(now).toISOString(), offers: [] },
  contacts: [],
  reservations: [],
  suppressions: [],
  channels: new Map([
    ['c1', 'Email'],
    ['c2', 'App'],
  ]),
  timeZone: berlin,
  write: (instant) => instant,
  ...more,
});

test('groups contacts by channel, draws open reservations as rings, and each blocking policy once', () => {
  const contact = (id: string, channelId: string | null, timestamp: string, recommendationId: string | null) => ({
    id,
    channelId,
    timestamp,
    recommendationId,
    offer: { id: 'o1', name: 'Gold Birthday Drink', status: 'active' },
  });
  const pause = policy('p1', 'Email cooldown', { cooldownHours: 24, hoursSinceLast: 2 });
  const chart = limitLanes(
    sources({
      report: {
        evaluatedAt: new Date(now).toISOString(),
        offers: [offer([pause]), offer([pause, policy('p2', 'Nobody', { dncSource: 'segment' })])],
      },
      contacts: [
        contact('i2', 'c1', '2026-11-26T09:00:00.000Z', 'd1'),
        contact('i1', 'c1', '2026-11-20T09:00:00.000Z', null),
        contact('i0', 'c1', '2026-09-20T09:00:00.000Z', 'd0'),
      ],
      reservations: [
        {
          id: 'r1',
          offerId: 'o1',
          creativeId: null,
          channelId: 'c2',
          state: 'open',
          createdAt: '2026-11-26T10:00:00.000Z',
          expiresAt: '2026-11-26T12:00:00.000Z',
        },
        {
          id: 'r0',
          offerId: 'o1',
          creativeId: null,
          channelId: 'c2',
          state: 'released',
          createdAt: '2026-11-26T10:00:00.000Z',
          expiresAt: '2026-11-26T12:00:00.000Z',
        },
      ],
    }),
  );
  assert.deepEqual(
    chart.lanes.map(({ name, events }) => [name, events.map(({ key }) => key)]),
    [
      ['App', ['r1']],
      ['Email', ['i1', 'i2']],
      ['Email cooldown', ['p1']],
    ],
  );
  const [app, email, cooldown] = chart.lanes;
  assert.equal(app?.events[0]?.open, true);
  assert.deepEqual(
    email?.events.map(({ drill }) => 'to' in drill && drill.to),
    [false, '/decisions/d1'],
  );
  assert.deepEqual([cooldown?.events[0]?.bracket, chart.contacts, chart.limits], [true, 3, 1]);
  assert.ok(chart.from <= Date.parse('2026-11-20T09:00:00.000Z') && chart.to >= (cooldown?.events[0]?.until ?? 0));
});

test("draws active suppressions as bars; one without an end doesn't stretch the chart", () => {
  const row = {
    id: 's1',
    scope: 'global' as const,
    scopeId: 'all',
    offerName: null,
    policyType: 'manual' as const,
    policyId: null,
    reason: 'complained',
    triggerCount: 1,
    createdAt: '2026-11-25T09:00:00.000Z',
    expiresAt: '9999-12-31T00:00:00.000Z',
    isActive: true,
  };
  const chart = limitLanes(
    sources({ suppressions: [row, { ...row, id: 's0', expiresAt: '2026-11-25T10:00:00.000Z' }] }),
  );
  assert.deepEqual(
    chart.lanes.map(({ events }) => events.map(({ key }) => key)),
    [['s1']],
  );
  assert.ok(chart.to - now <= 2 * 86_400_000 + 1, 'as far ahead as there is behind, two days at least');
});
