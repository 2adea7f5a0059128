// Caps over several processes that are killed under 200 parallel requests of one customer: history shows no excess at
// any instant, and what was released or expired can be shown again, to the last item. CAP_SERVERS: servers of two
// processes each, 4 for the large form. CAP_KILLS: rounds, each with a kill. CAP_EXPIRY=1: the reservations of the last
// rounds expire, which takes a minute.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertInTime } from '../deadline.ts';
import { sized } from '../form.ts';
import { type Caller, createCaller, createPatientCaller, must } from './api.ts';
import { type Contact, contactRows, contactsOf, countedAt, findExcess, type HistoryRow } from './cap-history.ts';
import { loadCatalogue } from './catalogue.ts';
import { type DurableCluster, startDurableCluster } from './nodes/durable-cluster.ts';
import { seededRandom } from './recorded-load.ts';
import { createInstallation, freePort, type Installation, type ServerProcess } from './server-process.ts';
import { stopwatch } from './stopwatch.ts';

const servers = Number(process.env.CAP_SERVERS ?? 2);
const rounds = sized('CAP_KILLS', { short: 1, long: 2 });
const isLeftToExpire = process.env.CAP_EXPIRY === '1';
const seed = Number(process.env.KILL_SEED ?? Date.now() % 1_000_000_007);
const parallel = 200;
const cap = 10;
const weekMs = 7 * 86_400_000;
const rule = { max: cap, from: (at: number) => at - weekMs };

let cluster: DurableCluster;
let installation: Installation;
const nodes: { readonly port: number; process: ServerProcess; readonly call: Caller }[] = [];
const key = (): string => installation.tenants[0]!.key;

/** The database takes 100 connections, and one server does the background work. */
const startNode = (port: number, worker: boolean): Promise<ServerProcess> =>
  installation.start({
    PORT: String(port),
    PROCESSES: '2',
    DATABASE_POOL_MAX: '2',
    WORKER: worker ? 'on' : 'off',
  });

before(async () => {
  cluster = await startDurableCluster();
  installation = await createInstallation({ ...cluster.environment }, ['Caps']);
  for (let n = 0; n < servers; n++) {
    const port = await freePort();
    const node = { port, process: await startNode(port, n === 0) };
    nodes.push({ ...node, call: createCaller(() => nodes[n]!.process.url, key(), parallel) });
  }
  const call = createPatientCaller(() => nodes[0]!.process.url, key());
  await loadCatalogue(call, { offers: 14, cap });
  await must(call('PUT', '/v1/tenant-settings', { reservationTtlSeconds: 60 }));
});
after(async () => {
  await installation?.stopAll();
  await cluster?.stop();
});

const contacts = async (): Promise<Contact[]> => contactsOf(await cluster.query<HistoryRow>(contactRows));

/** Requests decisions on every node in turn until there are no more items. Returns how much counts then. */
async function useUp(customerId: string): Promise<number> {
  const calls = nodes.map((_, n) => createPatientCaller(() => nodes[n]!.process.url, key()));
  for (let n = 0, empty = 0; empty < calls.length; n++) {
    const answer = await must(
      calls[n % calls.length]!('POST', '/v1/recommend', { customerId, channel: 'email', limit: 3 }),
    );
    empty = answer.count === 0 ? empty + 1 : 0;
  }
  const own = (await contacts()).filter((each) => each.customerId === customerId);
  return countedAt(own, rule, Date.now());
}

test(`${servers * 2} processes, ${rounds} rounds of ${parallel} parallel requests of a customer, each with a kill (seed ${seed})`, async (t) => {
  const random = seededRandom(seed);
  const told = new Map<string, number>();
  const customers: string[] = [];
  for (let round = 0; round < rounds; round++) {
    const customerId = `killed ${round}`;
    customers.push(customerId);
    const asked = Array.from({ length: parallel }, (_, i) =>
      nodes[i % servers]!.call('POST', '/v1/recommend', {
        customerId,
        channel: random() < 0.5 ? 'email' : 'phone',
        limit: 1 + Math.floor(random() * 3),
      }),
    );
    await sleep(random() * 60);
    const victim = nodes[Math.floor(random() * servers)]!;
    victim.process.kill('SIGKILL');
    await victim.process.ended;
    for (const { status, error } of await Promise.all(asked)) {
      const what = status === 0 ? String(error) : String(status);
      told.set(what, (told.get(what) ?? 0) + 1);
    }
    victim.process = await startNode(victim.port, victim === nodes[0]);
    assert.deepEqual(findExcess(await contacts(), rule), [], `round ${round}, seed ${seed}`);
  }
  const open = await cluster.query<{ id: string }>(
    `select id from arbiter.interactions where reservation_state = 'open' order by md5(id::text)`,
  );
  const call = createPatientCaller(() => nodes[0]!.process.url, key());
  if (isLeftToExpire) {
    const elapsed = stopwatch();
    while ((await contacts()).some(({ until }) => until !== null && until > Date.now())) {
      assertInTime(elapsed() < 120_000, 'reservations of a minute are open after two');
      await sleep(500);
    }
  } else {
    for (const [n, { id }] of open.entries()) {
      const outcome = n % 3 === 0 ? 'impression' : 'not_presented';
      await must(call('POST', '/v1/respond', { interactionId: id, outcome }));
    }
  }
  for (const customerId of customers) {
    const used = await useUp(customerId);
    // What a slow machine reported late may be on top.
    const late = (await contacts()).filter((each) => each.customerId === customerId && each.late).length;
    const told = `${customerId} was shown ${used} of ${cap}, ${late} of them late, seed ${seed}`;
    assert.ok(used >= cap && used - late <= cap, told);
  }
  const all = await contacts();
  assert.deepEqual(findExcess(all, rule), [], `seed ${seed}`);
  // The checker detects an excess.
  assert.notEqual(findExcess(all, { ...rule, max: cap - 1 }).length, 0);
  t.diagnostic(JSON.stringify({ told: Object.fromEntries(told), contacts: all.length, reservations: open.length }));
});
