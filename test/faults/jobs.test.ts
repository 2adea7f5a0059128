// Runs in one of 2 turns: caps, acknowledged writes and keys are tested in each (cap-*, kill, database, keyed-work-kill).

// The job machinery on two processes: one run per due time, and another process takes over what a killed one held
// within 30 s.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../packages/server/src/db/test-database.ts';
import { assertInTime } from '../deadline.ts';
import { createInstallation, type Installation, type ServerProcess } from './server-process.ts';
import { stopwatch } from './stopwatch.ts';

/** Another process takes over a dead one's work within this time (docs/design/quality.md 2, background work). */
const barMs = 30_000;
/** How long to wait before a condition counts as failed. */
const patienceMs = 90_000;

interface JobNode {
  readonly name: string;
  readonly process: ChildProcess;
}

let db: TestDatabase;
const nodes: JobNode[] = [];
let installation: Installation | undefined;
before(async () => {
  db = await createTestDatabase();
  await db.ownerQuery(`
    create table arbiter.job_effects (tenant_id uuid not null, task text, due_at timestamptz, node text);
    alter table arbiter.job_effects owner to arbiter_owner;
    select arbiter.isolate_table('arbiter.job_effects');
    select arbiter.open_to_system('arbiter.job_effects', 'select, insert')`);
});
after(async () => {
  for (const node of nodes) node.process.kill('SIGKILL');
  await installation?.stopAll();
  await db?.close();
});

async function startNode(name: string): Promise<JobNode> {
  const program = join(import.meta.dirname, 'nodes/job-node.ts');
  const process_ = spawn(process.execPath, [program, db.url, name], { stdio: ['ignore', 'pipe', 'inherit'] });
  const node = { name, process: process_ };
  nodes.push(node);
  await once(process_.stdout, 'data');
  return node;
}

async function kill(node: JobNode): Promise<void> {
  if (node.process.exitCode !== null || node.process.signalCode !== null) return;
  const ended = once(node.process, 'exit');
  node.process.kill('SIGKILL');
  await ended;
}

/** Returns the milliseconds until `holds` is true. */
async function until(what: string, holds: () => Promise<boolean>): Promise<number> {
  const elapsed = stopwatch();
  while (!(await holds())) {
    assertInTime(elapsed() < patienceMs, `${what}: not within ${patienceMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return Math.round(elapsed());
}

const effects = (task: string) =>
  db.ownerQuery<{ node: string; dueAt: Date | null }>(
    `select node, due_at as "dueAt" from arbiter.job_effects where task = $1 order by due_at`,
    [task],
  );
const holderOf = async (lease: string): Promise<string | undefined> =>
  (
    await db.ownerQuery<{ holder: string }>(
      'select holder from arbiter.leases where name = $1 and expires_at > clock_timestamp()',
      [lease],
    )
  )[0]?.holder;

/** Makes the schedule due now, `ms` after an instant long ago, so that each due time is known and unique. */
async function makeDue(ms: number): Promise<void> {
  const due = await db.ownerQuery(
    `update arbiter.schedules set next_run_at = $1 where job = 'test.due' returning next_run_at`,
    [new Date(Date.UTC(2026, 0, 1) + ms)],
  );
  assert.equal(due.length, 1);
}

test('two nodes run each due time once; if the lease holder is killed, the other continues within 30 s', async (t) => {
  await Promise.all([startNode('one'), startNode('two')]);
  const isDeclared = async () =>
    (await db.ownerQuery(`select from arbiter.schedules where job = 'test.due'`)).length === 1;
  await until('a scheduler at work', isDeclared);
  const rounds = 10;
  for (let n = 1; n <= rounds; n++) {
    await makeDue(n);
    await until(`run ${n}`, async () => (await effects('test.due')).length >= n);
  }
  const runs = await effects('test.due');
  assert.equal(runs.length, rounds);
  assert.equal(new Set(runs.map(({ dueAt }) => dueAt!.getTime())).size, rounds);

  const holder = await holderOf('scheduler');
  const dying = nodes.find(({ name }) => name === holder)!;
  await kill(dying);
  await makeDue(rounds + 1);
  const took = await until('the run after the kill', async () => (await effects('test.due')).length > rounds);
  t.diagnostic(`taken over after ${took} ms`);
  assertInTime(took < barMs, `${took} ms`);
  assert.notEqual(await holderOf('scheduler'), holder);
  await startNode(`${holder} again`);
  await makeDue(rounds + 2);
  await until('the next run', async () => (await effects('test.due')).length > rounds + 1);
  assert.equal((await effects('test.due')).length, rounds + 2, 'nothing ran twice');
});

test("another worker does a killed worker's job within 30 s", async (t) => {
  await db.ownerQuery(`select graphile_worker.arbiter_enqueue('test.long')`);
  const takers = () => effects('test.long 1');
  await until('the first try', async () => (await takers()).length === 1);
  const taker = (await takers())[0]!.node;
  // The other process must have run for the length of a lease before it takes over anything.
  const settled = stopwatch();
  const alive = `select from arbiter.leases where name like 'worker:%' and expires_at > clock_timestamp()`;
  await until('both workers', async () => (await db.ownerQuery(alive)).length >= 2 && settled() > 22_000);
  assert.deepEqual(await effects('test.long 2'), [], 'a worker that lives keeps its job');
  await kill(nodes.find(({ name }) => name === taker)!);
  const took = await until('the second try', async () => (await effects('test.long 2')).length > 0);
  t.diagnostic(`taken over after ${took} ms`);
  assertInTime(took < barMs, `${took} ms`);
  const again = await effects('test.long 2');
  assert.equal(again.length, 1);
  assert.notEqual(again[0]!.node, taker);
  for (const node of nodes) await kill(node);
});

test("two servers: one holds the upkeep schedules, and the other takes over when it's killed", async (t) => {
  installation = await createInstallation({ DATABASE_URL: db.url }, ['Jobs']);
  const servers: ServerProcess[] = [await installation.start(), await installation.start()];
  const lease = 'scheduler.upkeep';
  await until('a holder', async () => (await holderOf(lease)) !== undefined);
  const holder = await holderOf(lease);
  const runsOf = async (ms: number) =>
    (
      await db.ownerQuery(
        `select from arbiter.schedules where job = 'interactions.partition' and last_run_at = $1 and next_run_at > now()`,
        [new Date(ms)],
      )
    ).length === 1;
  const due = async (ms: number) =>
    void (await db.ownerQuery(`update arbiter.schedules set next_run_at = $1 where job = 'interactions.partition'`, [
      new Date(ms),
    ]));
  await due(1_000);
  await until('a run', () => runsOf(1_000));
  await until('a holder of the other part', async () => (await holderOf('scheduler')) !== undefined);
  // The test can't see which of the two runs the job: kill the first and, if the job still runs, the second.
  servers[0]!.kill('SIGKILL');
  await servers[0]!.ended;
  await due(2_000);
  const took = await until('a run after the kill', () => runsOf(2_000));
  t.diagnostic(`the first was ${(await holderOf(lease)) === holder ? 'not ' : ''}the holder; ${took} ms`);
  assertInTime(took < barMs, `${took} ms`);
  if ((await holderOf(lease)) === holder) {
    servers.push(await installation.start());
    servers[1]!.kill('SIGKILL');
    await servers[1]!.ended;
    await due(3_000);
    const tookAgain = await until('a run after the second kill', () => runsOf(3_000));
    t.diagnostic(`${tookAgain} ms`);
    assertInTime(tookAgain < barMs, `${tookAgain} ms`);
  }
  assert.notEqual(await holderOf(lease), holder);
});
