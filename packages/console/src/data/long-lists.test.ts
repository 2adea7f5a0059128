import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operations } from '@arbiter/contract';
import { errorRegistry } from '@arbiter/contract/core/errors';
import { ApiError } from '@arbiter/sdk/caller';
import Type from 'typebox';
import { inTurn, isLong, rowsPerPage } from './long-lists.ts';
import { notePace } from './pace.ts';

const limited = (retryAfterSeconds: number) =>
  new ApiError('decisions.list', 429, {
    type: 'urn:arbiter:error:rate_limited',
    title: errorRegistry.rate_limited.title,
    status: 429,
    code: 'rate_limited',
    requestId: 'r1',
    error: 'At most 60 calls in 60 seconds.',
    errors: [],
    retryAfterSeconds,
  });

type ListOperation = Parameters<typeof rowsPerPage>[0] & { readonly id: string };

/** A clock that sleeps at once. */
function clock() {
  let now = 0;
  return {
    now: () => now,
    sleep: async (ms: number, signal: AbortSignal) => {
      signal.throwIfAborted();
      now += ms;
    },
  };
}

test('requests later pages as large as the operation allows', () => {
  for (const operation of Object.values<ListOperation>(operations)) {
    const rows = rowsPerPage(operation, 50);
    const limit: unknown = Reflect.get(Reflect.get(operation.query ?? {}, 'properties') ?? {}, 'limit');
    if (limit === undefined) assert.equal(rows, undefined, operation.id);
    else {
      assert.ok(rows !== undefined && rows >= 50, operation.id);
      const most: unknown = Reflect.get(Object(limit), 'maximum');
      assert.ok(typeof most !== 'number' || rows <= most, operation.id);
    }
  }
  assert.equal(rowsPerPage(operations['decisions.list'], undefined), 200);
  assert.equal(rowsPerPage({}, 50), undefined);
  const strict = Type.Object({ limit: Type.Optional(Type.Integer({ maximum: 100 })) });
  assert.equal(rowsPerPage({ query: strict }, 50), 100, 'one that refuses more is not asked for more');
});

test("doesn't refetch a long list automatically", () => {
  const pages = (count: number) => ({ pages: Array.from({ length: count }, () => ({})), pageParams: [] });
  assert.deepEqual([undefined, { data: [] }, pages(1), pages(3), pages(4)].map(isLong), [
    false,
    false,
    false,
    false,
    true,
  ]);
});

test('waits for the rate limit, shows until when, and loads the page then', async () => {
  const operation = { id: 'long.waits' };
  const surroundings = clock();
  const waits: (number | null)[] = [];
  let requests = 0;
  const ask = async () => {
    requests += 1;
    if (requests === 1) throw limited(7);
    return 'rows';
  };
  const signal = new AbortController().signal;
  // Nothing is left of the window: the page is not even asked for before it is free.
  notePace(operation, new Headers({ 'RateLimit-Remaining': '1', 'RateLimit-Reset': '30' }), 0);
  assert.equal(await inTurn(operation, signal, ask, (until) => waits.push(until), surroundings), 'rows');
  assert.deepEqual([requests, waits], [2, [30_000, null, 37_000, null]]);
});

test('throws other errors, and stops waiting when the page closes', async () => {
  const operation = { id: 'long.throws' };
  const canceled = new AbortController();
  const waits: (number | null)[] = [];
  const failing = async () => {
    throw new TypeError('Failed to fetch');
  };
  const tell = (until: number | null) => waits.push(until);
  await assert.rejects(inTurn(operation, canceled.signal, failing, tell, clock()), /Failed to fetch/);
  assert.deepEqual(waits, []);
  canceled.abort(new Error('left'));
  const refused = async () => {
    throw limited(5);
  };
  await assert.rejects(inTurn(operation, canceled.signal, refused, tell, clock()), /left/);
  await assert.rejects(inTurn(operation, canceled.signal, refused, tell), /left/);
  assert.deepEqual(waits.at(-1), null);
});
