// R2: the server is killed under load, again and again. What it acknowledged must exist; anything else must be complete
// or absent. KILL_ROUNDS sets the number of kills, KILL_SEED repeats a run.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sized } from '../form.ts';
import { type Caller, createCaller, createPatientCaller, must } from './api.ts';
import { type Catalogue, loadCatalogue } from './catalogue.ts';
import { checkAll, type Query } from './checkers/checker.ts';
import { type DurableCluster, startDurableCluster } from './nodes/durable-cluster.ts';
import { ackOf, createLoad, type Recorded, seededRandom } from './recorded-load.ts';
import { createInstallation, freePort, type Installation, type ServerProcess } from './server-process.ts';

const rounds = sized('KILL_ROUNDS', { short: 3, long: 20 });
const seed = Number(process.env.KILL_SEED ?? Date.now() % 1_000_000_007);
const cap = 10;
const workers = 16;
/** Acknowledged calls before each kill, however slow the machine is. One call in twenty creates an offer. */
const ackedPerRound = 15;

let cluster: DurableCluster;
let installation: Installation;
let server: ServerProcess;
let catalogue: Catalogue;
let url: string;
/** What the load recorded, for the second test. */
let last: readonly Recorded[] | null = null;

before(async () => {
  cluster = await startDurableCluster();
  const port = await freePort();
  installation = await createInstallation({ ...cluster.environment, PORT: String(port) }, ['Killed']);
  server = await installation.start();
  url = server.url;
  catalogue = await loadCatalogue(
    createPatientCaller(() => url, installation.tenants[0]!.key),
    { offers: 12, cap },
  );
});
after(async () => {
  await installation?.stopAll();
  await cluster?.stop();
});

test(`kill -9 under load, ${rounds} times: no acknowledged write is missing, none is partial (seed ${seed})`, async (t) => {
  const random = seededRandom(seed);
  const call = createCaller(() => url, installation.tenants[0]!.key);
  const load = createLoad(call, catalogue, random, 'k');
  const stop = new AbortController();
  let up = Promise.resolve();
  const running = load.run(workers, stop.signal, () => up);
  const readyMs: number[] = [];
  const acked = (): number => load.calls.filter((each) => ackOf(each) !== undefined).length;
  for (let round = 0; round < rounds; round++) {
    for (const from = acked(); acked() < from + ackedPerRound; ) await sleep(20);
    await sleep(100 + Math.floor(random() * 1_200));
    const back = Promise.withResolvers<void>();
    up = back.promise;
    server.kill('SIGKILL');
    assert.equal((await server.ended).signal, 'SIGKILL');
    server = await installation.start();
    readyMs.push(server.readyMs);
    back.resolve();
  }
  await sleep(300);
  stop.abort();
  await running;
  await load.settle();
  last = load.calls;
  for (const { call: recorded, again } of await load.repeatSome(0.03)) {
    const first = ackOf(recorded)!;
    if (recorded.kind === 'respond') {
      // A response that already counted had no effect and isn't stored, so its repeat is judged again.
      const varying =
        first.body.impression === 'already_counted' ? { status: null, timestamp: null } : { status: null };
      assert.deepEqual({ ...again.body, ...varying }, { ...first.body, ...varying }, `seed ${seed}`);
      assert.equal(again.body.status, 'duplicate');
    } else assert.equal(again.text, first.text, `a repeat of ${recorded.identity}, seed ${seed}`);
  }
  await outboxDrained();
  const patient = createPatientCaller(() => url, installation.tenants[0]!.key);
  const replays = await replaySome(patient, 25);

  const { violations, counts } = await checkAll({ query: cluster.query, calls: load.calls, cap });
  const tally = Map.groupBy(
    load.calls.flatMap((each) => each.answers.map(({ status, error }) => `${each.kind} ${error ?? status}`)),
    (line) => line,
  );
  t.diagnostic(JSON.stringify(Object.fromEntries([...tally].map(([line, each]) => [line, each.length]).sort())));
  const sorted = readyMs.toSorted((a, b) => a - b);
  t.diagnostic(`seed ${seed}; ${JSON.stringify(counts)}`);
  t.diagnostic(
    `ready again after a kill: median ${Math.round(sorted[sorted.length >> 1] ?? 0)} ms, longest ${Math.round(sorted.at(-1) ?? 0)} ms; ${replays} replays identical`,
  );
  // 503 and 429: a busy machine may refuse, but must not lose anything.
  const expected = /^(0|2..|409|429|503)$|^(ECONNRESET|ECONNREFUSED|EPIPE|socket hang up|cut off)$/;
  for (const line of tally.keys()) assert.match(line.slice(line.indexOf(' ') + 1), expected, `an answer ${line}`);
  assert.deepEqual(violations.slice(0, 20), [], `${violations.length} violations, seed ${seed}`);
  for (const [kind, least] of Object.entries({ recommend: 2, respond: 2, updateOffer: 0.3, createOffer: 0.2 })) {
    const acked = counts[`${kind} acked`] ?? 0;
    assert.ok(acked > rounds * least, `the load had too little of ${kind}: ${JSON.stringify(counts)}`);
  }
  const verified = await must(patient('GET', '/v1/audit-logs/verify'));
  assert.equal(verified.intact, true, JSON.stringify(verified));
});

/** Damage of each kind that the checker detects, planted in a transaction that is rolled back. */
const damages: readonly (readonly [what: string, statement: string])[] = [
  ['a lost decision', 'delete from arbiter.decisions where id = (select min(id::text)::uuid from arbiter.decisions)'],
  ['a lost item', 'update arbiter.decision_impressions set offer_ids = offer_ids[2:]'],
  ['lost items', 'delete from arbiter.decision_impressions'],
  ['a lost reservation', `delete from arbiter.interactions where interaction_type = 'recommendation'`],
  ['a settlement that is not known', 'update arbiter.interactions set reservation_settled_by = null'],
  ['a lost response', `delete from arbiter.interactions where interaction_type = 'response'`],
  [
    'a response that was written twice',
    `insert into arbiter.interactions select (jsonb_populate_record(i, jsonb_build_object('id', overlay(i.id::text placing 'ffff' from 31)))).*
     from arbiter.interactions i where interaction_type = 'response' limit 1`,
  ],
  ['a forgotten requestId', 'delete from arbiter.decision_requests'],
  ['a state row that was set back', `update arbiter.customer_states set state = ''`],
  ['a figure that was added twice', 'update arbiter.daily_totals set impressions = impressions + 1'],
  ['a figure that was lost', 'delete from arbiter.daily_totals where positive + negative + neutral > 0'],
  ['a number that was lost', 'update arbiter.customer_states set customer_seq = customer_seq + 1'],
  ['an event that waits', 'update arbiter.outbox set position = null where position = 1'],
  ['an event that was lost', 'delete from arbiter.outbox where position = (select max(position) from arbiter.outbox)'],
  ['an update that was lost', 'update arbiter.offers set version = version - 1 where version > 1'],
  ['an offer that was lost', `delete from arbiter.offers where name like 'k offer %'`],
  ['a changed audit row', `update arbiter.audit_logs set user_name = 'nobody' where sequence = 7`],
  [
    'a lost audit row',
    'delete from arbiter.audit_logs where sequence = (select max(sequence) from arbiter.audit_logs)',
  ],
  ['evidence that was lost', 'delete from arbiter.evidence_changes where number = 1'],
  ['a plan that was lost', 'delete from arbiter.plans'],
];

test('the checker finds damage', async () => {
  assert.ok(last !== null, 'the load ran');
  const client = await cluster.pool.connect();
  const within: Query = async <Row>(text: string, values: readonly unknown[] = []) =>
    (await client.query(text, [...values])).rows as Row[];
  try {
    for (const [what, statement] of damages) {
      await client.query('begin');
      // Foreign keys would prevent some of the damage.
      await client.query(`set local session_replication_role = 'replica'`);
      const { rowCount } = await client.query(statement);
      assert.ok((rowCount ?? 0) > 0, `${what}: nothing was damaged`);
      const { violations } = await checkAll({ query: within, calls: last, cap });
      await client.query('rollback');
      assert.notEqual(violations.length, 0, what);
    }
    const tooMany = await checkAll({ query: within, calls: last, cap: 2 });
    assert.notEqual(tooMany.violations.length, 0, 'a cap that was exceeded');
  } finally {
    client.release();
  }
});

/** Background work gets a second; then nothing may be pending. */
async function outboxDrained(): Promise<void> {
  const until = performance.now() + 60_000;
  for (;;) {
    const [row] = await cluster.query<{ n: number }>(
      'select count(*)::int as n from arbiter.outbox where position is null',
    );
    if (row!.n === 0) return;
    if (performance.now() > until) assert.fail(`${row!.n} outbox rows stay pending`);
    await sleep(100);
  }
}

/** Replays decisions from before and after kills byte for byte. */
async function replaySome(call: Caller, howMany: number): Promise<number> {
  const rows = await cluster.query<{ id: string }>('select id from arbiter.decisions order by md5(id::text) limit $1', [
    howMany,
  ]);
  for (const { id } of rows) {
    const replay = await must(call('POST', `/v1/decisions/${id}/replay`, {}));
    assert.equal(replay.identical, true, `decision ${id}: ${JSON.stringify(replay.differences)}`);
  }
  return rows.length;
}
