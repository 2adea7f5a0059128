import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ImportAnswer, RecommendAnswer } from '@arbiter/contract';
import { systemActor } from '../../../db/index.ts';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';
import { createOutboxDispatcher } from '../../operations/stream/index.ts';
import { rebuildEvidence } from '../evidence/index.ts';
import { importLines } from './test-import.ts';

/** Import of history (docs/design/api-settled.md 9, 10, 110). */

const now = '2026-11-20T09:00:00Z';
let server: TestServer;
const ids = { channel: '', placement: '', category: '', offer: '', gone: '', creative: '' };

before(async () => {
  server = await startTestServer({ tenants: 2, clock: { now: () => Date.parse(now) } });
  ids.category = await server.create('categories', { name: 'Cards' });
  ids.channel = await server.create('channels', { name: 'Mail', channelType: 'email' });
  ids.placement = await server.create('placements', { name: 'Top', channelId: ids.channel });
  ids.offer = await server.create('offers', {
    name: 'Card',
    status: 'active',
    categoryId: ids.category,
    inventory: { totalStock: 10 },
  });
  const creative = { name: 'mail', offerId: ids.offer, channelId: ids.channel, placementId: ids.placement };
  ids.creative = await server.create('creatives', { ...creative, status: 'active' });
  ids.gone = await server.create('offers', { name: 'Old card', status: 'active' });
  assert.equal((await server.call('DELETE', `/api/v1/offers/${ids.gone}`)).status, 200);
});
after(() => server?.close());

const path = '/api/v1/interactions/import';
const headers = { 'content-type': 'application/x-ndjson', 'x-requested-with': 'test' };

async function post(text: string, key = server.tenants[0].keys.editor) {
  const answer = await server.app.inject({
    method: 'POST',
    url: path,
    headers: { ...headers, authorization: `Bearer ${key}` },
    payload: text,
  });
  return { status: answer.statusCode, body: answer.json<ImportAnswer & { code?: string }>(), text: answer.body };
}

let keys = 0;
const line = (more: object = {}) => ({
  key: `line-${++keys}`,
  customerId: 'C-1',
  outcome: 'click',
  offerId: ids.offer,
  timestamp: '2024-03-01T10:15:00Z',
  ...more,
});

const counts = ({ received, imported, duplicates, rejected }: ImportAnswer) => [
  received,
  imported,
  duplicates,
  rejected,
];

const rows = (customerId: string) =>
  server.testDatabase.ownerQuery<Record<string, unknown>>(
    `select * from arbiter.interactions where customer_id = $1 order by customer_seq`,
    [customerId],
  );

test('each line becomes a row of history at the time of its event, stored now, in file order', async () => {
  const answer = await importLines(server, [
    line({ customerId: 'H-1', outcome: 'impression', creativeId: ids.creative, offerId: undefined }),
    line({
      customerId: 'H-1',
      outcome: 'convert',
      offerId: ids.gone.toUpperCase(),
      channelId: ids.channel,
      placementId: ids.placement,
      campaignId: ids.category,
      direction: 'outbound',
      conversionValue: 12.5,
      currency: 'EUR',
      context: { page: 'x' },
      timestamp: '1970-01-01T00:00:00Z',
    }),
    line({ customerId: 'H-1', outcome: 'dismiss', timestamp: now }),
  ]);
  assert.deepEqual([...counts(answer), answer.errors], [3, 3, 0, 0, []]);
  const found = await rows('H-1');
  assert.deepEqual(
    found.map((row) => [
      row.interaction_type,
      row.outcome_key,
      row.classification,
      row.direction,
      row.offer_id,
      row.creative_id,
      row.channel_id,
      row.placement_id,
      (row.occurred_at as Date).toISOString(),
      row.resolved_by,
      row.customer_seq,
    ]),
    [
      [
        'impression',
        'impression',
        'neutral',
        'outbound',
        ids.offer,
        ids.creative,
        ids.channel,
        ids.placement,
        '2024-03-01T10:15:00.000Z',
        'import',
        1,
      ],
      [
        'response',
        'convert',
        'positive',
        'outbound',
        ids.gone,
        null,
        ids.channel,
        ids.placement,
        '1970-01-01T00:00:00.000Z',
        'import',
        2,
      ],
      [
        'response',
        'dismiss',
        'negative',
        'inbound',
        ids.offer,
        null,
        null,
        null,
        '2026-11-20T09:00:00.000Z',
        'import',
        3,
      ],
    ],
  );
  const [, second] = found;
  assert.deepEqual(
    [second?.campaign_id, Number(second?.conversion_value), second?.currency, second?.context, second?.category_id],
    [ids.category, 12.5, 'EUR', { page: 'x' }, null],
  );
  for (const row of found) assert.equal((row.created_at as Date).toISOString(), '2026-11-20T09:00:00.000Z');
  const list = await server.call<{ data: { customerId: string }[] }>(
    'GET',
    '/api/v1/interaction-history?customerId=H-1&from=1970-01-01&to=2024-12-31',
  );
  assert.equal(list.body.data.length, 2, list.text);
});

test('rejects only the wrong line, with its number, its path and a registered code', async () => {
  const long = 'x'.repeat(8_200);
  const unknown = '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b';
  const wrong: [object | string, string, string][] = [
    ['{"key":', '', 'malformed_json'],
    ['[]', '', 'validation_failed'],
    [`{"key":"${'x'.repeat(70_000)}"}`, '', 'validation_failed'],
    [line({ key: '' }), '/key', 'validation_failed'],
    [line({ key: 'x'.repeat(256) }), '/key', 'validation_failed'],
    [line({ customerId: ' C' }), '/customerId', 'validation_failed'],
    [line({ customerId: 'anonymous' }), '/customerId', 'validation_failed'],
    [line({ outcome: 'nothing' }), '/outcome', 'unknown_outcome'],
    [line({ offerId: undefined }), '/offerId', 'validation_failed'],
    [line({ offerId: 'C-1' }), '/offerId', 'validation_failed'],
    [line({ offerId: unknown }), '/offerId', 'reference_not_found'],
    [line({ creativeId: unknown }), '/creativeId', 'reference_not_found'],
    [line({ channelId: unknown }), '/channelId', 'reference_not_found'],
    [line({ placementId: unknown }), '/placementId', 'reference_not_found'],
    [line({ timestamp: undefined }), '/timestamp', 'validation_failed'],
    [line({ timestamp: '2024-03-01T10:15:00' }), '/timestamp', 'validation_failed'],
    [line({ timestamp: '1969-12-31T23:59:59.999Z' }), '/timestamp', 'validation_failed'],
    [line({ timestamp: '2026-11-20T09:00:00.001Z' }), '/timestamp', 'validation_failed'],
    [line({ direction: 'up' }), '/direction', 'validation_failed'],
    [line({ conversionValue: -1 }), '/conversionValue', 'validation_failed'],
    [line({ conversionValue: 1e12 + 1 }), '/conversionValue', 'validation_failed'],
    [line({ currency: 'eur' }), '/currency', 'validation_failed'],
    [line({ context: { long } }), '/context', 'validation_failed'],
  ];
  const good = line({ customerId: 'W-1', key: 'k'.repeat(255), conversionValue: 1e12, direction: null });
  // A blank line is no line, and counts as one in the numbers.
  const file = [wrong[0]![0], '', good, ' \t\r', ...wrong.slice(1).map(([each]) => each)];
  const answer = await importLines(server, file);
  assert.deepEqual(counts(answer), [wrong.length + 1, 1, 0, wrong.length]);
  assert.deepEqual(
    answer.errors.map(({ line: at, path: where, code }) => [at, where, code]),
    wrong.map(([, where, code], i) => [i === 0 ? 1 : i + 4, where, code]),
  );
  assert.equal((await rows('W-1')).length, 1);
  assert.ok(answer.errors.every(({ message }) => message.length > 0));
});

test('ignores a byte order mark before a file, but not before another line', async () => {
  const marked = (customerId: string) => `\ufeff${JSON.stringify(line({ customerId }))}`;
  const answer = await importLines(server, [marked('M-1'), marked('M-2')]);
  assert.deepEqual(counts(answer), [2, 1, 0, 1]);
  assert.deepEqual([(await rows('M-1')).length, (await rows('M-2')).length], [1, 0]);
  assert.deepEqual(counts(await importLines(server, ['\ufeff'])), [0, 0, 0, 0]);
});

test('a key is unique forever; repeating a file imports nothing; a rejected line leaves its key free', async () => {
  const file = [
    line({ key: 'same', customerId: 'K-1', outcome: 'nothing' }),
    line({ key: 'same', customerId: 'K-1' }),
    line({ key: 'same', customerId: 'K-1', outcome: 'dismiss' }),
    line({ key: 'other', customerId: 'K-2' }),
  ];
  assert.deepEqual(counts(await importLines(server, file)), [4, 2, 1, 1]);
  // What the lines say now does not matter: their keys were imported.
  assert.deepEqual(counts(await importLines(server, file)), [4, 0, 4, 0]);
  assert.equal((await rows('K-1')).length, 1);
  // The other tenant has keys of its own, and none of our offers.
  const other = await importLines(server, file, server.tenants[1]!.keys.editor);
  assert.deepEqual(counts(other), [4, 0, 0, 4]);
  assert.deepEqual([...new Set(other.errors.map(({ code }) => code))].sort(), [
    'reference_not_found',
    'unknown_outcome',
  ]);
  const stored = await server.testDatabase.ownerQuery<{ n: number }>(
    `select count(*)::int as n from arbiter.import_keys where octet_length(key_hash) = 32
       and key_hash not in (sha256('same'), sha256('other'))`,
  );
  assert.ok(stored[0]!.n >= 2, 'keys are stored as keyed hashes');
});

test('reports the first hundred errors, and counts all', async () => {
  const answer = await importLines(
    server,
    Array.from({ length: 101 }, () => line({ outcome: 'nothing' })),
  );
  assert.deepEqual([answer.rejected, answer.errors.length, answer.errors[99]?.line], [101, 100, 100]);
});

test('commits batches of a thousand lines one after the other, each with its audit row', async () => {
  const file = Array.from({ length: 2_001 }, (_, i) => line({ key: `bulk-${i}`, customerId: `B-${i % 50}` }));
  assert.deepEqual(counts(await importLines(server, file)), [2_001, 2_001, 0, 0]);
  const audit = await server.call<{ data: { entityType: string; after: unknown; entityId: string }[] }>(
    'GET',
    '/api/v1/audit-logs?action=import&limit=3',
  );
  assert.deepEqual(
    audit.body.data.map(({ entityType, after: told }) => [entityType, told]),
    [
      ['interaction', { imported: 1, firstLine: 2_001, lastLine: 2_001 }],
      ['interaction', { imported: 1_000, firstLine: 1_001, lastLine: 2_000 }],
      ['interaction', { imported: 1_000, firstLine: 1, lastLine: 1_000 }],
    ],
  );
  assert.equal(new Set(audit.body.data.map(({ entityId }) => entityId)).size, 1, 'one import');
  assert.equal((await rows('B-0')).at(-1)?.customer_seq, 41);
});

test('caps count imported impressions in the window of their event, and in no later one', async () => {
  const offerId = await server.create('offers', { name: 'Capped', status: 'active' });
  await server.create('contact-policies', {
    name: 'Twice a day',
    ruleType: 'frequency_cap',
    scope: 'offer',
    scopeId: offerId,

    status: 'active',
    config: { maxPerDay: 2, maxTotal: 4 },
  });
  const seen = (customerId: string, timestamp: string) =>
    line({ customerId, offerId, outcome: 'impression', timestamp });
  await importLines(server, [
    seen('P-1', '2026-11-20T00:00:00Z'),
    seen('P-1', '2026-11-20T08:00:00Z'),
    seen('P-2', '2026-11-19T23:59:59Z'),
    seen('P-2', '2026-11-20T08:00:00Z'),
    ...[1, 2, 3, 4].map((day) => seen('P-3', `2015-01-0${day}T00:00:00Z`)),
    ...[1, 2, 3].map((day) => seen('P-4', `2015-01-0${day}T00:00:00Z`)),
  ]);
  const shown = async (customerId: string) => {
    const { body, text } = await server.call<RecommendAnswer>('POST', '/api/v1/recommend', {
      body: { customerId, limit: 50 },
    });
    assert.ok(body.decisions, text);
    return body.decisions.some((item) => item.offerId === offerId);
  };
  assert.deepEqual([await shown('P-1'), await shown('P-2')], [false, true]);
  assert.deepEqual([await shown('P-3'), await shown('P-4')], [false, true], 'lifetime caps count years ago');
});

test('updates summaries, tenant figures, evidence and stock, but not the event stream', async () => {
  const offerId = await server.create('offers', { name: 'Counted', status: 'active', inventory: { totalStock: 3 } });
  const before = await streamLength();
  await importLines(server, [
    line({ customerId: 'S-1', offerId, outcome: 'impression', timestamp: '2024-02-29T23:30:00Z' }),
    line({ customerId: 'S-1', offerId, outcome: 'convert', conversionValue: 20, timestamp: '2024-03-01T00:30:00Z' }),
    line({ customerId: 'S-2', offerId, outcome: 'convert', conversionValue: 5, timestamp: '2026-11-19T00:30:00Z' }),
    line({ customerId: 'S-2', offerId, outcome: 'dismiss', timestamp: '2026-11-19T00:30:00Z' }),
  ]);
  const days = await server.call<{ data: { periodKey: string; impressions: number; converts: number }[] }>(
    'GET',
    '/api/v1/interaction-summaries?customerId=S-1&periodType=daily',
  );
  assert.deepEqual(
    days.body.data.map(({ periodKey, impressions, converts }) => [periodKey, impressions, converts]),
    [
      ['2024-03-01', 0, 1],
      ['2024-02-29', 1, 0],
    ],
  );
  const offer = await server.call<{ inventory: { remainingStock: number } }>('GET', `/api/v1/offers/${offerId}`);
  assert.equal(offer.body.inventory.remainingStock, 1);
  const { id: tenantId } = server.tenants[0];
  const evidence = await server.database.withTenant(tenantId, systemActor('test'), (tx) => rebuildEvidence(tx, null));
  assert.deepEqual(evidence.offers.get(offerId), [2, 1]);
  await publish();
  assert.equal(await streamLength(), before, 'no event');
  const totals = await server.testDatabase.ownerQuery<{ day: string; converts: number; total: number }>(
    `select day::text as day, sum(converts)::int as converts, sum(total_value)::float8 as total
     from arbiter.daily_totals where offer_id = $1 group by day order by day`,
    [offerId],
  );
  assert.deepEqual(totals, [
    { day: '2024-02-29', converts: 0, total: 0 },
    { day: '2024-03-01', converts: 1, total: 20 },
    { day: '2026-11-19', converts: 1, total: 5 },
  ]);
});

async function publish(): Promise<void> {
  await createOutboxDispatcher(server.database, server.outboxPath, {
    zoneOf: async () => 'UTC',
    pause: async () => undefined,
    stopped: () => false,
  }).drain();
}

async function streamLength(): Promise<number> {
  const { body } = await server.call<{ data: unknown[] }>(
    'GET',
    '/api/v1/events/stream?limit=200&topic=interaction.recorded.v1',
  );
  return body.data.length;
}

test("policies on outcomes suppress from the time of the event, if that isn't over yet", async () => {
  const offerId = await server.create('offers', { name: 'Disliked', status: 'active' });
  await server.create('contact-policies', {
    name: 'A week of peace',
    ruleType: 'outcome_based',
    scope: 'offer',
    scopeId: offerId,

    status: 'active',
    config: { afterOutcome: 'dismiss', suppressForDays: 7 },
  });
  await importLines(server, [
    line({ customerId: 'D-1', offerId, outcome: 'dismiss', timestamp: '2026-11-15T09:00:00Z' }),
    line({ customerId: 'D-2', offerId, outcome: 'dismiss', timestamp: '2026-11-13T09:00:00Z' }),
  ]);
  const ends = async (customerId: string) => {
    const { body } = await server.call<{ data: { expiresAt: string }[] }>(
      'GET',
      `/api/v1/customers/${customerId}/suppressions`,
    );
    return body.data.map(({ expiresAt }) => expiresAt);
  };
  assert.deepEqual([await ends('D-1'), await ends('D-2')], [['2026-11-22T09:00:00.000Z'], []]);
});

test('parallel imports and decisions for the same customers: all count, none waits forever', async () => {
  const customers = Array.from({ length: 30 }, (_, i) => `R-${i}`);
  const file = Array.from({ length: 1_500 }, (_, i) =>
    line({ key: `race-${i}`, customerId: customers[i % 30]!, outcome: 'impression' }),
  );
  const [answer, second] = await Promise.all([
    importLines(server, file),
    importLines(server, file),
    ...customers.map(async (customerId) => {
      const { status, text } = await server.call('POST', '/api/v1/recommend', { body: { customerId } });
      assert.equal(status, 200, text);
      const told = { customerId, offerId: ids.offer, outcome: 'click' };
      const responded = await server.call('POST', '/api/v1/respond', { body: told });
      assert.equal(responded.status, 200, responded.text);
    }),
  ]);
  assert.deepEqual([answer.imported + second.imported, answer.duplicates + second.duplicates], [1_500, 1_500]);
  assert.ok([answer.imported, second.imported].includes(0), 'the second waited for the whole of the first');
  const numbers = await server.testDatabase.ownerQuery<{ n: number; seqs: number; latest: number }>(
    `select count(*)::int as n, count(distinct customer_seq)::int as seqs,
       (select customer_seq::int from arbiter.customer_states where customer_id = 'R-7') as latest
     from (select customer_seq from arbiter.interactions where customer_id = 'R-7'
           union all select customer_seq from arbiter.decision_impressions where customer_id = 'R-7') rows`,
  );
  assert.deepEqual(numbers, [{ n: 52, seqs: 52, latest: 52 }]);
});

test('accepts only lines, and only from editors', async () => {
  const { keys: own } = server.tenants[0];
  assert.equal((await post(JSON.stringify(line()), own.viewer)).status, 403);
  assert.equal((await server.call('POST', path, { body: line() })).status, 415);
  assert.deepEqual(counts(await importLines(server, ['', '\n'])), [0, 0, 0, 0]);
});
