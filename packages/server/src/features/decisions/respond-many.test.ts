import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { RecommendAnswer, RespondBatchAnswer } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../main/test-server.ts';

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

const path = '/api/v1/respond/batch';
async function batch(responses: readonly object[], headers: Record<string, string> = {}): Promise<RespondBatchAnswer> {
  const answer = await server.call<RespondBatchAnswer>('POST', path, { body: { responses }, headers });
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

test('each is recorded, repeated or refused by itself, in order', async () => {
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
  assert.deepEqual(results[5]!.body.errors, [{ path: '/attributes', message: 'is larger than 8 KB' }]);
  assert.equal(results[0]!.body.interactionId, results[2]!.body.interactionId);
  assert.deepEqual(await outcomesOf('C-1'), ['click']);
  assert.deepEqual(await outcomesOf('C-2'), ['dismiss']);
});

test('the responses of one customer are recorded in the order given, named or not', async () => {
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
  const idsOf = ({ results }: RespondBatchAnswer) => results.map(({ body }) => body.interactionId);
  assert.deepEqual(idsOf(again), idsOf(first));
  assert.equal((await batch(responses)).recorded, 3, 'without the key they are other events');
  const changed = responses.map((each) => ({ ...each, outcome: 'dismiss' }));
  assert.deepEqual(
    (await batch(changed, headers)).results.map(({ status }) => status),
    [422, 422, 422],
  );
});

test('500 are taken, none and 501 are not; one that is not well formed refuses the whole, and nothing is recorded', async () => {
  const of = (length: number) =>
    Array.from({ length }, (_, place) => ({ customerId: `L-${place % 40}`, offerId, outcome: 'click' }));
  assert.equal((await batch(of(500))).recorded, 500);
  const wrong: [readonly object[], string][] = [
    [[], '/responses'],
    [of(501), '/responses'],
    [[...of(1), { customerId: 'L-0', offerId, outcome: 'click', direction: 'up' }], '/responses/1/direction'],
  ];
  const before = await outcomesOf('L-0');
  for (const [responses, place] of wrong) {
    const { status, body } = await server.call<{ errors: { path: string }[] }>('POST', path, { body: { responses } });
    assert.deepEqual([status, body.errors[0]?.path], [400, place]);
  }
  assert.deepEqual(await outcomesOf('L-0'), before);
});

test('a viewer may not, and the other tenant has none of the offers', async () => {
  const body = { responses: [{ customerId: 'C', offerId, outcome: 'click' }] };
  assert.equal((await server.call('POST', path, { body, key: server.tenants[0].keys.viewer })).status, 403);
  const other = await server.call<RespondBatchAnswer>('POST', path, { body, key: server.tenants[1]!.keys.editor });
  assert.deepEqual([other.body.failed, other.body.results[0]?.status], [1, 404]);
});
