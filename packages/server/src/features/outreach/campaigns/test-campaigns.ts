import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Campaign, CampaignDetail, CampaignRun, Problem } from '@arbiter/contract';
import { type CallResult, startTestServer, type TestServer } from '../../../main/test-server.ts';

/** CRON_TOKEN of the server. */
const token = 'the token of the tick';

export type Answered<T> = CallResult<T & Omit<Problem, 'status' | 'errors'> & { errors?: Problem['errors'] }>;

/** A server with a segment of customers and a flow. */
export interface CampaignServer {
  readonly server: TestServer;
  readonly ids: {
    readonly flow: string;
    readonly segment: string;
    readonly viewName: string;
    readonly email: string;
    readonly list: string;
    readonly schema: string;
    readonly offers: readonly string[];
  };
  readonly customers: readonly string[];
  campaign(more?: object): Promise<Campaign>;
  start(campaignId: string): Promise<CampaignRun>;
  /** Works on what waits, like workers. */
  runJobs(name?: string): Promise<number>;
  /** Starts a campaign and works on it until it ends. */
  run(campaignId: string): Promise<CampaignRun>;
  read(campaignId: string): Promise<CampaignDetail>;
  tick(): Promise<void>;
  call<T>(method: string, path: string, body?: object, key?: string): Promise<Answered<T>>;
  close(): Promise<void>;
}

const nodes = [
  { id: 'inventory', type: 'inventory', config: {} },
  { id: 'creatives', type: 'match_creatives', config: {} },
  { id: 'policy', type: 'contact_policy', config: {} },
  { id: 'score', type: 'score', config: { method: 'priority_weighted' } },
  { id: 'rank', type: 'rank', config: { method: 'topN', topN: 2 } },
  { id: 'response', type: 'response', config: {} },
];

export async function startCampaignServer(
  size: number,
  options: Parameters<typeof startTestServer>[0] = {},
): Promise<CampaignServer> {
  const folder = await mkdtemp(join(tmpdir(), 'arbiter-campaigns-'));
  const config = { CRON_TOKEN: token, EXPORT_DIR: folder };
  const server = await startTestServer({ tenants: 2, ...options, config: { ...config, ...options.config } });
  const call = <T>(method: string, path: string, body?: object, key?: string) =>
    server.call<T & Problem>(method, path, {
      ...(body === undefined ? {} : { body }),
      ...(key === undefined ? {} : { key }),
    }) as unknown as Promise<Answered<T>>;
  const ids = await createRecords(server);
  const customers = Array.from({ length: size }, (_, at) => `C-${String(at).padStart(4, '0')}`);
  await server.call('POST', `/api/v1/schemas/${ids.schema}/data`, {
    body: { rows: customers.map((customer_id, at) => ({ customer_id, tier: at % 2 === 0 ? 'gold' : 'silver' })) },
  });
  const campaign: CampaignServer['campaign'] = async (more = {}) => {
    const body = { decisionFlowId: ids.flow, segmentId: ids.segment, ...more };
    const { status, body: made, text } = await call<Campaign>('POST', '/api/v1/runs', body);
    assert.equal(status, 201, text);
    return made;
  };
  const read: CampaignServer['read'] = async (id) => (await call<CampaignDetail>('GET', `/api/v1/runs/${id}`)).body;
  const start: CampaignServer['start'] = async (id) => {
    const { status, body, text } = await call<CampaignRun>('POST', `/api/v1/runs/${id}/campaign-runs`);
    assert.equal(status, 201, text);
    return body;
  };
  const runJobs = (name = 'campaign.chunk') => runQueue(server, name);
  return {
    ...{ server, ids, customers, campaign, start, runJobs, read, call },
    async run(id) {
      const { id: runId } = await start(id);
      await runJobs();
      return (await call<CampaignRun>('GET', `/api/v1/runs/${id}/campaign-runs/${runId}`)).body;
    },
    async tick() {
      const headers = { 'x-cron-token': token };
      const { status, text } = await server.call('POST', '/api/cron/tick', { key: null, headers });
      assert.equal(status, 200, text);
    },
    async close() {
      await server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function createRecords(server: TestServer) {
  const category = await server.create('categories', { name: 'Cards' });
  const email = await server.create('channels', { name: 'Email', channelType: 'email', deliveryMode: 'file' });
  const list = await server.create('channels', { name: 'Calls', channelType: 'phone', deliveryMode: 'manual' });
  const offers: string[] = [];
  for (let at = 0; at < 3; at++) {
    const offerId = await server.create('offers', {
      ...{ name: `=Offer ${at}`, status: 'active', categoryId: category, priority: 90 - at },
    });
    offers.push(offerId);
    for (const channelId of [email, list]) {
      const name = `Creative ${at} ${channelId === email ? 'email' : 'call'}`;
      await server.create('creatives', { name, offerId, channelId, status: 'active', content: { line: 'Hello' } });
    }
  }
  const flow = await server.create('decision-flows', {
    ...{ key: 'main', name: 'Main', draftConfig: { version: 2, nodes, flowConfig: {} } },
  });
  await server.publishFlow(flow);
  const schema = await server.create('schemas', {
    ...{ name: 'people', displayName: 'People', schemaType: 'customer', autoEnrich: true },
    fields: [
      {
        name: 'customer_id',
        displayName: 'Id',
        dataType: 'varchar',
        length: 64,
        isPrimaryKey: true,
        isNullable: false,
      },
      { name: 'tier', displayName: 'Tier', dataType: 'text' },
    ],
  });
  const segment = await server.createRecord('segments', { name: 'Everyone', baseSchemaId: schema });
  return { flow, segment: segment.id, viewName: segment.viewName!, email, list, schema, offers };
}

/** Takes the waiting jobs of a name out of the queue and runs them, until none is left. Returns how many. */
export async function runQueue({ testDatabase, jobs }: TestServer, name: string): Promise<number> {
  for (let ran = 0; ; ) {
    const rows = await testDatabase.ownerQuery<{ payload: { runId: string; tenantId: string } }>(
      `delete from graphile_worker._private_jobs j using graphile_worker._private_tasks t
        where t.id = j.task_id and t.identifier = $1 and j.run_at <= now() returning j.payload`,
      [name],
    );
    if (rows.length === 0) return ran;
    ran += rows.length;
    const facts = { jobId: '1', attempt: 1, dueAt: null, signal: new AbortController().signal };
    for (const { payload } of rows) await jobs.get(name)!.run({ runId: payload.runId }, facts, payload.tenantId);
  }
}
