import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ErasureScope, RecommendAnswer, RespondAnswer, ScopedErasureAnswer } from '@arbiter/contract';
import { features } from '../../../main/features.ts';
import { tablesHolding } from '../../../main/test-dump.ts';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';
import { importLines } from '../../deciding/history-import/test-import.ts';
import { createOutboxDispatcher } from '../stream/index.ts';

/** Erasure and scoped delete of customers (docs/design/quality.md E20, T25). */

let now = Date.parse('2026-11-20T09:00:00Z');
let server: TestServer;
const ids = { email: '', desk: '', offer: '', schema: '', visits: '', segment: '' };

const text = (name: string, more: object = {}) => ({ name, displayName: name, dataType: 'text', ...more });
const key = (name: string) => text(name, { dataType: 'varchar', length: 255, isPrimaryKey: true, isNullable: false });

before(async () => {
  server = await startTestServer({ tenants: 2, clock: { now: () => now } });
  const traced = { decisionTraceEnabled: true, decisionTraceSampleRate: 1 };
  assert.equal((await server.call('PUT', '/api/v1/tenant-settings', { body: traced })).status, 200);
  ids.email = await server.create('channels', { name: 'Email', channelType: 'email' });
  ids.desk = await server.create('channels', { name: 'Desk', channelType: 'phone', impressionMode: 'explicit' });
  ids.offer = await server.create('offers', { name: 'Card', status: 'active' });
  for (const channelId of [ids.email, ids.desk]) {
    await server.create('creatives', { name: `by ${channelId}`, offerId: ids.offer, channelId, status: 'active' });
  }
  ids.schema = await server.create('schemas', {
    name: 'people',
    displayName: 'People',
    schemaType: 'customer',
    autoEnrich: true,
    fields: [key('customer_id'), text('first_name'), text('city')],
  });
  ids.visits = await server.create('schemas', {
    name: 'visits',
    displayName: 'Visits',
    schemaType: 'event',
    linkedSchemaId: ids.schema,
    joinMapping: { parentField: 'customer_id', childField: 'client' },
    fields: [key('visit_id'), text('client', { dataType: 'varchar', length: 255 }), text('page')],
  });
  ids.segment = await server.create('segments', {
    name: 'Berliners',
    status: 'active',
    baseSchemaId: ids.schema,
    joins: [],
    filters: [{ field: 'city', operator: 'eq', value: 'Berlin' }],
  });
});
after(() => server?.close());

const rowsOf = <Row = Record<string, unknown>>(statement: string, ...values: unknown[]) =>
  server.testDatabase.ownerQuery<Row>(statement, values);

const erase = (customerId: string, scope: ErasureScope | null, more: object = {}) =>
  server.call<ScopedErasureAnswer & { code?: string }>(
    'DELETE',
    `/api/v1/customers/${encodeURIComponent(customerId)}/data${scope === null ? '' : `?scope=${scope}`}`,
    { headers: { 'x-confirm-delete': Buffer.from(customerId).toString('latin1') }, ...more },
  );
const erasePlainly = (customerId: string) =>
  server.call<ScopedErasureAnswer>('DELETE', `/api/v1/customers/${encodeURIComponent(customerId)}`);

async function recommend(customerId: string, more: object = {}): Promise<RecommendAnswer> {
  const {
    status,
    body,
    text: told,
  } = await server.call<RecommendAnswer>('POST', '/api/v1/recommend', {
    body: { customerId, channel: 'email', ...more },
  });
  assert.equal(status, 200, told);
  return body;
}

const respond = (body: object, headers: Record<string, string> = {}) =>
  server.call<RespondAnswer & { code?: string }>('POST', '/api/v1/respond', { body, headers });

const importLine = (line: object) => importLines(server, [line]);

let plants = 0;

/** Everything that the product stores of customers today, once. */
async function plant(customerId: string) {
  plants += 1;
  const person = { customer_id: customerId, first_name: `Name of ${customerId}`, city: 'Berlin' };
  // A customer that an earlier test row named has a row already.
  const planted = await server.call('POST', `/api/v1/schemas/${ids.schema}/data`, { body: { rows: [person] } });
  assert.ok([201, 409].includes(planted.status), planted.text);
  await server.call('POST', `/api/v1/schemas/${ids.visits}/data`, {
    body: { rows: [{ visit_id: `visit of ${customerId}`, client: customerId, page: 'home' }] },
  });
  assert.equal((await server.call('GET', `/api/v1/schemas/${ids.schema}/stats`)).status, 200);
  const requestId = crypto.randomUUID();
  const decided = await recommend(customerId, {
    requestId,
    attributes: { note: `Attribute of ${customerId}` },
    context: { page: `Context of ${customerId}` },
  });
  const [item] = decided.decisions;
  assert.ok(item);
  const click = { recommendationId: item.recommendationId, rank: 1, outcome: 'click' };
  const keyed = { 'idempotency-key': `click-${plants}` };
  const about = { context: { page: `Answer of ${customerId}` }, attributes: { note: `Told of ${customerId}` } };
  assert.equal((await respond({ ...click, ...about }, keyed)).status, 200);
  const reserved = await recommend(customerId, { channel: 'phone' });
  assert.ok(reserved.decisions[0]?.reservation);
  const suppression = { customerId, scope: 'offer', scopeId: ids.offer, reason: `Because of ${customerId}` };
  const suppressed = { ...suppression, durationHours: 1 };
  const made = await server.call('POST', '/api/v1/suppressions', { body: suppressed });
  assert.equal(made.status, 201, made.text);
  const line = { key: `line of ${customerId}`, customerId, outcome: 'dismiss', offerId: ids.offer };
  const imported = await importLine({ ...line, timestamp: new Date(now - 1).toISOString() });
  assert.equal(imported.imported, 1);
  await rowsOf(
    `insert into arbiter.dead_letters (tenant_id, id, topic, payload, error, retry_count, failed_at)
     values ($1, gen_random_uuid(), 'a.topic', jsonb_build_object('items', jsonb_build_array(jsonb_build_object('customerId', $2::text))), 'x', 0, now())`,
    server.tenants[0].id,
    customerId,
  );
  await rowsOf(
    `insert into arbiter.interaction_summaries (tenant_id, customer_id, day, offer_id, direction, impressions, positive, negative,
       neutral, converts, total_value) values ($1, $2, '2020-01-01', $3, 'outbound', 3, 0, 0, 0, 0, 0)`,
    server.tenants[0].id,
    customerId,
    ids.offer,
  );
  // Members are stored only for watched segments, and no segment is watched yet.
  await rowsOf(
    `with taken as (insert into arbiter.segment_snapshots (tenant_id, segment_id, taken_at) values ($1, $2, now()) on conflict do nothing)
     select 1`,
    server.tenants[0].id,
    ids.segment,
  );
  await rowsOf(
    'insert into arbiter.segment_members (tenant_id, segment_id, customer_id) values ($1, $2, $3)',
    server.tenants[0].id,
    ids.segment,
    customerId,
  );
  return { requestId, decided, item, click, keyed, line };
}

test('after `everything`, a dump of the database contains nothing of the customer', async () => {
  const customerId = 'canary-Zoë "7"-xkcd';
  const planted = await plant(customerId);
  const before = await tablesHolding(server, 'xkcd');
  for (const table of ['customer_states', 'customer_suppressions', 'decision_traces', 'outbox', 'response_keys']) {
    assert.ok(before.includes(`arbiter.${table}`), `${table} held the customer: ${before}`);
  }
  assert.ok(before.some((name) => name.endsWith('.ds_people')) && before.some((name) => name.endsWith('.ds_visits')));
  const summaries = await server.call<{ data: { periodType: string }[] }>(
    'GET',
    `/api/v1/interaction-summaries?customerId=${encodeURIComponent(customerId)}`,
  );
  const daily = summaries.body.data.filter(({ periodType }) => periodType === 'daily');
  assert.equal(daily.length, 4, summaries.text);
  now += 1_000;
  const { status, body, text: told } = await erase(customerId, 'everything');
  assert.equal(status, 200, told);
  assert.deepEqual(body.counts, {
    interactionHistory: 3,
    interactionSummaries: 4,
    experimentAssignments: 0,
    impressions: 1,
    decisionTraces: 2,
    sealedRecords: 2,
    suppressions: 1,
    metricValues: 0,
    segmentMemberships: 1,
    schemaRows: 2,
    events: body.counts.events,
    deliveries: 0,
    journeyEnrollments: 0,
    deadLetters: 1,
  });
  assert.ok((body.counts.events ?? 0) >= 3, 'two decisions and a response, and what the schema told');
  assert.equal(
    body.total,
    Object.values(body.counts).reduce((sum: number, n) => sum + (n ?? 0), 0),
  );
  assert.deepEqual(await tablesHolding(server, 'xkcd'), []);

  // Nothing that is repeated or comes late brings the customer back.
  const late = { customerId, offerId: ids.offer, outcome: 'click', timestamp: new Date(now - 1).toISOString() };
  assert.equal((await respond(late)).status, 404);
  assert.equal((await respond(planted.click, planted.keyed)).status, 404);
  assert.equal((await respond({ ...planted.click, outcome: 'dismiss' })).status, 404);
  assert.equal((await respond({ interactionId: planted.item.interactionId, outcome: 'click' })).status, 404);
  const again = await importLine({ ...planted.line, key: 'another', timestamp: new Date(now - 1).toISOString() });
  assert.deepEqual([again.imported, again.rejected, again.errors[0]?.code], [0, 1, 'not_found']);
  const repeated = await server.call('POST', '/api/v1/recommend', {
    body: { customerId, channel: 'email', requestId: planted.requestId },
  });
  assert.deepEqual([repeated.status, repeated.body.code], [409, 'inputs_unavailable']);
  await publish();
  assert.deepEqual(await tablesHolding(server, 'xkcd'), []);

  // The record stays, without inputs.
  const record = await server.call('GET', `/api/v1/decisions/${planted.requestId}`);
  assert.deepEqual(
    [
      record.body.inputsState,
      record.body.customerId,
      record.body.result,
      record.body.inputsHash,
      record.body.resultHash,
    ],
    ['erased', null, null, null, null],
  );
  const explained = await server.call('GET', `/api/v1/decisions/${planted.requestId}?include=explanation`);
  assert.deepEqual([explained.status, explained.body.explanation], [200, null]);
  const [kept] = await rowsOf<{ bytes: number }>(
    'select octet_length(result_hash)::int as bytes from arbiter.decisions where request_id = $1',
    planted.requestId,
  );
  assert.equal(kept?.bytes, 0, 'what was rendered for the customer cannot be guessed by its hash');
  const replay = await server.call('POST', `/api/v1/decisions/${planted.requestId}/replay`, { body: {} });
  assert.deepEqual([replay.status, replay.body.code], [409, 'inputs_unavailable']);
  const listed = await server.call<{ data: { customerId: string | null; requestId: string }[] }>(
    'GET',
    '/api/v1/decisions',
  );
  assert.equal(listed.body.data.find(({ requestId }) => requestId === planted.requestId)?.customerId, null);

  // A second call: 200 with zeros.
  const second = await erase(customerId, 'everything');
  assert.deepEqual([second.status, second.body.total], [200, 0]);
  assert.deepEqual(await tablesHolding(server, 'xkcd'), []);

  // What happens later makes a new customer.
  now += 1_000;
  assert.equal((await respond({ ...late, timestamp: new Date(now).toISOString() })).status, 200);
  assert.ok((await tablesHolding(server, 'xkcd')).includes('arbiter.customer_states'));
});

test('every table that identifies customers is erased, or says why not', async () => {
  const handled = new Set(features.flatMap(({ erases }) => erases.flatMap(({ tables }) => tables)));
  const otherwise: Record<string, string> = {
    customer_states: 'the erasure itself resets the row, changes its key or deletes it',
    customer_erasures: 'holds a keyed hash only',
    segments: 'counts customers',
    campaign_runs: 'counts customers',
  };
  const columns = await rowsOf<{ table: string; column: string }>(
    `select c.relname as table, a.attname as column from pg_attribute a join pg_class c on c.oid = a.attrelid
     join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'arbiter' and c.relkind in ('r', 'p') and not c.relispartition and a.attnum > 0
       and not a.attisdropped and a.attname like '%customer%'`,
  );
  const named = [...new Set(columns.map(({ table }) => table))];
  assert.ok(named.length >= 10, String(named));
  const forgotten = named.filter((table) => !handled.has(table) && otherwise[table] === undefined);
  assert.deepEqual(forgotten, [], 'say in the feature of these tables what erases a customer (`erases`)');
});

test('each scope deletes what it names, and nothing else', async () => {
  const facts = async (customerId: string) => {
    const count = async (table: string) =>
      (
        await rowsOf<{ n: number }>(
          `select count(*)::int as n from arbiter.${table} where customer_id = $1`,
          customerId,
        )
      )[0]!.n;
    const [state] = await rowsOf<{ ref: string; state: Buffer }>(
      'select ref, state from arbiter.customer_states where customer_id = $1',
      customerId,
    );
    const [erasures] = await rowsOf<{ n: number }>('select count(*)::int as n from arbiter.customer_erasures');
    return {
      history: (await count('interactions')) + (await count('decision_impressions')),
      sums: await count('interaction_summaries'),
      traces: await count('decision_traces'),
      suppressions: await count('customer_suppressions'),
      ref: state?.ref,
      isReset: state?.state.length === 0,
      erasures: erasures!.n,
    };
  };
  const run = async (customerId: string, act: () => Promise<{ status: number; text: string }>) => {
    const { requestId } = await plant(customerId);
    const before = await facts(customerId);
    now += 1_000;
    const { status, text: told } = await act();
    assert.equal(status, 200, told);
    const behind = await facts(customerId);
    const replay = await server.call('POST', `/api/v1/decisions/${requestId}/replay`, { body: {} });
    return {
      history: behind.history > 0,
      sums: behind.sums > 0,
      traces: behind.traces > 0,
      suppressions: behind.suppressions > 0,
      rekeyed: before.ref !== behind.ref,
      reset: behind.isReset,
      noted: behind.erasures - before.erasures,
      replay: replay.status,
    };
  };
  assert.deepEqual(await run('S-1', () => erase('S-1', 'interactions')), {
    history: false,
    sums: false,
    traces: true,
    suppressions: true,
    rekeyed: false,
    reset: true,
    noted: 0,
    replay: 200,
  });
  assert.deepEqual(await run('S-2', () => erase('S-2', 'traces')), {
    history: true,
    sums: true,
    traces: false,
    suppressions: true,
    rekeyed: true,
    reset: false,
    noted: 0,
    replay: 409,
  });
  const all = {
    history: false,
    sums: false,
    traces: false,
    suppressions: true,
    rekeyed: true,
    reset: true,
    noted: 1,
    replay: 409,
  };
  assert.deepEqual(await run('S-3', () => erase('S-3', 'all')), all);
  assert.deepEqual(await run('S-4', () => erase('S-4', null)), all, '`all` is the default');
  // Suppressions that stay still act.
  assert.equal((await recommend('S-4')).count, 0);
  assert.deepEqual(await run('S-5', () => erasePlainly('S-5')), {
    ...all,
    traces: true,
    rekeyed: false,
    replay: 200,
  });
});

test("the tenant's figures stay, even when they're recounted", async () => {
  const figures = () =>
    rowsOf(
      `select day::text, direction, sum(impressions)::int as impressions, sum(positive)::int as positive,
         sum(negative)::int as negative from arbiter.daily_totals where tenant_id = $1 group by 1, 2 order by 1, 2`,
      server.tenants[0].id,
    );
  await plant('F-1');
  await plant('F-2');
  await publish();
  await plant('F-3');
  // Of F-3 nothing was counted yet when it is erased.
  for (const customerId of ['F-1', 'F-3']) assert.equal((await erase(customerId, 'all')).status, 200);
  await publish();
  const counted = await figures();
  const { id: tenantId } = server.tenants[0];
  assert.equal((await server.call('POST', '/api/v1/admin/cache')).status, 200);
  const facts = { jobId: '1', attempt: 1, dueAt: null, signal: new AbortController().signal };
  await server.jobs.get('totals.recount')!.run({}, facts, tenantId);
  const anew = await figures();
  // The sums beside history, which the test has put there for each customer, were never counted before.
  const [sums, ...others] = anew;
  assert.deepEqual([sums?.day, sums?.impressions], ['2020-01-01', 3 * plants]);
  assert.deepEqual(others, counted);
});

async function publish(): Promise<void> {
  await createOutboxDispatcher(server.database, server.outboxPath, {
    zoneOf: async () => 'UTC',
    pause: async () => undefined,
    stopped: () => false,
  }).drain();
}

test('the confirmation is the id, byte for byte', async () => {
  const composed = 'Zo\u00eb';
  const decomposed = 'Zoe\u0308';
  const path = `/api/v1/customers/${encodeURIComponent(composed)}/data`;
  const latin = (id: string) => Buffer.from(id).toString('latin1');
  const send = (confirm: string | null, url = path) =>
    server.call<{ code?: string }>('DELETE', url, confirm === null ? {} : { headers: { 'x-confirm-delete': confirm } });
  for (const wrong of [
    null,
    '',
    latin('zo\u00eb'),
    latin(decomposed),
    `${latin(composed)}x`,
    encodeURIComponent(composed),
  ]) {
    const { status, body } = await send(wrong);
    assert.deepEqual([status, body.code], [400, 'confirmation_mismatch'], String(wrong));
  }
  assert.equal((await send(latin(composed))).status, 200);
  // Exactly one decode.
  assert.equal((await send('a%20b', '/api/v1/customers/a%2520b/data')).status, 200);
  assert.equal((await send('a b', '/api/v1/customers/a%2520b/data')).status, 400);
  for (const scope of ['ALL', '', 'all&scope=all']) {
    const { status } = await send(latin(composed), `${path}?scope=${scope}`);
    assert.equal(status, 400, scope);
  }
  const twice = await server.app.inject({
    method: 'DELETE',
    url: '/api/v1/customers/a%2C%20a/data',
    headers: {
      authorization: `Bearer ${server.tenants[0].keys.admin}`,
      'x-requested-with': 'x',
      'x-confirm-delete': ['a', 'a'],
    },
  });
  assert.equal(twice.statusCode, 400, twice.body);
});

test('audit rows name the customer by a keyed hash; only admins erase, and only their own customers', async () => {
  await plant('A-1');
  const { keys } = server.tenants[0];
  for (const forbidden of [keys.viewer, keys.editor]) {
    assert.equal((await erase('A-1', 'all', { key: forbidden })).status, 403);
    assert.equal((await server.call('DELETE', '/api/v1/customers/A-1', { key: forbidden })).status, 403);
  }
  const other = await erase('A-1', 'everything', { key: server.tenants[1]!.keys.admin });
  assert.deepEqual([other.status, other.body.total], [200, 0]);
  const hold = { dataClass: 'interactions', retentionDays: 30, legalHold: true };
  assert.equal((await server.call('POST', '/api/v1/admin/retention-configs', { body: hold })).status, 200);
  const { body } = await erase('A-1', 'all');
  assert.ok(body.total > 0 && body.legalHoldOverridden);
  const log = await server.call<{ data: { action: string; entityId: string; after: Record<string, unknown> }[] }>(
    'GET',
    '/api/v1/audit-logs?entityType=customer_data&limit=1',
  );
  const [row] = log.body.data;
  assert.equal(row?.action, 'erase');
  assert.match(row?.entityId ?? '', /^[0-9a-f]{64}$/);
  assert.deepEqual([row?.after.scope, row?.after.legalHoldOverridden, row?.after.total], ['all', true, body.total]);
  assert.ok(!log.text.includes('A-1'));
  assert.equal(
    (await server.call('POST', '/api/v1/admin/retention-configs', { body: { ...hold, legalHold: false } })).status,
    200,
  );
});

test('decisions, responses and imports during an erasure leave nothing from before', async () => {
  const customerId = 'race-canary';
  for (let round = 0; round < 12; round += 1) {
    const secret = `secret-of-round-${round}`;
    const person = { customer_id: customerId, first_name: secret, city: 'Berlin' };
    const made = await server.call('POST', `/api/v1/schemas/${ids.schema}/data`, { body: { rows: [person] } });
    assert.equal(made.status, 201, made.text);
    if (round % 2 === 0) await recommend(customerId);
    const before = new Date(now - 1).toISOString();
    await Promise.all([
      ...Array.from({ length: 8 }, () => recommend(customerId)),
      erase(customerId, 'everything').then(({ status, text: told }) => assert.equal(status, 200, told)),
      ...Array.from({ length: 4 }, () =>
        respond({ customerId, offerId: ids.offer, outcome: 'click', timestamp: before }),
      ),
      importLine({ key: `race-${round}`, customerId, outcome: 'click', offerId: ids.offer, timestamp: before }),
      erase(customerId, 'everything'),
      ...Array.from({ length: 8 }, () => recommend(customerId)),
    ]);
    const profile = await rowsOf(
      `select 1 from arbiter.interactions where customer_id = $1 and occurred_at < $2`,
      customerId,
      new Date(now),
    );
    assert.deepEqual(profile, [], 'an event from before the erasure came back');
    assert.deepEqual(await tablesHolding(server, secret), []);
    // Decisions that came after it are decided without the profile.
    const { body } = await server.call<{ data: { requestId: string; customerId: string | null }[] }>(
      'GET',
      `/api/v1/decisions?customerId=${customerId}&limit=100`,
    );
    for (const { requestId } of body.data) {
      const { body: record } = await server.call<{ inputs: { profile: unknown } | null }>(
        'GET',
        `/api/v1/decisions/${requestId}?include=inputs`,
      );
      assert.ok(!JSON.stringify(record).includes(secret), 'a record after the erasure knows the profile from before');
    }
    now += 10;
    assert.equal((await erase(customerId, 'everything')).status, 200);
    now += 10;
  }
});
