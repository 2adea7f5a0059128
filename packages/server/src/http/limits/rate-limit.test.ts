import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createTestDatabase, type TestDatabase } from '../../db/test-database.ts';
import { AppError } from '../../platform/app-error.ts';
import { tenantA, tenantB } from '../test-app.ts';
import { createRateLimitStore } from './rate-limit.ts';

/** Tests how calls are counted when many come at once, and when the store doesn't answer. */

let kit: TestDatabase;
before(async () => {
  kit = await createTestDatabase();
});
after(() => kit.close());

/** A busy machine must not look like a store that's down. */
const patientMs = 30_000;
type Store = Parameters<typeof createRateLimitStore>[0];

/** Wraps the real store and counts its transactions. */
function counted(): { readonly store: Store; asked(): number } {
  let asked = 0;
  const withSystem: Store['withSystem'] = (...work) => {
    asked += 1;
    return kit.database.withSystem(...work);
  };
  return { store: { withSystem }, asked: () => asked };
}

test('counts simultaneous calls together, each with its own place', async () => {
  const { store, asked } = counted();
  const limits = createRateLimitStore(store, patientMs);
  const bucket = { tenantId: tenantA, name: 'together', limit: 30, windowSeconds: 60 };
  const verdicts = await Promise.all(Array.from({ length: 40 }, () => limits.take(bucket)));
  assert.deepEqual(
    verdicts.map(({ allowed, remaining }) => [allowed, remaining]),
    Array.from({ length: 40 }, (_, i) => (i < 30 ? [true, 29 - i] : [false, 0])),
  );
  assert.ok(asked() <= 2, `${asked()} transactions`);
});

test('a call that counts as several counts completely or not at all, among single ones', async () => {
  const limits = createRateLimitStore(kit.database, patientMs);
  const bucket = { tenantId: tenantA, name: 'heavy', limit: 20, windowSeconds: 60 };
  const weights = [1, 8, 1, 12, 7, 1, 21];
  const verdicts = await Promise.all(weights.map((weight) => limits.take(bucket, weight)));
  assert.deepEqual(
    verdicts.map(({ allowed }) => allowed),
    // 1 + 8 + 1 leave 10: no room for 12, but for 7, then for the last one.
    [true, true, true, false, true, true, false],
  );
  assert.deepEqual([verdicts[1]!.remaining, verdicts[4]!.remaining], [11, 3]);
  assert.equal((await limits.take(bucket, 3)).allowed, false);
  assert.equal((await limits.take(bucket, 2)).allowed, true, 'what had no room did not use any');
  assert.equal((await limits.take(bucket)).allowed, false);
  assert.equal((await limits.take({ ...bucket, name: 'never' }, 21)).resetSeconds, 60);
});

test('windows counted by one statement stay separate, over several stores', async () => {
  const stores = [1, 2, 3].map(() => createRateLimitStore(kit.database, patientMs));
  const buckets = [
    { tenantId: tenantA, name: 'mixed', limit: 7, windowSeconds: 60 },
    { tenantId: tenantB, name: 'mixed', limit: 3, windowSeconds: 60 },
    { tenantId: null, name: 'mixed', limit: 50, windowSeconds: 60 },
    { tenantId: tenantA, name: 'quoted "name", {x}', limit: 11, windowSeconds: 60 },
  ];
  const allowed = buckets.map(() => 0);
  await Promise.all(
    Array.from({ length: 600 }, async (_, i) => {
      const at = i % buckets.length;
      const verdict = await stores[i % stores.length]!.take(buckets[at]!);
      if (verdict.allowed) allowed[at]! += 1;
    }),
  );
  assert.deepEqual(
    allowed,
    buckets.map(({ limit }) => limit),
  );
});

test('counts more windows than one statement can hold', async () => {
  const limits = createRateLimitStore(kit.database, patientMs);
  const bucket = (i: number) => ({ tenantId: tenantA, name: `many ${i}`, limit: 1, windowSeconds: 60 });
  const verdicts = await Promise.all(Array.from({ length: 500 }, (_, i) => limits.take(bucket(i % 250))));
  assert.equal(verdicts.filter(({ allowed }) => allowed).length, 250);
});

test("a process too busy to hear the response doesn't consider the store down", async () => {
  // The answer has arrived and takes a few turns of the event loop to be read.
  const answer: unknown = [{ tenantId: tenantA, name: 'busy', used: 1, granted: 1, resetMs: 60_000 }];
  const withSystem = async <T>(): Promise<T> => {
    for (let i = 0; i < 5; i++) await turn();
    return answer as T;
  };
  const limits = createRateLimitStore({ withSystem }, 60);
  const taking = limits.take({ tenantId: tenantA, name: 'busy', limit: 5, windowSeconds: 60 });
  const until = performance.now() + 200;
  while (performance.now() < until);
  assert.equal((await taking).allowed, true);
});

test('a hanging store rejects all waiting calls at once, and counts again afterwards', async () => {
  const { store, asked } = counted();
  const bucket = { tenantId: tenantA, name: 'still', limit: 100, windowSeconds: 60 };
  const limits = createRateLimitStore(store, 200);
  await kit.database.withSystem('test', async (tx) => {
    await tx.query('lock table rate_limit_windows in share row exclusive mode');
    const first = limits.take(bucket);
    const behind = Array.from({ length: 20 }, () => limits.take(bucket));
    const settled = await Promise.allSettled([first, ...behind]);
    assert.ok(settled.every(({ status }) => status === 'rejected'));
    assert.equal(asked(), 1, 'nobody was sent after the first');
  });
  assert.equal((await createRateLimitStore(kit.database, patientMs).take(bucket)).allowed, true);
});

test('a failed trip rejects its own calls only', async () => {
  let fail = true;
  const withSystem: Store['withSystem'] = async (...work) => {
    await turn();
    if (!fail) return kit.database.withSystem(...work);
    fail = false;
    throw new AppError('unavailable');
  };
  const limits = createRateLimitStore({ withSystem }, patientMs);
  const bucket = { tenantId: tenantA, name: 'lost', limit: 5, windowSeconds: 60 };
  const [first, second] = await Promise.allSettled([limits.take(bucket), limits.take(bucket)]);
  assert.equal(first.status, 'rejected');
  assert.equal(second.status, 'fulfilled');
});
