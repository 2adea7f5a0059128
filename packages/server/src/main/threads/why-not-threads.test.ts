import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { compile, decide } from '@arbiter/engine';
import { chanceOf, inputAt, randomWorld, type World } from '../../../../engine/src/why-not/test-world.ts';
import type { SearchTask } from '../../features/deciding/why-not/index.ts';
import { AppError } from '../../platform/app-error.ts';
import { createSearchThreads, type SearchThreads } from './why-not-threads.ts';

/** Search threads: what they receive, who waits, and who leaves. */

const errors: unknown[] = [];
let threads: SearchThreads;
before(() => {
  threads = createSearchThreads(1, (error) => errors.push(error));
});
after(() => threads.close());

const world = randomWorld(chanceOf(10), 12);
const plan = compile(world.snapshot);
const refused = refusedOf(world);

function refusedOf({ snapshot }: World): string {
  const shown = new Set(decide(plan, inputAt(world, plan, world.now)).items.map(({ offerId }) => offerId));
  return snapshot.offers.find(({ id }) => !shown.has(id))!.id;
}

let loads = 0;
function task(tenantId: string, planKey: string, more: Partial<SearchTask> = {}): SearchTask {
  const { evidence: _, ...input } = inputAt(world, plan, world.now);
  return {
    tenantId,
    job: {
      planKey,
      offerId: refused,
      greedy: true,
      input,
      evidence: { number: 0, global: [0, 0], offers: new Map(), categories: new Map() },
      objectiveCounts: null,
      history: { contacts: world.contacts, outcomes: [] },
      columns: {},
      hidden: [],
    },
    loadPlan: async () => {
      loads += 1;
      return world.snapshot;
    },
    until: performance.now() + 300_000,
    signal: new AbortController().signal,
    ...more,
  };
}
const isError = (code: string) => (error: unknown) => error instanceof AppError && error.code === code;

test('hands a plan over once, for all questions about it', async () => {
  const answers = await Promise.all(['a', 'b', 'a', 'a'].map((tenant) => threads.run(task(tenant, 'one'))));
  for (const { gates, search } of answers) {
    assert.ok(gates.length > 0);
    assert.deepEqual(search, answers[0]?.search);
  }
  assert.equal(loads, 1);
  await threads.run(task('a', 'two'));
  assert.equal(loads, 2, 'another plan is');
});

test("one tenant can't fill the queue; callers that wait too long or leave are released", async () => {
  const many = Array.from({ length: 12 }, () => threads.run(task('greedy', 'one')));
  const other = threads.run(task('modest', 'one'));
  const outcomes = await Promise.allSettled(many);
  const shed = outcomes.filter((outcome) => outcome.status === 'rejected');
  assert.equal(shed.length, 3, 'one is searched for, eight wait');
  for (const { reason } of shed) assert.ok(isError('overloaded')(reason), String(reason));
  assert.ok((await other).gates.length > 0);
  await assert.rejects(threads.run(task('a', 'one', { until: performance.now() - 1 })), isError('unavailable'));
  await assert.rejects(threads.run(task('a', 'one', { signal: AbortSignal.abort() })), isError('unavailable'));
  assert.ok((await threads.run(task('a', 'one'))).gates.length > 0, 'the next one is searched for');
});

test('an unreadable plan fails only its own question', async () => {
  const fault = new Error('the plan is missing');
  const bad = threads.run(task('a', 'missing', { loadPlan: () => Promise.reject(fault) }));
  const good = threads.run(task('a', 'one'));
  await assert.rejects(bad, fault);
  assert.ok((await good).gates.length > 0);
  assert.deepEqual(errors, []);
});

test('tells waiting callers when the threads end', async () => {
  const own = createSearchThreads(1, () => undefined);
  const waiting = [own.run(task('a', 'one')), own.run(task('a', 'one'))];
  const outcomes = Promise.allSettled(waiting);
  await own.close();
  for (const outcome of await outcomes) {
    assert.ok(outcome.status === 'rejected' && isError('unavailable')(outcome.reason));
  }
});
