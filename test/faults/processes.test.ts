// Runs in one of 2 turns: caps, acknowledged writes and keys are tested in each (cap-*, kill, database, keyed-work-kill).

// One server of several processes (PROCESSES): what happens when one of them or their parent ends, and what they report
// together.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { createTestDatabase, type TestDatabase } from '../../packages/server/src/db/test-database.ts';
import { assertInTime } from '../deadline.ts';
import { type Caller, createPatientCaller, must } from './api.ts';
import { logLines, processOf } from './pair.ts';
import { createInstallation, freePort, type Installation, type ServerProcess } from './server-process.ts';
import { stopwatch } from './stopwatch.ts';

const metricsToken = 'a token of the process tests';
/** How long to wait before a condition counts as failed. */
const patienceMs = 60_000;
/**
 * Another process takes over a dead one's background work within this time (docs/design/quality.md 2, background work).
 */
const takeOverMs = 30_000;

let db: TestDatabase;
let installation: Installation;
before(async () => {
  db = await createTestDatabase();
  installation = await createInstallation(
    { DATABASE_URL: db.url, METRICS_TOKEN: metricsToken, LOG_LEVEL: 'info', SCHEDULER: 'on' },
    ['Several'],
  );
});
after(async () => {
  await installation?.stopAll();
  await db?.close();
});

const startTwo = (own: Readonly<Record<string, string>> = {}) => installation.start({ PROCESSES: '2', ...own });
const callerOf = (server: ServerProcess, sockets = 1): Caller =>
  createPatientCaller(() => server.url, installation.tenants[0]!.key, sockets);

async function until<T>(what: string, look: () => T | null | undefined | Promise<T | null | undefined>): Promise<T> {
  const elapsed = stopwatch();
  for (;;) {
    const found = await look();
    if (found !== null && found !== undefined) return found;
    assertInTime(elapsed() < patienceMs, `${what}: not within ${patienceMs} ms`);
    await sleep(20);
  }
}

/** Returns the ids of all processes that have been ready under a name, the newest last. */
const pidsOf = (server: ServerProcess, name: string): readonly number[] =>
  logLines(server, 'server process ready')
    .filter((line) => line.name === name)
    .map((line) => Number(line.pid));

/** Returns the nth process under a name, once it is ready. */
const nthProcess = (server: ServerProcess, name: string, n: number): Promise<number> =>
  until(`process ${name}, the ${n}. time`, () => pidsOf(server, name)[n - 1]);

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const gone = (pid: number): Promise<true> => until(`the end of process ${pid}`, () => (isAlive(pid) ? null : true));

/** Returns the value of one line of /metrics from any process. */
async function metric(server: ServerProcess, line: string): Promise<number> {
  const answer = await callerOf(server)('GET', '/v1/metrics', undefined, { authorization: `Bearer ${metricsToken}` });
  assert.equal(answer.status, 200, answer.text);
  return Number(
    answer.text
      .split('\n')
      .find((each) => each.startsWith(`${line} `))
      ?.slice(line.length + 1),
  );
}

/** Returns which process does the background work since the start, and which doesn't. */
async function workingProcess(server: ServerProcess): Promise<{ name: string; other: string }> {
  const line = await until('the one at work', () => logLines(server, 'background work started')[0]);
  const name = String(line.process);
  return { name, other: name === '1' ? '2' : '1' };
}

async function stop(server: ServerProcess): Promise<void> {
  server.kill('SIGTERM');
  assert.deepEqual(await server.ended, { code: 0, signal: null }, server.output());
}

/** Returns callers that each stay with one process, until both processes have one. */
async function oneCallerEach(server: ServerProcess): Promise<ReadonlyMap<string, Caller>> {
  const callers = new Map<string, Caller>();
  await until('a caller of each process', async () => {
    const call = callerOf(server);
    callers.set(await processOf(server, call), call);
    return callers.size === 2 ? true : null;
  });
  return callers;
}

test('both processes accept connections, and either shows the metrics of both', async () => {
  const server = await startTwo();
  try {
    const callers = await oneCallerEach(server);
    const counted = 'svc_http_requests_total{method="GET",route="/api/v1/outcome-types",status="200"}';
    for (const call of callers.values()) for (let n = 0; n < 5; n++) await must(call('GET', '/v1/outcome-types'));
    for (const call of callers.values()) {
      const answer = await call('GET', '/v1/metrics', undefined, { authorization: `Bearer ${metricsToken}` });
      assert.ok(answer.text.includes(`\n${counted} 10\n`), answer.text.slice(0, 2_000));
    }
    const histogram = 'svc_http_request_duration_seconds_count{method="GET",route="/api/v1/outcome-types"}';
    assert.equal(await metric(server, histogram), 10, 'histograms are summed');
    assert.equal(await metric(server, 'svc_build_info{version="0.1.0"}'), 1, 'a constant is no sum');
    assert.equal(await metric(server, 'svc_processes'), 2);
    for (const name of ['primary', '1', '2']) {
      const bytes = await metric(server, `svc_process_resident_memory_bytes{process="${name}"}`);
      assert.ok(bytes > 10_000_000, `${name}: ${bytes}`);
    }
    for (const call of callers.values()) {
      const { status, body } = await call('GET', '/v1/ready');
      assert.equal(status, 200);
      const checks = { database: 'ok', migrations: 'ok', role: 'ok', queueConsumer: 'ok', scheduler: 'ok' };
      assert.deepEqual(body.checks, checks, 'each tells of the background work, wherever it runs');
    }
  } finally {
    await stop(server);
  }
});

test('a killed process is replaced, the other continues, and no count is lost', async (t) => {
  const server = await startTwo();
  const callers = await oneCallerEach(server);
  for (const call of callers.values()) for (let n = 0; n < 5; n++) await must(call('GET', '/v1/outcome-types'));
  const counted = 'svc_http_requests_total{method="GET",route="/api/v1/outcome-types",status="200"}';
  const before = await metric(server, counted);
  const kept = Array.from({ length: 12 }, () => callerOf(server));
  const killed = await nthProcess(server, '2', 1);
  const other = await nthProcess(server, '1', 1);
  const elapsed = stopwatch();
  process.kill(killed, 'SIGKILL');
  await gone(killed);
  // New connections reach the remaining process.
  for (let n = 0; n < 5; n++) await must(callerOf(server)('GET', '/v1/outcome-types'));
  // Those of the killed process reach the other, or the replacement if it is quick.
  for (const call of kept) assert.match(await processOf(server, call), /^[12]$/);
  const replacement = await nthProcess(server, '2', 2);
  t.diagnostic(`replaced after ${Math.round(elapsed())} ms`);
  assert.notEqual(replacement, killed);
  assert.deepEqual(pidsOf(server, '1'), [other], 'the other one was left alone');
  assert.equal((await oneCallerEach(server)).size, 2, 'the replacement takes connections');
  await until('clients of kept-alive connections at the replacement', async () => {
    const names = await Promise.all(kept.map((call) => processOf(server, call)));
    return names.filter((name) => name === '2').length >= 3 ? true : null;
  });
  assert.equal(await metric(server, counted), before + 5);
  assert.equal(await metric(server, 'svc_process_restarts_total'), 1);
  assert.equal(await metric(server, 'svc_processes'), 2);
  await stop(server);
});

test('another process answers a connection to one that ends before accepting it', async () => {
  const server = await startTwo();
  const stopped = await nthProcess(server, '2', 1);
  // A stopped process takes no connection that is handed to it.
  process.kill(stopped, 'SIGSTOP');
  const answers = Array.from({ length: 6 }, () => callerOf(server)('GET', '/v1/outcome-types'));
  await sleep(300);
  process.kill(stopped, 'SIGKILL');
  for (const { status, error } of await Promise.all(answers)) assert.equal(status, 200, String(error));
  await stop(server);
});

test('a process asked to stop does so cleanly, and is replaced', async () => {
  const server = await startTwo();
  const first = await nthProcess(server, '1', 1);
  process.kill(first, 'SIGTERM');
  await gone(first);
  await nthProcess(server, '1', 2);
  await until('the word of its end', () => logLines(server, 'server process 1 exited (0)')[0]);
  await stop(server);
});

test('when the process with the background work is killed, the other takes it over', async (t) => {
  const server = await startTwo();
  const dueAt = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms);
  const due = (ms: number) =>
    db.ownerQuery(`update arbiter.schedules set next_run_at = $1 where job = 'interactions.partition' returning job`, [
      dueAt(ms),
    ]);
  const ran = (ms: number) =>
    until(`run ${ms}`, async () => {
      const rows = await db.ownerQuery(
        `select from arbiter.schedules where job = 'interactions.partition' and last_run_at = $1`,
        [dueAt(ms)],
      );
      return rows[0];
    });
  await until('a schedule', async () => ((await due(1)).length > 0 ? true : null));
  await ran(1);
  const { name, other } = await workingProcess(server);
  const elapsed = stopwatch();
  process.kill(await nthProcess(server, name, 1), 'SIGKILL');
  await until('the take-over', () =>
    logLines(server, 'taking over the background work').find((line) => line.process === other),
  );
  await due(2);
  await ran(2);
  const took = elapsed();
  t.diagnostic(`process ${name} had it; its schedules ran on after ${Math.round(took)} ms`);
  assertInTime(took < takeOverMs, `${took} ms`);
  await nthProcess(server, name, 2);
  await until('ready again', async () => ((await callerOf(server)('GET', '/ready')).status === 200 ? true : null));
  await stop(server);
});

test("the other process takes over a killed process's job", async (t) => {
  const server = await startTwo();
  // A lock on the table that the job needs keeps it running until it is released.
  const release = await db.ownerHold('lock table arbiter.dead_letters in access exclusive mode');
  try {
    const [job] = await db.ownerQuery<{ id: string }>(
      `select graphile_worker.arbiter_enqueue('dead-letters.expire') as id`,
    );
    // Only this job: servers killed earlier have left locks that last until their leases end.
    const locked = () =>
      db.ownerQuery<{ pid: string }>(
        'select locked_by as pid from graphile_worker._private_jobs where id = $1 and locked_by is not null',
        [job!.id],
      );
    const [first] = await until('the job at work', async () => ((await locked()).length > 0 ? locked() : null));
    const elapsed = stopwatch();
    process.kill(await nthProcess(server, (await workingProcess(server)).name, 1), 'SIGKILL');
    await until('another worker at it', async () => {
      const [now] = await locked();
      return now !== undefined && now.pid !== first!.pid ? true : null;
    });
    const took = elapsed();
    t.diagnostic(`taken again after ${Math.round(took)} ms`);
    assertInTime(took < takeOverMs, `${took} ms`);
  } finally {
    await release();
  }
  await stop(server);
});

test('Ctrl+C stops all processes cleanly', async () => {
  const server = await startTwo();
  const pids = [await nthProcess(server, '1', 1), await nthProcess(server, '2', 1)];
  for (const pid of pids) process.kill(pid, 'SIGINT');
  server.kill('SIGINT');
  assert.deepEqual(await server.ended, { code: 0, signal: null }, server.output());
  for (const pid of pids) await gone(pid);
});

test('no process survives its parent', async () => {
  const server = await startTwo();
  const pids = [await nthProcess(server, '1', 1), await nthProcess(server, '2', 1)];
  assert.deepEqual(pids.map(isAlive), [true, true]);
  server.kill('SIGKILL');
  await server.ended;
  for (const pid of pids) await gone(pid);
});

test('a process with a blocked event loop ends with its parent', async () => {
  const hang = pathToFileURL(join(import.meta.dirname, 'nodes/hang-on-signal.ts')).href;
  const server = await startTwo({ NODE_OPTIONS: `--import=${hang}` });
  const pids = [await nthProcess(server, '1', 1), await nthProcess(server, '2', 1)];
  for (const pid of pids) process.kill(pid, 'SIGUSR2');
  await until('both loops standing still', () => (logLines(server, 'hangs').length === 2 ? true : null));
  server.kill('SIGKILL');
  await server.ended;
  for (const pid of pids) await gone(pid);
});

test('a process that keeps ending stops the server, with a reason and exit code 70', async () => {
  const server = await startTwo();
  const other = await nthProcess(server, '2', 1);
  for (let n = 1; server.running() && n <= 20; n++) {
    const pid = await until('the next process', () => (server.running() ? pidsOf(server, '1')[n - 1] : 0));
    if (pid !== 0) process.kill(pid, 'SIGKILL');
    if (pid !== 0) await gone(pid);
    if (pidsOf(server, '1').length >= 6) break;
  }
  assert.deepEqual(await server.ended, { code: 70, signal: null }, server.output());
  assert.match(server.output(), /^arbiter: server process 1 exited \(SIGKILL\); .* 6 times in a row/m);
  await gone(other);
});

test('a port in use stops the start with the reason, and leaves no process', async () => {
  const port = String(await freePort());
  const first = await startTwo({ PORT: port });
  await assert.rejects(startTwo({ PORT: port }), /ended before it was ready \(1\)[\s\S]*EADDRINUSE/);
  await stop(first);
});

test('rejects more connections than the database allows at the start', async () => {
  await assert.rejects(
    startTwo({ DATABASE_POOL_MAX: '500' }),
    /ended before it was ready \(78\)[\s\S]*PROCESSES can't be 2: .* can open \d+ connections/,
  );
});
