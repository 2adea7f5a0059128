// R20 for work beyond one transaction: a process is killed while it holds an Idempotency-Key, and the caller tries
// another process. Committed work isn't repeated, and unfinished work is taken over.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestDatabase, type TestDatabase } from '../../packages/server/src/db/test-database.ts';
import {
  startDestination,
  type TestDestination,
} from '../../packages/server/src/features/operations/notifications/test-destination.ts';
import { sized } from '../form.ts';
import { type Answer, createPatientCaller, must } from './api.ts';
import { seededRandom } from './recorded-load.ts';
import { createInstallation, type Installation, type ServerProcess } from './server-process.ts';
import { stopwatch } from './stopwatch.ts';

const rounds = sized('KEYED_KILLS', { short: 2, long: 3 });
const seed = Number(process.env.KILL_SEED ?? Date.now() % 1_000_000_007);
const patienceMs = 90_000;

let db: TestDatabase;
let sink: TestDestination;
let installation: Installation;
let victim: ServerProcess;
let survivor: ServerProcess;

before(async () => {
  db = await createTestDatabase();
  sink = await startDestination();
  const environment = { DATABASE_URL: db.url, OUTBOUND_HTTP_OK: 'on', OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8' };
  installation = await createInstallation(environment, ['Keyed']);
  [victim, survivor] = [await installation.start(), await installation.start()];
});
after(async () => {
  await installation?.stopAll();
  await sink?.close();
  await db?.close();
});

const callerOf = (server: () => ServerProcess) => createPatientCaller(() => server().url, installation.tenants[0]!.key);
const onVictim = (...call: Parameters<ReturnType<typeof callerOf>>) => callerOf(() => victim)(...call);
const onSurvivor = (...call: Parameters<ReturnType<typeof callerOf>>) => callerOf(() => survivor)(...call);

/** A destination at a path of the sink. */
async function destination(path: string): Promise<string> {
  const body = { kind: 'webhook', name: path, config: { url: sink.url(path) } };
  return String((await must(onSurvivor('POST', '/v1/notifications/providers', body))).id);
}

async function until(what: string, isSo: () => boolean, answers: readonly Promise<Answer>[]): Promise<void> {
  const elapsed = stopwatch();
  const told: string[] = [];
  for (const answer of answers) void answer.then(({ status, text }) => told.push(`${status} ${text}`));
  while (!isSo()) {
    assert.ok(elapsed() < patienceMs && told.length === 0, `${what}, seed ${seed}: ${told.join('\n')}`);
    await sleep(2);
  }
}

/** Repeats the call until nobody else is working on it. */
async function untilTakenOver(call: () => Promise<Answer>): Promise<Answer> {
  const elapsed = stopwatch();
  for (;;) {
    const answer = await call();
    if (answer.body.code !== 'idempotency_in_progress' || elapsed() > patienceMs) return answer;
    await sleep(500);
  }
}

async function kill(): Promise<void> {
  victim.kill('SIGKILL');
  await victim.ended;
}

const ids = (path: string): Set<unknown> => new Set(sink.got(path).map(({ headers }) => headers['webhook-id']));

test('a repeat takes over the work of a killed process', async (t) => {
  sink.on('/held', () => undefined);
  sink.on('/report', () => undefined);
  const [held, ofReport] = [await destination('/held'), await destination('/report')];
  const { id: templateId } = await must(
    onSurvivor('POST', '/v1/reports/templates', {
      name: 'Killed',
      dataSources: [{ sourceKey: 'summary', params: {} }],
      formats: ['csv'],
    }),
  );
  const key = { 'idempotency-key': 'killed' };
  const message = { providerIds: [held], notification: { title: 'Once', message: 'Only once.' } };
  const send = (call: typeof onVictim) => call('POST', '/v1/notifications/send', message, key);
  const runNow = (call: typeof onVictim) =>
    call('POST', `/v1/reports/templates/${String(templateId)}/run-now`, { destinations: [ofReport] }, key);
  const broken = [send(onVictim), runNow(onVictim)];
  await until('both are under way', () => sink.got('/held').length + sink.got('/report').length === 2, broken);
  await kill();
  const elapsed = stopwatch();
  for (const { status } of await Promise.all(broken)) assert.equal(status, 0, 'no answer came');
  for (const again of [send, runNow]) {
    const { status, body } = await again(onSurvivor);
    assert.deepEqual([status, body.code], [409, 'idempotency_in_progress'], 'the other process may still be there');
  }
  sink.on('/held', (response) => response.end('ok'));
  const [sent, ran] = [await untilTakenOver(() => send(onSurvivor)), await untilTakenOver(() => runNow(onSurvivor))];
  t.diagnostic(`taken over ${Math.round(elapsed() / 1000)} s after the kill`);
  assert.equal(sent.status, 200, sent.text);
  assert.deepEqual([sink.got('/held').length, ids('/held').size], [2, 1], 'receivers see that it is the same message');
  assert.equal(ran.status, 202, ran.text);
  assert.equal(ran.body.status, 'failed');
  assert.equal(sink.got('/report').length, 1, 'nobody knows what the run had sent, so nothing is sent again');
  const { data } = await must(onSurvivor('GET', '/v1/reports/runs'));
  const runs = data as { id: string; error: string | null }[];
  assert.deepEqual(
    runs.map(({ id, error }) => [id, error]),
    [[ran.body.runId, 'interrupted']],
    'there is one run',
  );
  for (const [again, first] of [
    [send, sent],
    [runNow, ran],
  ] as const) {
    const repeat = await again(onSurvivor);
    assert.deepEqual([repeat.status, repeat.text], [first.status, first.text]);
    assert.equal(repeat.headers['idempotent-replay'], 'true');
  }
  assert.equal(sink.got('/held').length, 2);
});

test(`doesn't repeat what a killed process committed: ${rounds} kills (seed ${seed})`, async (t) => {
  const random = seededRandom(seed);
  const path = '/quick';
  const id = await destination(path);
  let committed = 0;
  for (let round = 0; round < rounds; round += 1) {
    victim = await installation.start();
    const path = '/quick';
    const sentBefore = sink.got(path).length;
    const message = { providerIds: [id], notification: { title: 'Once', message: `Round ${round}` } };
    const key = { 'idempotency-key': `round-${round}` };
    const send = (call: typeof onVictim) => call('POST', '/v1/notifications/send', message, key);
    const first = send(onVictim);
    await until('it was sent', () => sink.got(path).length > sentBefore, [first]);
    await sleep(random() * 20);
    await kill();
    await first;
    // As if the key's hold time were over.
    const rows = await db.ownerQuery<{ open: boolean }>(
      `update arbiter.idempotency_keys
          set held_until = case when work_id is null then null else clock_timestamp() - interval '1 second' end
        where key = $1 returning work_id is not null as open`,
      [`round-${round}`],
    );
    const [{ open } = { open: true }] = rows;
    const again = await untilTakenOver(() => send(onSurvivor));
    assert.equal(again.status, 200, `${again.text}, seed ${seed}`);
    const came = sink.got(path).slice(sentBefore);
    assert.equal(came.length, open ? 2 : 1, `round ${round}, seed ${seed}`);
    assert.equal(new Set(came.map(({ headers }) => headers['webhook-id'])).size, 1);
    assert.equal(again.headers['idempotent-replay'], open ? undefined : 'true');
    if (!open) committed += 1;
  }
  t.diagnostic(`${committed} of ${rounds} had committed before they were killed`);
});
