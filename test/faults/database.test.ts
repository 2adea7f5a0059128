// R3: the database loses its connections, crashes or hangs. The server returns 503, loses nothing it acknowledged, and
// recovers on its own.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertInTime } from '../deadline.ts';
import { sized } from '../form.ts';
import { type Answer, type Caller, createCaller, createPatientCaller } from './api.ts';
import { type Catalogue, loadCatalogue } from './catalogue.ts';
import { checkAll } from './checkers/checker.ts';
import { type DurableCluster, startDurableCluster } from './nodes/durable-cluster.ts';
import { createLoad, type RecordedLoad, seededRandom } from './recorded-load.ts';
import { createInstallation, type Installation, type ServerProcess } from './server-process.ts';
import { stopwatch } from './stopwatch.ts';

const seed = Number(process.env.FAULT_SEED ?? Date.now() % 1_000_000_007);
const repeats = sized('FAULT_ROUNDS', { short: 2, long: 5 });
const cap = 10;
/** Nothing hangs for over 5 s, and everything works 5 s after the database is back (R3). */
const hangMs = 5_000;
const wholeMs = 5_000;

let cluster: DurableCluster;
let installation: Installation;
let server: ServerProcess;
let call: Caller;
let catalogue: Catalogue;
/** One recording for all faults: later faults must not lose what earlier ones kept. */
let load: RecordedLoad;
const random = seededRandom(seed);
let probes = 0;

before(async () => {
  cluster = await startDurableCluster();
  installation = await createInstallation(cluster.environment, ['Faults']);
  server = await installation.start();
  call = createCaller(() => server.url, installation.tenants[0]!.key);
  const patient = createPatientCaller(() => server.url, installation.tenants[0]!.key);
  catalogue = await loadCatalogue(patient, { offers: 12, cap });
  load = createLoad(call, catalogue, random, 'd');
});
after(async () => {
  await installation?.stopAll();
  await cluster?.stop();
});

/** Connections of the server under test, including its worker's. */
const ours = `application_name like 'arbiter%' and pid <> pg_backend_pid() and usename <> current_user`;

interface Fault {
  readonly name: string;
  readonly repeats: number;
  /** Causes the fault. Resolves when the database answers again. */
  strike(): Promise<void>;
}

const faults: readonly Fault[] = [
  {
    name: 'every connection is terminated',
    repeats,
    async strike() {
      const [row] = await cluster.query<{ n: number }>(
        `select count(pg_terminate_backend(pid))::int as n from pg_stat_activity where ${ours}`,
      );
      assert.ok(row!.n >= 3, `only ${row!.n} connections to terminate`);
    },
  },
  {
    name: 'PostgreSQL restarts at once, without a shutdown',
    repeats,
    async strike() {
      await cluster.crash();
      await cluster.answering();
    },
  },
  {
    name: 'one backend is killed, and PostgreSQL recovers',
    repeats: 1,
    async strike() {
      const [row] = await cluster.query<{ pid: number }>(`select pid from pg_stat_activity where ${ours} limit 1`);
      process.kill(row!.pid, 'SIGKILL');
      await sleep(50);
      await cluster.answering();
    },
  },
  {
    name: 'every backend stands still for ten seconds',
    repeats: 1,
    async strike() {
      const rows = await cluster.query<{ pid: number }>(`select pid from pg_stat_activity where ${ours}`);
      const signal = (name: NodeJS.Signals): void => {
        for (const { pid } of rows) {
          try {
            process.kill(pid, name);
          } catch {
            // Ended in the meantime.
          }
        }
      };
      signal('SIGSTOP');
      await sleep(10_000);
      signal('SIGCONT');
    },
  },
];

/** Makes one call of each kind. True if all succeed. */
async function everythingWorks(): Promise<boolean> {
  const customerId = `probe-${probes++}`;
  const answers = await Promise.all([
    call('POST', '/v1/recommend', { customerId, channel: 'email', limit: 1 }),
    call('POST', '/v1/respond', { customerId, creativeId: catalogue.creatives[0]!, outcome: 'deferred' }),
    call('GET', '/v1/offers?limit=1'),
    call('GET', '/ready'),
  ]);
  return answers.every(({ status }) => status === 200);
}

for (const fault of faults) {
  test(`${fault.name}, ${fault.repeats} times: only 503, nothing lost, recovered within 5 s (seed ${seed})`, async (t) => {
    const before = load.calls.length;
    const stop = new AbortController();
    const running = load.run(12, stop.signal, async () => undefined);
    const wholeAfter: number[] = [];
    for (let round = 0; round < fault.repeats; round++) {
      await sleep(200 + Math.floor(random() * 500));
      await fault.strike();
      const sinceBack = stopwatch();
      while (!(await everythingWorks())) {
        if (sinceBack() > 3 * wholeMs) break;
        await sleep(25);
      }
      wholeAfter.push(Math.round(sinceBack()));
    }
    await sleep(200);
    stop.abort();
    await running;
    await load.settle();

    const answers = load.calls.slice(before).flatMap((each) => each.answers);
    const statuses = Map.groupBy(answers, ({ status, error, body }) => error ?? `${status} ${body.code ?? ''}`.trim());
    const slowest = Math.max(...answers.map(({ ms }) => ms));
    t.diagnostic(JSON.stringify(Object.fromEntries([...statuses].map(([key, each]) => [key, each.length]))));
    t.diagnostic(`whole after ${wholeAfter.join(', ')} ms; slowest answer ${Math.round(slowest)} ms`);
    assert.ok(server.running(), `the process ended:\n${server.output()}`);
    for (const [status, each] of statuses) {
      assert.match(
        status,
        /^(2..|429 rate_limited|503 unavailable|503 overloaded|409 concurrent_modification)$/,
        describe(each),
      );
    }
    assertInTime(slowest < hangMs, `an answer took ${slowest} ms`);
    for (const ms of wholeAfter) assertInTime(ms < wholeMs, `whole again only after ${ms} ms`);

    await atRest();
    const { violations, counts } = await checkAll({ query: cluster.query, calls: load.calls, cap });
    t.diagnostic(JSON.stringify(counts));
    assert.deepEqual(violations.slice(0, 20), [], `${violations.length} violations, seed ${seed}`);
  });
}

const describe = (answers: readonly Answer[]): string =>
  `${answers[0]?.status} ${answers[0]?.error} ${answers[0]?.text}`;

/**
 * Waits until the outbox is empty and no connection of the server is in a transaction, the only place where a tenant is
 * set.
 */
async function atRest(): Promise<void> {
  const until = performance.now() + 60_000;
  for (;;) {
    const [row] = await cluster.query<{ pending: number; open: number; waiting: number }>(`
      select (select count(*) from arbiter.outbox where position is null)::int as pending,
        (select count(*) from pg_stat_activity where ${ours} and xact_start is not null)::int as open,
        (select count(*) from pg_locks where not granted)::int as waiting`);
    if (row!.pending === 0 && row!.open === 0 && row!.waiting === 0) return;
    if (performance.now() > until) assert.fail(`not at rest: ${JSON.stringify(row)}`);
    await sleep(50);
  }
}
