// Budgets are exact over several processes on one database, with 200 parallel callers, while some processes are killed
// and restarted: no more than the cap is shown, and nothing that was released is lost. BUDGET_SERVERS: servers of two
// processes each, 4 for the large form. BUDGET_EXPIRY=1: remaining reservations expire, which takes a minute, instead
// of being released.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertInTime } from '../deadline.ts';
import { sized } from '../form.ts';
import { type Answer, type Caller, createCaller, createPatientCaller, itemsOf, must } from './api.ts';
import { type Catalogue, loadCatalogue } from './catalogue.ts';
import { type DurableCluster, startDurableCluster } from './nodes/durable-cluster.ts';
import { createInstallation, freePort, type Installation, type ServerProcess } from './server-process.ts';
import { stopwatch } from './stopwatch.ts';

/** Servers of two processes each. */
const servers = Number(process.env.BUDGET_SERVERS ?? 2);
const isLeftToExpire = process.env.BUDGET_EXPIRY === '1';
const parallel = 200;
const kills = sized('BUDGET_KILLS', { short: 1, long: 2 });
const caps = { impressions: 300, cents: 1_000, perImpression: 4, category: 700 };

let cluster: DurableCluster;
let installation: Installation;
let catalogue: Catalogue;
const nodes: { port: number; process: ServerProcess; call: Caller }[] = [];

/** The database takes 100 connections, and only one server may do background work. */
async function startNode(port: number): Promise<ServerProcess> {
  const isFirst = nodes.length === 0 || nodes[0]?.port === port;
  const worker = isFirst ? 'on' : 'off';
  return installation.start({ PORT: String(port), PROCESSES: '2', DATABASE_POOL_MAX: '2', WORKER: worker });
}

before(async () => {
  cluster = await startDurableCluster();
  installation = await createInstallation({ ...cluster.environment }, ['Budgets']);
  for (let n = 0; n < servers; n++) {
    const port = await freePort();
    const node = { port, process: await startNode(port) };
    nodes.push({ ...node, call: createCaller(() => nodes[n]!.process.url, key()) });
  }
  const call = createPatientCaller(() => nodes[0]!.process.url, key());
  catalogue = await loadCatalogue(call, { offers: 3, cap: 1_000_000 });
  await must(call('PUT', '/v1/tenant-settings', { reservationTtlSeconds: 60 }));
  const [first, second] = catalogue.offers;
  await must(call('PUT', '/v1/offers', { id: first, budget: { lifetimeMaxImpressions: caps.impressions } }));
  const priced = { lifetimeCapCents: caps.cents, costPerImpressionCents: caps.perImpression };
  await must(call('PUT', '/v1/offers', { id: second, budget: priced }));
  await must(
    call('POST', '/v1/contact-policies', {
      name: 'Budget of the category',
      ruleType: 'budget_exhausted',
      scope: 'category',
      scopeId: catalogue.category,
      config: { budgetField: 'impressions', threshold: caps.category },
    }),
  );
});
after(async () => {
  await installation?.stopAll();
  await cluster?.stop();
});

const key = (): string => installation.tenants[0]!.key;

/** Returns impressions and open reservations in history, by offer: what was committed, whatever the response. */
async function shown(): Promise<Map<string, number>> {
  const rows = await cluster.query<{ offer_id: string; n: string }>(
    `select offer_id, count(*) as n from arbiter.interaction_history
     where interaction_type = 'impression'
        or (interaction_type = 'recommendation' and reservation_state = 'open' and reservation_expires_at > now())
     group by 1`,
  );
  return new Map(rows.map(({ offer_id, n }) => [offer_id, Number(n)]));
}

test(`${servers * 2} processes, ${parallel} callers, ${kills} kills: budgets are used to the last unit and never exceeded`, async (t) => {
  let running = true;
  /** A server that starts next to 200 callers on a busy machine needs up to a minute. Callers wait for it. */
  let started = Promise.resolve();
  let asked = 0;
  let answered = 0;
  /** Failures other than a killed or busy server's, such as a batch that never got what it counted on. */
  const faults = new Set<string>();
  const heard = ({ status, text }: Answer): void => {
    if (![0, 200, 429, 503].includes(status)) faults.add(`${status} ${text}`);
  };
  /** Only expiring reservations are left, so callers don't have to hurry. */
  let used = false;
  const work = Array.from({ length: parallel }, async (_, caller) => {
    while (running) {
      const node = nodes[asked % nodes.length]!;
      asked += 1;
      await started;
      const channelId = asked % 3 === 0 ? catalogue.phone : catalogue.email;
      const body = { customerId: `budget ${caller} ${asked}`, channelId, limit: 1 + (asked % 2) };
      const answer = await node.call('POST', '/v1/recommend', body);
      heard(answer);
      if (answer.status !== 200) {
        // Refused, or killed in the meantime.
        await sleep(200);
        continue;
      }
      answered += 1;
      if (used) await sleep(1_000);
      const [item] = itemsOf(answer.body);
      if (item === undefined || channelId !== catalogue.phone || asked % 2 === 0) continue;
      const { interactionId } = item;
      heard(await node.call('POST', '/v1/respond', { interactionId, outcome: fateOf(interactionId) }));
    }
  });
  t.after(() => {
    running = false;
  });
  for (let kill = 0; kill < kills; kill++) {
    await sleep(400);
    const node = nodes[1 + (kill % (servers - 1))]!;
    node.process.kill('SIGKILL');
    await node.process.ended;
    // Let the others continue for a moment.
    await sleep(200);
    const back = Promise.withResolvers<void>();
    started = back.promise;
    node.process = await startNode(node.port).finally(back.resolve);
  }
  const elapsed = stopwatch();
  const total = (): Promise<number> => shown().then((counts) => [...counts.values()].reduce((sum, n) => sum + n, 0));
  // Unconfirmed reservations are released or expire, and what they held is shown to someone else.
  while ((await openReservations()).length > 0 || (await total()) < caps.category) {
    assertInTime(elapsed() < 150_000, `${await total()} of ${caps.category} were shown, and no more`);
    used = (await total()) >= caps.category;
    if (used && !isLeftToExpire) {
      const settle = (interactionId: string) =>
        nodes[0]!.call('POST', '/v1/respond', { interactionId, outcome: fateOf(interactionId) });
      await Promise.all((await openReservations()).map(settle));
    }
    await sleep(300);
  }
  running = false;
  await Promise.all(work);
  assert.deepEqual([...faults], []);

  // On a busy machine a report may arrive after its minute. It counts as late and may exceed the cap.
  const late = await cluster.query<{ offer_id: string }>(
    `select offer_id from arbiter.interaction_history where details->>'late' = 'true'`,
  );
  const counts = await shown();
  /** Returns what was shown of an offer while it had capacity left. */
  const inTime = (id: string): number => (counts.get(id) ?? 0) - late.filter(({ offer_id }) => offer_id === id).length;
  const [first = '', second = '', third = ''] = catalogue.offers;
  const told = [first, second, third].map((id) => counts.get(id) ?? 0);
  t.diagnostic(JSON.stringify({ asked, answered, shown: told, late: late.length }));
  assert.ok(inTime(first) <= caps.impressions, `${inTime(first)} of ${caps.impressions}`);
  assert.ok(inTime(second) * caps.perImpression <= caps.cents, `${inTime(second)} at 4 of ${caps.cents}`);
  const all = await total();
  assert.ok(all >= caps.category, `the category is used up: ${all}`);
  assert.ok(all - late.length <= caps.category, `the category is not exceeded: ${all}, ${late.length} late`);
  const [offer] = await cluster.query<{ impressions: string; cents: string }>(
    `select impressions, spent_cents as cents from arbiter.volumes where kind = 'offer' and subject_id = $1`,
    [second],
  );
  assert.equal(Number(offer?.impressions), counts.get(second), 'the counter is what history holds');
  assert.equal(Number(offer?.cents), (counts.get(second) ?? 0) * caps.perImpression);
});

/**
 * What is reported of an item, whoever reports it. Contradicting reports would exceed the cap rightfully: an impression
 * reported after its capacity was released has happened, and counts as late.
 */
const fateOf = (interactionId: string): string => (/[0-7]$/.test(interactionId) ? 'impression' : 'not_presented');

async function openReservations(): Promise<string[]> {
  const rows = await cluster.query<{ id: string }>('select item_id as id from arbiter.volume_reservations');
  return rows.map(({ id }) => id);
}
