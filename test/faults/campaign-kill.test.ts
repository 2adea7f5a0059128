// R4: the server is killed in the middle of a campaign's run, several times, beside recommend for the same customers. Every
// customer has one decision and one message, and no limit is exceeded: once with limits of the run, while chunks overlap, and
// once with the budget of an offer, while they don't. CAMPAIGN_CUSTOMERS and CAMPAIGN_KILLS: size of the long form.
import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertInTime } from '../deadline.ts';
import { sized } from '../form.ts';
import { createCaller, createPatientCaller, must } from './api.ts';
import { loadCatalogue } from './catalogue.ts';
import { type CampaignLimits, checkCampaignRun } from './checkers/campaign-checker.ts';
import { type DurableCluster, startDurableCluster } from './nodes/durable-cluster.ts';
import { createInstallation, freePort, type Installation, type ServerProcess } from './server-process.ts';
import { stopwatch } from './stopwatch.ts';

const customers = sized('CAMPAIGN_CUSTOMERS', { short: 1_000, long: 100_000 });
const kills = sized('CAMPAIGN_KILLS', { short: 1, long: 5 });
const patienceMs = 600_000;
/** Another process takes a run over within this time. */
const takeoverMs = 30_000;
const cap = 2;

let cluster: DurableCluster;
let installation: Installation;
let port: number;
let server: ServerProcess;
const start = () => installation.start({ PORT: String(port), DATABASE_POOL_MAX: '4' });

before(async () => {
  cluster = await startDurableCluster();
  installation = await createInstallation({ ...cluster.environment }, ['Limits', 'Budget']);
  port = await freePort();
  server = await start();
});
after(async () => {
  await installation?.stopAll();
  await cluster?.stop();
});

/** Creates a segment of all customers, and a campaign for it that sends messages. Returns the campaign's id. */
async function createCampaign(key: string, limits: CampaignLimits): Promise<string> {
  const call = createPatientCaller(() => server.url, key);
  const { flow, email, offers } = await loadCatalogue(call, { offers: 6, cap });
  if (limits.budget !== null) {
    await must(call('PUT', '/v1/offers', { id: offers[0], budget: { lifetimeMaxImpressions: limits.budget } }));
  }
  const providerConfig = { provider: 'smtp' };
  await must(call('PUT', `/v1/channels/${email}`, { deliveryMode: 'integration', providerConfig }));
  const schema = await must(
    call('POST', '/v1/schemas', {
      ...{ name: 'people', displayName: 'People', schemaType: 'customer' },
      fields: [
        {
          name: 'customer_id',
          displayName: 'Id',
          dataType: 'varchar',
          length: 64,
          isPrimaryKey: true,
          isNullable: false,
        },
      ],
    }),
  );
  for (let from = 0; from < customers; from += 1_000) {
    const rows = Array.from({ length: Math.min(1_000, customers - from) }, (_, at) => ({
      customer_id: `K-${from + at}`,
    }));
    await must(call('POST', `/v1/schemas/${schema.id}/data`, { rows }));
  }
  const segment = await must(call('POST', '/v1/segments', { name: 'Everyone', baseSchemaId: schema.id }));
  const { maxTotalPerRun, maxPerOffer, maxPerChannel } = limits;
  const campaign = await must(
    call('POST', '/v1/runs', {
      ...{ decisionFlowId: flow, segmentId: segment.id, channelIds: [email] },
      frequencyCaps: { maxTotalPerRun, maxPerOffer, maxPerChannel },
    }),
  );
  return campaign.id as string;
}

interface Progress {
  readonly id: string;
  readonly status: string;
  readonly place: number;
  readonly token: number;
}

const progressOf = async (campaignId: string): Promise<Progress | undefined> =>
  (
    await cluster.query<Progress>(
      'select id, status, next_place as place, token from arbiter.campaign_runs where campaign_id = $1',
      [campaignId],
    )
  )[0];

/** Waits until the run has reached a place, or has ended. */
async function reach(campaignId: string, place: number): Promise<void> {
  const elapsed = stopwatch();
  for (;;) {
    const run = await progressOf(campaignId);
    if (run !== undefined && (run.place >= place || run.status.startsWith('complete') || run.status === 'failed'))
      return;
    assertInTime(elapsed() < patienceMs, `the run didn't reach ${place}: ${JSON.stringify(run)}`);
    await sleep(5);
  }
}

const none = { maxTotalPerRun: null, maxPerOffer: null, maxPerChannel: null, budget: null };
const scenarios = [
  {
    name: 'with limits of the run',
    limits: {
      ...none,
      ...{ maxTotalPerRun: Math.floor(customers * 1.5), maxPerOffer: Math.floor(customers * 0.9) },
      maxPerChannel: Math.floor(customers * 1.4),
    },
  },
  { name: 'with a budget', limits: { ...none, budget: Math.floor(customers * 0.6) } },
];

for (const [tenant, { name, limits: own }] of scenarios.entries()) {
  test(`${kills} kills in a run over ${customers} customers beside recommend, ${name}`, (t) =>
    killInRun(t, installation.tenants[tenant]!.key, { customers, cap, ...own }));
}

async function killInRun(t: TestContext, key: string, limits: CampaignLimits): Promise<void> {
  const id = await createCampaign(key, limits);
  const progress = () => progressOf(id);
  let isOver = false;
  const beside = createCaller(() => server.url, key, 4);
  const asked = Array.from({ length: 4 }, async (_, n) => {
    for (let at = n; !isOver; at += 4) {
      await beside('POST', '/v1/recommend', { customerId: `K-${(at * 37) % customers}`, channel: 'email', limit: 1 });
      await sleep(2);
    }
  });
  await must(createPatientCaller(() => server.url, key)('POST', `/v1/runs/${id}/campaign-runs`));
  const takeovers: number[] = [];
  for (let kill = 1; kill <= kills; kill++) {
    await reach(id, Math.floor((customers * kill) / (kills + 2)));
    server.kill('SIGKILL');
    await server.ended;
    const before = await progress();
    if (before?.status !== 'running') break;
    const elapsed = stopwatch();
    server = await start();
    const ready = elapsed();
    while ((await progress())?.token === before.token) {
      assertInTime(elapsed() - ready < takeoverMs + 60_000, 'nobody took the run over');
      await sleep(20);
    }
    takeovers.push(elapsed() - ready);
    await reach(id, before.place + 1);
    const now = await progress();
    assert.ok((now?.place ?? 0) >= before.place, 'what was committed stays');
  }
  await reach(id, customers);
  const elapsed = stopwatch();
  while (!(await progress())?.status.startsWith('completed')) {
    const run = await progress();
    assert.notEqual(run?.status, 'failed', JSON.stringify(run));
    assertInTime(elapsed() < patienceMs, `the run didn't end: ${JSON.stringify(run)}`);
    await sleep(20);
  }
  isOver = true;
  await Promise.all(asked);
  const run = await progress();
  assert.deepEqual(await checkCampaignRun(cluster.query, run!.id, limits), []);
  t.diagnostic(`taken over after ${takeovers.map(Math.round).join(', ')} ms`);
}
