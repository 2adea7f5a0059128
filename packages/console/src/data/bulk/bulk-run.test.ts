import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@arbiter/sdk/caller';
import { type BulkOptions, startBulk } from './bulk-run.ts';

const rows = (count: number) => Array.from({ length: count }, (_, at) => ({ id: `${at}`, name: `Row ${at}` }));
const refusal = (code: string, status: number) =>
  new ApiError('offers.updateById', status, { type: 'about:blank', title: code, status, code, errors: [] } as never);

/** Starts a run and resolves with it once its first round has ended. */
async function ended(options: Partial<BulkOptions> & Pick<BulkOptions, 'rows' | 'act'>) {
  let waiting = Promise.withResolvers<void>();
  const run = startBulk({
    waitMs: () => 0,
    sleep: async () => undefined,
    onEnd: () => waiting.resolve(),
    ...options,
  });
  await waiting.promise;
  return {
    run,
    states: () => run.rows().map(({ state }) => state),
    async retry() {
      waiting = Promise.withResolvers<void>();
      run.retry();
      await waiting.promise;
    },
  };
}

test('sends each row once, in order, at most four at a time', async () => {
  const sent: string[] = [];
  let inFlight = 0;
  let most = 0;
  const { run, states } = await ended({
    rows: rows(23),
    act: async (id) => {
      sent.push(id);
      inFlight += 1;
      most = Math.max(most, inFlight);
      await new Promise((resolve) => setTimeout(resolve, 1));
      inFlight -= 1;
      return 'done';
    },
  });
  assert.equal(most, 4);
  assert.deepEqual(
    sent,
    rows(23).map(({ id }) => id),
  );
  assert.ok(states().every((state) => state === 'done'));
  assert.equal(run.isRunning(), false);
});

test('a rejected row does not affect the others, and a retry sends only failures', async () => {
  const tries = new Map<string, boolean[]>();
  const { states, retry } = await ended({
    rows: rows(6),
    act: async (id, isRetry) => {
      tries.set(id, [...(tries.get(id) ?? []), isRetry]);
      if (id === '2' && !isRetry) throw refusal('row_version_conflict', 409);
      return id === '3' ? 'requested' : 'done';
    },
  });
  assert.deepEqual(states(), ['done', 'done', 'failed', 'requested', 'done', 'done']);
  await retry();
  assert.deepEqual(states(), ['done', 'done', 'done', 'requested', 'done', 'done']);
  assert.deepEqual(tries.get('2'), [false, true]);
  assert.ok([...tries].every(([id, seen]) => id === '2' || seen.length === 1));
});

test('sends nothing after a stop, and can send the rest later', async () => {
  let sent = 0;
  const started = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const run = startBulk({
    rows: rows(10),
    waitMs: () => 0,
    sleep: async () => undefined,
    onEnd: end.resolve,
    act: async () => {
      sent += 1;
      if (sent === 4) started.resolve();
      await release.promise;
      return 'done';
    },
  });
  await started.promise;
  run.stop();
  release.resolve();
  await end.promise;
  const count = (state: string) => run.rows().filter((row) => row.state === state).length;
  assert.deepEqual([sent, count('done'), count('stopped')], [4, 4, 6]);
  run.retry();
  while (run.isRunning()) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([sent, count('done')], [10, 10]);
});

test('ends the run when the server is unreachable, instead of failing every row', async () => {
  let sent = 0;
  const { states } = await ended({
    rows: rows(50),
    act: async () => {
      sent += 1;
      throw new TypeError('fetch failed');
    },
  });
  assert.ok(sent <= 4, `${sent} calls`);
  assert.equal(states().filter((state) => state === 'stopped').length, 50 - sent);
});

test('waits as long as the rate limit requires', async () => {
  const slept: number[] = [];
  let left = 2;
  await ended({
    rows: rows(3),
    waitMs: () => (left > 0 ? 0 : 700),
    sleep: async (ms) => {
      slept.push(ms);
      left = 10;
    },
    act: async () => {
      left -= 1;
      return 'done';
    },
  });
  assert.deepEqual(slept.slice(0, 1), [700]);
});
