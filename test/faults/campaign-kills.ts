// A campaign whose process is killed again and again, next to recommend for the same customers, for a test and a benchmark.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertInTime } from '../deadline.ts';
import { createCaller, createPatientCaller, must } from './api.ts';
import { loadCatalogue } from './catalogue.ts';
import { type CampaignLimits, checkCampaignRun } from './checkers/campaign-checker.ts';
import { type DurableCluster, startDurableCluster } from './nodes/durable-cluster.ts';
import { createInstallation, freePort, type Installation, type ServerProcess } from './server-process.ts';
import { stopwatch } from './stopwatch.ts';

const patienceMs = 600_000;
/** Time within which another process takes over a run. */
export const takeoverMs = 30_000;
/** Maximum offers per customer. */
export const cap = 2;

/** A server whose database outlives it. */
export interface KilledServer {
  readonly cluster: DurableCluster;
  readonly installation: Installation;
  readonly start: () => Promise<ServerProcess>;
  server: ServerProcess;
  stop(): Promise<void>;
}

/** Starts a server with a tenant of each name. */
export async function startKilledServer(tenants: readonly string[]): Promise<KilledServer> {
  const cluster = await startDurableCluster();
  const installation = await createInstallation({ ...cluster.environment }, tenants);
  const port = await freePort();
  const start = () => installation.start({ PORT: String(port), DATABASE_POOL_MAX: '4' });
  return {
    ...{ cluster, installation, start },
    server: await start(),
    async stop() {
      await installation.stopAll();
      await cluster.stop();
    },
  };
}

/** Creates a segment of all customers, and a campaign for it that sends messages. Returns the campaign's id. */
async function createCampaign(world: KilledServer, key: string, limits: CampaignLimits): Promise<string> {
  const { customers } = limits;
  const call = createPatientCaller(() => world.server.url, key);
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

const progressOf = async ({ cluster }: KilledServer, campaignId: string): Promise<Progress | undefined> =>
  (
    await cluster.query<Progress>(
      'select id, status, next_place as place, token from arbiter.campaign_runs where campaign_id = $1',
      [campaignId],
    )
  )[0];

/** Waits until the run has reached a place, or has ended. */
async function reach(world: KilledServer, campaignId: string, place: number): Promise<void> {
  const elapsed = stopwatch();
  for (;;) {
    const run = await progressOf(world, campaignId);
    if (run !== undefined && (run.place >= place || run.status.startsWith('complete') || run.status === 'failed'))
      return;
    assertInTime(elapsed() < patienceMs, `the run didn't reach ${place}: ${JSON.stringify(run)}`);
    await sleep(5);
  }
}

export interface KilledRun {
  /** Problems in the stored data. */
  readonly findings: readonly string[];
  /** For each kill, the time that a new process took to take over the run, in ms. */
  readonly takeovers: readonly number[];
}

/** Runs a campaign over all customers and kills its process repeatedly. */
export async function killInRun(
  world: KilledServer,
  key: string,
  { kills, limits }: { readonly kills: number; readonly limits: CampaignLimits },
): Promise<KilledRun> {
  const { customers } = limits;
  const id = await createCampaign(world, key, limits);
  const progress = () => progressOf(world, id);
  let isOver = false;
  const beside = createCaller(() => world.server.url, key, 4);
  const calls = Array.from({ length: 4 }, async (_, n) => {
    for (let at = n; !isOver; at += 4) {
      // Chunks overlap only while nobody calls.
      while (!isOver && Math.floor(performance.now() / 1_000) % 2 === 1) await sleep(20);
      await beside('POST', '/v1/recommend', { customerId: `K-${(at * 37) % customers}`, channel: 'email', limit: 1 });
      await sleep(2);
    }
  });
  await must(createPatientCaller(() => world.server.url, key)('POST', `/v1/runs/${id}/campaign-runs`));
  const takeovers: number[] = [];
  for (let kill = 1; kill <= kills; kill++) {
    // A run with a limit of its own may end before its last quarter.
    await reach(world, id, Math.floor((customers * 0.75 * kill) / (kills + 1)));
    world.server.kill('SIGKILL');
    await world.server.ended;
    const before = await progress();
    if (before?.status !== 'running') break;
    const elapsed = stopwatch();
    world.server = await world.start();
    const ready = elapsed();
    while ((await progress())?.token === before.token) {
      assertInTime(elapsed() - ready < takeoverMs + 60_000, 'nobody took the run over');
      await sleep(20);
    }
    takeovers.push(elapsed() - ready);
    await reach(world, id, before.place + 1);
    const now = await progress();
    assert.ok((now?.place ?? 0) >= before.place, 'what was committed stays');
  }
  await reach(world, id, customers);
  const elapsed = stopwatch();
  while (!(await progress())?.status.startsWith('completed')) {
    const run = await progress();
    assert.notEqual(run?.status, 'failed', JSON.stringify(run));
    assertInTime(elapsed() < patienceMs, `the run didn't end: ${JSON.stringify(run)}`);
    await sleep(20);
  }
  isOver = true;
  await Promise.all(calls);
  const run = await progress();
  return { findings: await checkCampaignRun(world.cluster.query, run!.id, limits), takeovers };
}
