import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Operation, operation } from '@arbiter/contract';
import type { LightMyRequestResponse } from 'fastify';
import Type from 'typebox';
import { systemActor } from '../db/index.ts';
import { createTestDatabase, type TestDatabase } from '../db/test-database.ts';
import type { Tx } from '../db/tx.ts';
import { AppError } from '../platform/app-error.ts';
import { type Handlers, handlerEntries, reply } from './handler.ts';
import { createRateLimitStore } from './limits/rate-limit.ts';
import { createTestApp, keys, type TestApp, tenantA, tenantB } from './test-app.ts';

/**
 * Tests of rules that need a database: transactions, idempotency keys, rate limits. Effects are rows of
 * `catalogue_versions`.
 */

const Answer = Type.Unsafe<unknown>({ description: 'Anything.' });
const base = { tag: 'T', summary: 's', errors: [], audit: [], loadClass: 'crud', auth: 'credential' } as const;
const body = Type.Object(
  { name: Type.String({ description: 'Name.' }), how: Type.Optional(Type.String({ description: 'How.' })) },
  { description: 'Body.' },
);
const things = {
  create: operation({
    ...base,
    id: 'things.create',
    method: 'POST',
    path: '/things',
    role: 'editor',
    idempotent: true,
    body,
    responses: { 201: { description: 'Made.', schema: Answer } },
    transaction: 'tenant',
  }),
  other: operation({
    ...base,
    id: 'things.other',
    method: 'POST',
    path: '/others',
    role: 'editor',
    idempotent: true,
    body,
    responses: { 201: { description: 'Made.', schema: Answer } },
    transaction: 'tenant',
  }),
  limited: operation({
    ...base,
    id: 'things.limited',
    method: 'POST',
    path: '/limited',
    role: 'editor',
    body,
    rateLimits: [{ limit: 20, windowSeconds: 60, per: 'tenant' }],
    responses: { 200: { description: 'Done.', schema: Answer } },
    transaction: 'none',
  }),
  open: operation({
    ...base,
    id: 'things.open',
    method: 'POST',
    path: '/open',
    auth: 'none',
    role: null,
    body,
    rateLimits: [{ limit: 3, windowSeconds: 60, per: 'ip' }],
    responses: { 200: { description: 'Done.', schema: Answer } },
    transaction: 'none',
  }),
} satisfies Record<string, Operation>;

let kit: TestDatabase;
let made: TestApp;
let runs = 0;
let gate: Promise<void> = Promise.resolve();
const tries = new Map<string, number>();

async function effect(tx: Tx, how: string | undefined): Promise<void> {
  await tx.query(
    `insert into catalogue_versions (tenant_id, version) values ($1, 1)
       on conflict (tenant_id) do update set version = catalogue_versions.version + 1`,
    [tx.tenantId],
  );
  if (how === 'refuse') throw new AppError('limit_reached');
  if (how === 'answer 409') return;
  if (how === 'wait') await gate;
  if (how === 'race') {
    const count = (tries.get(tx.requestId) ?? 0) + 1;
    tries.set(tx.requestId, count);
    if (count < 3) throw new AppError('concurrent_modification', { cause: new Error('deadlock detected') });
  }
}

const create: Handlers<typeof things>['create'] = async (tx, request) => {
  runs += 1;
  await effect(tx, request.body.how);
  if (request.body.how === 'answer 409') return { status: 409 as 201, body: { status: 'conflict' } };
  return reply(201, { run: runs, name: request.body.name, text: 'ü' }, { location: '/things/1' });
};
const handlers: Handlers<typeof things> = {
  create,
  other: create,
  limited: async () => reply(200, {}),
  open: async () => reply(200, {}),
};

before(async () => {
  kit = await createTestDatabase();
  made = createTestApp({
    operations: things,
    handlers: new Map(handlerEntries(things, handlers)),
    database: kit.database,
    checkResponses: false,
  });
  for (const [id, name] of [
    [tenantA, 'A'],
    [tenantB, 'B'],
  ]) {
    await kit.ownerQuery('insert into arbiter.tenants (id, name) values ($1, $2)', [id, name]);
  }
});
after(async () => {
  await made.app.close();
  await kit.close();
});

async function effects(tenantId = tenantA): Promise<number> {
  const [row] = await kit.ownerQuery<{ version: string }>(
    'select version from arbiter.catalogue_versions where tenant_id = $1',
    [tenantId],
  );
  return Number(row?.version ?? 0);
}

function post(
  path: string,
  payload: Record<string, unknown>,
  headers: Record<string, string> = {},
  key = keys.editor,
): Promise<LightMyRequestResponse> {
  return made.app.inject({
    method: 'POST',
    url: path,
    headers: {
      authorization: `Bearer ${key}`,
      'x-requested-with': 'x',
      'content-type': 'application/json',
      ...headers,
    },
    payload: JSON.stringify(payload),
  });
}
const code = (response: LightMyRequestResponse) =>
  `${response.statusCode} ${response.json<{ code?: string }>().code ?? ''}`.trim();

describe('the transaction of an operation', () => {
  test('commits before the response', async () => {
    const before = await effects();
    assert.equal((await post('/things', { name: 'a' })).statusCode, 201);
    assert.equal(await effects(), before + 1);
  });
  test('rolls back for a 4xx, thrown or returned', async () => {
    const before = await effects();
    assert.equal(code(await post('/things', { name: 'a', how: 'refuse' })), '409 limit_reached');
    const answered = await post('/things', { name: 'a', how: 'answer 409' });
    assert.equal(answered.statusCode, 409);
    assert.deepEqual(answered.json(), { status: 'conflict' });
    assert.equal(await effects(), before);
  });
  test('runs again if the database aborts it in a race', async () => {
    const before = await effects();
    assert.equal((await post('/things', { name: 'a', how: 'race' })).statusCode, 201);
    assert.equal(await effects(), before + 1);
  });
});

describe('Idempotency-Key', () => {
  test('a repeat gets the first response, byte for byte, without effect', async () => {
    const before = await effects();
    const first = await post('/things', { name: 'a', how: 'x' }, { 'idempotency-key': 'k1' });
    const second = await post('/things', { how: 'x', name: 'a' }, { 'idempotency-key': 'k1' });
    assert.equal(first.headers['idempotent-replay'], undefined);
    assert.equal(second.headers['idempotent-replay'], 'true');
    assert.equal(second.statusCode, 201);
    assert.equal(second.body, first.body);
    assert.equal(second.headers.location, '/things/1');
    assert.equal(second.headers['content-type'], first.headers['content-type']);
    assert.notEqual(second.headers['x-request-id'], first.headers['x-request-id']);
    assert.equal(await effects(), before + 1);
  });
  test('another payload is 422', async () => {
    await post('/things', { name: 'a' }, { 'idempotency-key': 'k2' });
    const other = await post('/things', { name: 'b' }, { 'idempotency-key': 'k2' });
    assert.equal(code(other), '422 idempotency_key_reused');
  });
  test('the scope is tenant, credential and route', async () => {
    await post('/things', { name: 'a' }, { 'idempotency-key': 'k3' });
    const elsewhere = [
      await post('/others', { name: 'b' }, { 'idempotency-key': 'k3' }),
      await post('/things', { name: 'b' }, { 'idempotency-key': 'k3' }, keys.admin),
      await post('/things', { name: 'b' }, { 'idempotency-key': 'k3' }, keys.otherTenant),
    ];
    for (const response of elsewhere) {
      assert.equal(response.statusCode, 201);
      assert.equal(response.headers['idempotent-replay'], undefined);
    }
  });
  test('a rejected call stores nothing', async () => {
    const refused = await post('/things', { name: 'a', how: 'refuse' }, { 'idempotency-key': 'k4' });
    assert.equal(refused.statusCode, 409);
    const other = await post('/things', { name: 'b' }, { 'idempotency-key': 'k4' });
    assert.equal(other.statusCode, 201);
  });
  test('a parallel duplicate is 409 at once', async () => {
    let open: () => void = () => undefined;
    gate = new Promise((resolve) => {
      open = resolve;
    });
    const before = runs;
    const first = post('/things', { name: 'a', how: 'wait' }, { 'idempotency-key': 'k5' });
    const until = performance.now() + 20_000;
    while (runs === before) {
      assert.ok(performance.now() < until, 'the first call has not come to its handler');
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const twin = await post('/things', { name: 'a', how: 'wait' }, { 'idempotency-key': 'k5' });
    assert.equal(code(twin), '409 idempotency_in_progress');
    open();
    assert.equal((await first).statusCode, 201);
    const late = await post('/things', { name: 'a', how: 'wait' }, { 'idempotency-key': 'k5' });
    assert.equal(late.headers['idempotent-replay'], 'true');
  });
  test('200 parallel calls have one effect (R20)', async () => {
    const before = await effects();
    const all = await Promise.all(
      Array.from({ length: 200 }, () => post('/things', { name: 'a' }, { 'idempotency-key': 'k6' })),
    );
    assert.equal(await effects(), before + 1);
    const kinds = new Set(all.map(code));
    for (const kind of kinds) assert.ok(['201', '409 idempotency_in_progress', '503 overloaded'].includes(kind), kind);
    assert.ok(kinds.has('201'));
  });
  test('parallel repeats of an answered call all get its response', async () => {
    const first = await post('/things', { name: 'a' }, { 'idempotency-key': 'k9' });
    const call = (name: string) => post('/things', { name }, { 'idempotency-key': 'k9' });
    const repeats = await Promise.all(Array.from({ length: 60 }, () => call('a')));
    for (const repeat of repeats) assert.deepEqual([code(repeat), repeat.body], ['201', first.body]);
    const others = await Promise.all(Array.from({ length: 60 }, () => call('b')));
    for (const other of others) assert.equal(code(other), '422 idempotency_key_reused');
  });
  test('a response older than seven days counts as absent, and is deleted', async () => {
    await post('/things', { name: 'a' }, { 'idempotency-key': 'k7' });
    await post('/things', { name: 'a' }, { 'idempotency-key': 'k8' });
    await kit.ownerQuery(
      "update arbiter.idempotency_keys set created_at = now() - interval '8 days' where key in ('k7', 'k8')",
    );
    const again = await post('/things', { name: 'b' }, { 'idempotency-key': 'k7' });
    assert.equal(again.statusCode, 201);
    const left = await kit.ownerQuery("select 1 from arbiter.idempotency_keys where key = 'k8'");
    assert.equal(left.length, 0);
  });
});

describe('rate limits (T19, R13)', () => {
  test('1,000 parallel calls over two stores: exactly 20', async () => {
    const stores = [createRateLimitStore(kit.database, 20_000), createRateLimitStore(kit.database, 20_000)];
    const bucket = { tenantId: tenantA, name: 'burst', limit: 20, windowSeconds: 60 };
    const verdicts = await Promise.all(Array.from({ length: 1000 }, (_, index) => stores[index % 2]!.take(bucket)));
    assert.equal(verdicts.filter((verdict) => verdict.allowed).length, 20);
    assert.ok(verdicts.every((verdict) => verdict.resetSeconds >= 1 && verdict.resetSeconds <= 60));
  });
  test('the window slides: no window of its length exceeds the limit', async () => {
    const store = createRateLimitStore(kit.database, 20_000);
    const bucket = { tenantId: null, name: 'slide', limit: 5, windowSeconds: 1 };
    const accepted: { readonly asked: number; readonly answered: number }[] = [];
    const until = performance.now() + 20_000;
    while (accepted.length < 13) {
      const asked = performance.now();
      assert.ok(asked < until, `${accepted.length} were accepted`);
      const verdict = await store.take(bucket);
      if (verdict.allowed) accepted.push({ asked, answered: performance.now() });
      await new Promise((resolve) => setTimeout(resolve, 15));
    }
    // The store's clock ticked somewhere between request and answer, however long that took.
    for (let i = 5; i < accepted.length; i += 1) {
      const apart = accepted[i]!.answered - accepted[i - 5]!.asked;
      assert.ok(apart >= 995, `${i}: ${apart} ms`);
    }
    // If the machine isn't too busy, a place that leaves the window is reused at once.
    const whole = accepted.at(-1)!.answered - accepted[0]!.asked;
    assert.ok(whole < 10_000, `13 calls of 5 a second took ${whole} ms`);
  });
  test('responses include the limit; the 21st is 429 and says when; another tenant has its own', async () => {
    for (let call = 1; call <= 20; call += 1) {
      const response = await post('/limited', { name: 'a' });
      assert.equal(response.statusCode, 200);
      assert.equal(response.headers['ratelimit-limit'], '20');
      assert.equal(response.headers['ratelimit-remaining'], String(20 - call));
    }
    const refused = await post('/limited', { name: 'a' }, {}, keys.admin);
    assert.equal(code(refused), '429 rate_limited');
    assert.equal(refused.headers['ratelimit-remaining'], '0');
    assert.equal(refused.headers['retry-after'], refused.headers['ratelimit-reset']);
    assert.ok(Number(refused.headers['retry-after']) > 50);
    assert.equal((await post('/limited', { name: 'a' }, {}, keys.otherTenant)).statusCode, 200);
  });
  test('apply after the role and before the body', async () => {
    assert.equal(code(await post('/limited', { name: 'a' }, {}, keys.viewer)), '403 forbidden');
    assert.equal(code(await post('/limited', {})), '429 rate_limited');
  });
  test("of an open operation apply first, and forged addresses don't evade them (T13)", async () => {
    const call = (index: number, headers: Record<string, string> = {}) =>
      made.app.inject({
        method: 'POST',
        url: '/open',
        headers: { 'content-type': 'text/plain', 'x-forwarded-for': `10.9.8.${index}`, ...headers },
        payload: '{',
      });
    for (let index = 0; index < 3; index += 1) assert.equal(code(await call(index)), '403 csrf_header_required');
    for (let index = 3; index < 9; index += 1) assert.equal(code(await call(index)), '429 rate_limited');
  });
  test('an unavailable store closes limited routes only', async () => {
    const down = createTestApp({
      operations: things,
      handlers: new Map(handlerEntries(things, handlers)),
      database: kit.database,
      rateLimitStore: { take: () => Promise.reject(new AppError('unavailable')) },
    });
    const call = (url: string) =>
      down.app.inject({
        method: 'POST',
        url,
        headers: {
          authorization: `Bearer ${keys.editor}`,
          'x-requested-with': 'x',
          'content-type': 'application/json',
        },
        payload: '{"name":"a"}',
      });
    const refused = await call('/limited');
    assert.equal(code(refused), '429 rate_limited');
    assert.equal(refused.headers['retry-after'], '5');
    assert.equal((await call('/things')).statusCode, 201);
    await down.app.close();
  });
  test('rejects calls in a full window without the database until the oldest one leaves it', async () => {
    let asked = 0;
    const withSystem: typeof kit.database.withSystem = (...work) => {
      asked += 1;
      return kit.database.withSystem(...work);
    };
    const store = createRateLimitStore({ withSystem }, 20_000);
    const bucket = { tenantId: null, name: 'memo', limit: 2, windowSeconds: 3 };
    const verdicts = [];
    for (let call = 0; call < 50; call += 1) verdicts.push((await store.take(bucket)).allowed);
    assert.deepEqual([verdicts.filter(Boolean).length, asked], [2, 3]);
    await new Promise((resolve) => setTimeout(resolve, 3_050));
    assert.equal((await store.take(bucket)).allowed, true);
  });
  test("a store that doesn't respond in time counts as down", async () => {
    const never = { withSystem: () => new Promise<never>(() => undefined) };
    const bucket = { tenantId: null, name: 'x', limit: 1, windowSeconds: 1 };
    const tookMs: number[] = [];
    for (let tries = 0; tries < 3; tries += 1) {
      const started = performance.now();
      await assert.rejects(createRateLimitStore(never, 100).take(bucket));
      tookMs.push(performance.now() - started);
    }
    assert.ok(Math.min(...tookMs) < 1_000, `${tookMs} ms`);
  });
  test('sweeps expired windows', async () => {
    const store = createRateLimitStore(kit.database, 20_000);
    await kit.ownerQuery("update arbiter.rate_limit_windows set expires_at = now() - interval '1 second'");
    for (let call = 0; call < 100; call += 1) {
      await store.take({ tenantId: null, name: 'sweep', limit: 200, windowSeconds: 60 });
    }
    const left = await kit.ownerQuery<{ bucket: string }>('select bucket from arbiter.rate_limit_windows');
    assert.deepEqual(
      left.map((row) => row.bucket),
      ['sweep'],
    );
  });
});

test('no tenant sees the keys or windows of another (T2)', async () => {
  const seen = await kit.database.withTenant(tenantB, systemActor('test'), (tx) =>
    tx.query<{ tenant_id: string }>('select distinct tenant_id from idempotency_keys'),
  );
  assert.deepEqual(seen, [{ tenant_id: tenantB }]);
  await assert.rejects(
    kit.database.withTenant(tenantB, systemActor('test'), (tx) => tx.query('select 1 from rate_limit_windows')),
    { kind: 'insufficient_privilege' },
  );
});
