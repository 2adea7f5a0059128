import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { createBatcher, type SetApart } from './batcher.ts';

interface Job {
  readonly customer: string;
  readonly n: number;
}

function recorder(maxInFlight = 2) {
  const batches: { tenantId: string; jobs: readonly Job[]; done: () => void; setApart: SetApart }[] = [];
  const batcher = createBatcher<Job>({
    maxJobs: 4,
    maxInFlight,
    minJobsBeside: 2,
    keyOf: (job) => job.customer,
    run: (tenantId, jobs, setApart) =>
      new Promise((resolve) => batches.push({ tenantId, jobs, done: () => resolve(), setApart })),
  });
  return { batches, batcher };
}

test('a lone job leaves on the next turn, and waiting jobs leave together', async () => {
  const { batches, batcher } = recorder();
  batcher.submit('t', { customer: 'a', n: 1 });
  await turn();
  assert.deepEqual(
    batches.map((b) => b.jobs.map((j) => j.n)),
    [[1]],
  );
  batcher.submit('t', { customer: 'b', n: 2 });
  await turn();
  assert.equal(batches.length, 1, 'one job beside a batch in flight waits for company');
  batcher.submit('t', { customer: 'c', n: 3 });
  await turn();
  assert.deepEqual(
    batches[1]!.jobs.map((j) => j.n),
    [2, 3],
  );
});

test('jobs of one customer are never in two batches at once, and keep their order', async () => {
  const { batches, batcher } = recorder();
  batcher.submit('t', { customer: 'a', n: 1 });
  await turn();
  for (const n of [2, 3]) batcher.submit('t', { customer: 'a', n });
  batcher.submit('t', { customer: 'b', n: 4 });
  await turn();
  assert.deepEqual(
    batches[1]!.jobs.map((j) => j.n),
    [4],
  );
  batches[0]!.done();
  await sleep(1);
  assert.equal(batches.length, 3);
  assert.deepEqual(
    batches[2]!.jobs.map((j) => j.n),
    [2, 3],
  );
});

test("tenants don't wait for each other, and idle waits for all", async () => {
  const { batches, batcher } = recorder(1);
  batcher.submit('t', { customer: 'a', n: 1 });
  batcher.submit('u', { customer: 'a', n: 2 });
  await turn();
  assert.deepEqual(
    batches.map((b) => b.tenantId),
    ['t', 'u'],
  );
  let idle = false;
  const waiting = batcher.idle().then(() => {
    idle = true;
  });
  batches[0]!.done();
  await sleep(1);
  assert.equal(idle, false);
  batches[1]!.done();
  await waiting;
  assert.equal(batcher.waiting(), 0);
});

test('a job set aside makes room in the next batch, keeps its key, and is waited for', async () => {
  const { batches, batcher } = recorder(1);
  for (const [customer, n] of [
    ['held', 1],
    ['a', 2],
  ] as const)
    batcher.submit('t', { customer, n });
  await turn();
  const held = Promise.withResolvers<void>();
  batches[0]!.setApart('held', held.promise);
  batches[0]!.done();
  await sleep(1);
  for (const [customer, n] of [
    ['held', 3],
    ['b', 4],
  ] as const)
    batcher.submit('t', { customer, n });
  await turn();
  assert.deepEqual(
    batches[1]!.jobs.map((j) => j.n),
    [4],
    'a lone job beside a held customer leaves at once',
  );
  batches[1]!.done();
  let idle = false;
  const waiting = batcher.idle().then(() => {
    idle = true;
  });
  await sleep(1);
  assert.deepEqual([idle, batches.length, batcher.waiting()], [false, 2, 1]);
  held.resolve();
  await sleep(1);
  assert.deepEqual(
    batches[2]!.jobs.map((j) => j.n),
    [3],
  );
  batches[2]!.done();
  await waiting;
});

test('removes jobs that wait too long, and keeps the order of the rest', async () => {
  const { batches, batcher } = recorder(1);
  batcher.submit('t', { customer: 'a', n: 1 });
  await turn();
  for (const n of [2, 3, 4]) batcher.submit('t', { customer: 'a', n });
  assert.deepEqual(
    batcher.takeLate((job) => job.n === 3).map((job) => job.n),
    [3],
  );
  assert.equal(batcher.waiting(), 2);
  batches[0]!.done();
  await sleep(1);
  assert.deepEqual(
    batches[1]!.jobs.map((j) => j.n),
    [2, 4],
  );
  batches[1]!.done();
  await batcher.idle();
});
