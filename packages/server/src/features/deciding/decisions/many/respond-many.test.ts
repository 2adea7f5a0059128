import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { RecommendAnswer, RespondAnswer, RespondBatchAnswer, RespondRequest } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../../main/test-server.ts';
import type { CallerFacts } from '../caller.ts';
import { type RespondManyPorts, respondMany } from './respond-many.ts';

/** Many responses in one call (docs/design/api-settled.md 77). */
let server: TestServer;
let offerId: string;
before(async () => {
  server = await startTestServer({ tenants: 2 });
  const made = await server.call<{ id: string }>('POST', '/api/v1/offers', { body: { name: 'A', status: 'active' } });
  assert.equal(made.status, 201, made.text);
  offerId = made.body.id;
});
after(() => server?.close());

async function decide(customerId: string): Promise<RecommendAnswer> {
  const answer = await server.call<RecommendAnswer>('POST', '/api/v1/recommend', { body: { customerId } });
  assert.equal(answer.body.count, 1, answer.text);
  return answer.body;
}

/** A result, whether it is a response or a problem. */
interface BatchResult {
  readonly status: number;
  readonly body: {
    readonly status?: string | number;
    readonly code?: string;
    readonly errors?: unknown;
    readonly interactionId?: string;
    readonly customerId?: string;
  };
}
type Batch = Omit<RespondBatchAnswer, 'results'> & { readonly results: readonly BatchResult[] };

const path = '/api/v1/respond/batch';
async function batch(responses: readonly object[], headers: Record<string, string> = {}): Promise<Batch> {
  const answer = await server.call<Batch>('POST', path, { body: { responses }, headers });
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

const outcomesOf = async (customerId: string) => {
  const rows = await server.testDatabase.ownerQuery<{ outcome: string }>(
    `select outcome_key as outcome from arbiter.interactions
     where tenant_id = $1 and customer_id = $2 order by customer_seq`,
    [server.tenants[0].id, customerId],
  );
  return rows.map(({ outcome }) => outcome);
};

test('records, repeats or rejects each response independently, in order', async () => {
  const { recommendationId } = await decide('C-1');
  const click = { customerId: 'C-1', recommendationId, rank: 1, outcome: 'click', timestamp: '2026-01-01T00:00:00Z' };
  const { results, ...counts } = await batch([
    click,
    { ...click, outcome: 'nothing' },
    click,
    { ...click, customerId: 'C-2' },
    { customerId: 'C-2', offerId, outcome: 'dismiss' },
    { customerId: 'C-1', offerId, outcome: 'accept', attributes: { long: 'x'.repeat(8_200) } },
  ]);
  assert.deepEqual(counts, { recorded: 2, duplicates: 1, failed: 3 });
  assert.deepEqual(
    results.map(({ status, body }) => [status, body.code ?? body.status]),
    [
      [200, 'recorded'],
      [400, 'unknown_outcome'],
      [200, 'duplicate'],
      [404, 'not_found'],
      [200, 'recorded'],
      [400, 'validation_failed'],
    ],
  );
  assert.deepEqual(results[5]!.body.errors, [{ path: '/attributes', message: 'must be at most 8 KB' }]);
  assert.equal(results[0]!.body.interactionId, results[2]!.body.interactionId);
  assert.deepEqual(await outcomesOf('C-1'), ['click']);
  assert.deepEqual(await outcomesOf('C-2'), ['dismiss']);
});

test('records the responses of one customer in the given order, with or without its ID', async () => {
  const outcomes = ['click', 'dismiss', 'accept', 'convert', 'click', 'dismiss'];
  const at = (place: number) => new Date(Date.UTC(2026, 0, 2) + place).toISOString();
  const named = outcomes.map((outcome, place) => ({ customerId: 'O-1', offerId, outcome, timestamp: at(place) }));
  const beside = outcomes.map((outcome, place) => ({ customerId: `O-${place + 2}`, offerId, outcome }));
  const mixed = named.flatMap((each, place) => [each, beside[place]!]);
  assert.equal((await batch(mixed)).recorded, 12);
  assert.deepEqual(await outcomesOf('O-1'), outcomes);
  const { recommendationId } = await decide('O-9');
  const byItem = { recommendationId, rank: 1 };
  const byName = { customerId: 'O-9', offerId };
  const both = outcomes.map((outcome, place) => ({ ...(place % 2 ? byItem : byName), outcome, timestamp: at(place) }));
  assert.equal((await batch(both)).recorded, 6);
  assert.deepEqual(await outcomesOf('O-9'), outcomes);
});

test('an Idempotency-Key covers the whole call', async () => {
  const responses = Array.from({ length: 3 }, (_, place) => ({ customerId: `K-${place}`, offerId, outcome: 'click' }));
  const headers = { 'idempotency-key': 'the-call' };
  const first = await batch(responses, headers);
  assert.deepEqual([first.recorded, first.duplicates], [3, 0]);
  const again = await batch(responses, headers);
  assert.deepEqual([again.recorded, again.duplicates], [0, 3]);
  const idsOf = ({ results }: Batch) => results.map(({ body }) => body.interactionId);
  assert.deepEqual(idsOf(again), idsOf(first));
  assert.equal((await batch(responses)).recorded, 3, 'without the key they are other events');
  const rows = await outcomesOf('K-0');
  const others = [
    responses.map((each) => ({ ...each, outcome: 'dismiss' })),
    [...responses, { customerId: 'K-3', offerId, outcome: 'click' }],
    responses.slice(0, 2),
    responses.toReversed(),
  ];
  for (const changed of others) {
    const { status, body } = await server.call('POST', path, { body: { responses: changed }, headers });
    assert.deepEqual([status, body.code], [422, 'idempotency_key_reused']);
  }
  assert.deepEqual([await outcomesOf('K-0'), await outcomesOf('K-3')], [rows, []]);
  const key = server.tenants[0].keys.editor;
  const byAnother = await server.call<Batch>('POST', path, { body: { responses }, headers, key });
  assert.equal(byAnother.body.recorded, 3, 'another credential has keys of its own');
});

test('a repeated key records what was rejected the first time, one call at a time', async () => {
  const outcome = 'later';
  const responses = ['M-0', 'M-1'].map((customerId, place) => ({
    customerId,
    offerId,
    outcome: place === 0 ? 'click' : outcome,
  }));
  const headers = { 'idempotency-key': 'half' };
  assert.deepEqual(
    (await batch(responses, headers)).results.map(({ status }) => status),
    [200, 400],
  );
  const type = { key: outcome, name: 'Later', category: 'response', classification: 'positive' };
  assert.equal((await server.call('POST', '/api/v1/outcome-types', { body: type })).status, 201);
  const { results, ...counts } = await batch(responses, headers);
  assert.deepEqual(counts, { recorded: 1, duplicates: 1, failed: 0 });
  const race = await Promise.all(
    ['N-0', 'N-1', 'N-2', 'N-3'].map((customerId) =>
      server.call('POST', path, {
        body: { responses: [{ customerId, offerId, outcome: 'click' }] },
        headers: { 'idempotency-key': 'race' },
      }),
    ),
  );
  assert.deepEqual(race.map(({ status }) => status).sort(), [200, 422, 422, 422]);
  const same = { responses: Array.from({ length: 5 }, () => ({ customerId: 'N-9', offerId, outcome: 'click' })) };
  const twins = await Promise.all(
    Array.from({ length: 4 }, () =>
      server.call<Batch>('POST', path, { body: same, headers: { 'idempotency-key': 'twins' } }),
    ),
  );
  assert.equal(
    twins.reduce((sum, { body }) => sum + body.recorded, 0),
    5,
  );
  assert.equal((await outcomesOf('N-9')).length, 5);
  const kept = await server.testDatabase.ownerQuery<{ n: number }>(
    `select count(*)::int as n from arbiter.response_keys where answer - 'id' = '{}'::jsonb and customer_id = ''`,
  );
  assert.ok(kept[0]!.n >= 4, 'a call stores only hashes and an id');
});

test('rejects only a malformed response, with its path', async () => {
  const good = (place: number) => ({ customerId: 'B-1', offerId, outcome: 'click', context: { place } });
  const bad: [unknown, string][] = [
    [{ ...good(1), direction: 'up' }, '/direction'],
    [{ ...good(1), conversionValue: -1 }, '/conversionValue'],
    [{ ...good(1), offerId: 'garbage' }, '/offerId'],
    [{ ...good(1), outcome: 5 }, '/outcome'],
    [{ offerId, outcome: 'click' }, '/customerId'],
    [{ ...good(1), outcome: undefined }, '/outcome'],
    [{ ...good(1), timestamp: 'noon' }, '/timestamp'],
    ['click', ''],
    [null, ''],
    [[good(1)], ''],
  ];
  const responses = bad.flatMap(([response], place) => [good(place), response]);
  // Null counts as left out, and unknown parts are ignored, as in a single response.
  const loose = { ...good(10), direction: null, timestamp: null, unknown: true };
  const { status, body, text } = await server.call<Batch>('POST', path, {
    body: { responses: [...responses, loose] },
  });
  assert.equal(status, 200, text);
  const { results, ...counts } = body;
  assert.deepEqual(counts, { recorded: bad.length + 1, duplicates: 0, failed: bad.length });
  for (const [place, [response, pointer]] of bad.entries()) {
    const { status, body } = results[2 * place + 1]!;
    const [first] = body.errors as { path: string }[];
    assert.deepEqual([status, body.code, first?.path], [400, 'validation_failed', pointer], JSON.stringify(response));
    assert.equal(results[2 * place]!.status, 200);
  }
  assert.equal((await outcomesOf('B-1')).length, bad.length + 1);
  const only = await batch([{}]);
  assert.deepEqual([only.failed, only.results.length], [1, 1]);
});

test('accepts a body of 10 MiB and not a byte more', async () => {
  const limit = 10 * 1024 * 1024;
  const responses = [{ customerId: 'W-1', offerId, outcome: 'click' }];
  const bare = JSON.stringify({ responses, padding: '' }).length;
  const of = (bytes: number) => ({ responses, padding: 'x'.repeat(bytes - bare) });
  const most = await server.call<Batch>('POST', path, { body: of(limit) });
  assert.equal(most.body.recorded, 1, most.text.slice(0, 200));
  const more = await server.call('POST', path, { body: of(limit + 1) });
  assert.deepEqual([more.status, more.body.code], [413, 'payload_too_large']);
  assert.deepEqual(await outcomesOf('W-1'), ['click']);
});

test('accepts 500 responses, rejects none and 501, and then records nothing', async () => {
  const of = (length: number) =>
    Array.from({ length }, (_, place) => ({ customerId: `L-${place % 40}`, offerId, outcome: 'click' }));
  assert.equal((await batch(of(500))).recorded, 500);
  const before = await outcomesOf('L-0');
  for (const responses of [[], of(501), null, {}, 'click']) {
    const { status, body } = await server.call<{ errors: { path: string }[] }>('POST', path, { body: { responses } });
    assert.deepEqual([status, body.errors[0]?.path], [400, '/responses']);
  }
  assert.deepEqual(await outcomesOf('L-0'), before);
});

test('groups responses without a customer ID by customer, and many of one customer together', async () => {
  const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => decide(`U-${n % 4}`)));
  const at = (place: number) => new Date(Date.UTC(2026, 0, 3) + place).toISOString();
  const outcomes = ['click', 'dismiss', 'accept', 'convert'];
  // Each customer has two decisions, and an item is named by its decision or by its own id.
  const responses = Array.from({ length: 120 }, (_, place) => {
    const { recommendationId, decisions } = answers[place % 8]!;
    const item = place % 3 === 0 ? { interactionId: decisions[0]!.interactionId } : { recommendationId, rank: 1 };
    return { ...item, outcome: outcomes[(place % 5) % 4], timestamp: at(place) };
  });
  const { results, ...counts } = await batch([...responses, { interactionId: randomUUID(), outcome: 'click' }]);
  assert.deepEqual(counts, { recorded: 120, duplicates: 0, failed: 1 });
  assert.equal(results[120]!.status, 404);
  for (let n = 0; n < 4; n++) {
    const own = responses.filter((_, place) => place % 4 === n).map(({ outcome }) => outcome);
    assert.deepEqual((await outcomesOf(`U-${n}`)).slice(-30), own);
  }
});

test('handles several responses of few customers in parallel, in order per customer', async () => {
  const begun: string[] = [];
  let underWay = new Set<string>();
  const ports: RespondManyPorts = {
    read: (response) => response as RespondRequest,
    claimCall: async () => undefined,
    customersOf: async (_caller, bodies) => new Map(bodies.map((body) => [body, 'C-1'])),
    async respond(_caller, { customerId, recommendationId, rank }) {
      underWay.add(customerId ?? recommendationId ?? '');
      assert.equal(underWay.size, 1, 'one customer is known by two names');
      begun.push(`${rank}`);
      await new Promise(setImmediate);
      underWay = new Set();
      return { customerId: 'C-1', status: 'recorded' } as RespondAnswer;
    },
  };
  const names = [{ customerId: 'C-1' }, { recommendationId: 'r' }];
  const responses = Array.from({ length: 200 }, (_, at) => ({ ...names[Math.floor(at / 70) % 2], rank: at }));
  const caller: CallerFacts = {
    tenantId: 'tenant',
    credentialId: 'key',
    ip: '',
    userAgent: '',
    idempotencyKey: null,
    until: Number.POSITIVE_INFINITY,
  };
  assert.equal((await respondMany(ports, caller, 'a request', responses)).recorded, 200);
  assert.deepEqual(
    begun,
    responses.map(({ rank }) => `${rank}`),
  );
});

test('rejects viewers, and another tenant has none of the offers', async () => {
  const body = { responses: [{ customerId: 'C', offerId, outcome: 'click' }] };
  assert.equal((await server.call('POST', path, { body, key: server.tenants[0].keys.viewer })).status, 403);
  const other = await server.call<Batch>('POST', path, { body, key: server.tenants[1]!.keys.editor });
  assert.deepEqual([other.body.failed, other.body.results[0]?.status], [1, 404]);
});

test('handles 128 of 500 responses in parallel, and eventually all', async () => {
  let underWay = 0;
  let most = 0;
  const ports: RespondManyPorts = {
    read: (response) => response as RespondRequest,
    claimCall: async () => undefined,
    customersOf: async () => new Map(),
    async respond(_caller, { customerId }) {
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise(setImmediate);
      underWay -= 1;
      return { customerId, status: 'recorded' } as RespondAnswer;
    },
  };
  const caller: CallerFacts = {
    tenantId: 'tenant',
    credentialId: 'key',
    ip: '',
    userAgent: '',
    idempotencyKey: null,
    until: Number.POSITIVE_INFINITY,
  };
  const responses = Array.from({ length: 500 }, (_, at) => ({ customerId: `C-${at}` }));
  const answer = await respondMany(ports, caller, 'a request', responses);
  assert.deepEqual([answer.recorded, answer.failed, most], [500, 0, 128]);
  assert.deepEqual(
    answer.results.map(({ body }) => ('customerId' in body ? body.customerId : null)),
    responses.map(({ customerId }) => customerId),
  );
});
