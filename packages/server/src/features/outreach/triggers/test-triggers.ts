import assert from 'node:assert/strict';
import { draftFlowConfig, type IngestAnswer, type Problem, type Trigger, type TriggerCreate } from '@arbiter/contract';
import type { ComposeConfig } from '../../../main/compose-options.ts';
import { type CallResult, startTestServer, type TestServer } from '../../../main/test-server.ts';
import {
  reachesDestinations,
  startDestination,
  type TestDestination,
} from '../../operations/notifications/test-destination.ts';
import { publishAll } from '../../operations/stream/test-publish.ts';

/** A server with records for triggers, and a destination for their webhooks. */
export interface TriggerServer {
  readonly server: TestServer;
  readonly peer: TestDestination;
  readonly ids: {
    readonly batchChannel: string;
    readonly flow: string;
    readonly journey: string;
    readonly schema: string;
  };
  /** Creates a trigger; without an action, a webhook to `/` and its name. */
  trigger(body: Partial<TriggerCreate>): Promise<Trigger>;
  ingest(
    body: object,
    headers?: Readonly<Record<string, string>>,
  ): Promise<CallResult<IngestAnswer & Omit<Problem, 'status'>>>;
  /** Publishes the outbox, and runs waiting jobs of triggers and journeys. `now`: those that wait for their time, too. */
  settle(options?: { readonly now?: boolean }): Promise<readonly Error[]>;
  close(): Promise<void>;
}

export async function startTriggerServer(config: Partial<ComposeConfig> = {}): Promise<TriggerServer> {
  const [server, peer] = await Promise.all([
    startTestServer({ tenants: 2, config: { ...reachesDestinations, ...config } }),
    startDestination(),
  ]);
  const category = await server.create('categories', { name: 'Cards' });
  const batchChannel = await server.create('channels', {
    ...{ name: 'Mail', channelType: 'email', deliveryMode: 'integration' },
    providerConfig: { provider: 'smtp' },
  });
  const offerId = await server.create('offers', { name: 'Gold', status: 'active', categoryId: category });
  const content = { subject: 'Hello', body: 'Hello' };
  await server.create('creatives', { name: 'Gold', offerId, channelId: batchChannel, status: 'active', content });
  const flow = await server.create('decision-flows', {
    ...{ key: 'main', name: 'main', draftConfig: draftFlowConfig(category) },
  });
  await server.publishFlow(flow);
  await server.create('decision-flows', { key: 'draft', name: 'draft', draftConfig: draftFlowConfig(category) });
  const schema = await server.create('schemas', {
    ...{ name: 'people', displayName: 'People', schemaType: 'customer', autoEnrich: true },
    fields: ['customer_id', 'tier'].map((name, at) => ({
      ...{ name, displayName: name, dataType: 'varchar', length: 100, isNullable: at > 0 },
      ...(at === 0 ? { isPrimaryKey: true, isUnique: true } : {}),
    })),
  });
  const journey = await server.create('journeys', {
    ...{ name: 'Win back', status: 'active' },
    definition: {
      nodes: [
        { id: 'start', type: 'entry_trigger', config: {} },
        { id: 'pause', type: 'wait', config: { delayMinutes: 60, untilEvent: 'purchase' } },
        { id: 'end', type: 'exit', config: {} },
      ],
      edges: [
        { from: 'start', to: 'pause' },
        { from: 'pause', to: 'end' },
      ],
    },
  });
  return {
    ...{ server, peer, ids: { batchChannel, flow, journey, schema } },
    trigger: (body) => {
      const name = body.name ?? `Trigger ${++counter}`;
      const action = { actionType: 'webhook', actionConfig: { url: peer.url(`/${encodeURIComponent(name)}`) } };
      return server.createRecord<Trigger>('triggers', { eventType: 'purchase', ...action, ...body, name });
    },
    ingest: (body, headers = {}) => server.call('POST', '/api/v1/events/ingest', { body, headers }),
    async settle({ now = false } = {}) {
      const errors: Error[] = [];
      for (;;) {
        await publishAll(server, server.onPublished);
        const ran = await runQueue(server, now, errors);
        if (ran === 0) return errors;
      }
    },
    async close() {
      await Promise.all([server.close(), peer.close()]);
    },
  };
}

let counter = 0;

/** Takes waiting jobs out of the queue and runs them as a worker would, one after the other. Returns how many. */
async function runQueue({ testDatabase, jobs }: TestServer, now: boolean, errors: Error[]): Promise<number> {
  const rows = await testDatabase.ownerQuery<{ name: string; payload: Record<string, unknown> & { tenantId: string } }>(
    `with gone as (
       delete from graphile_worker._private_jobs j using graphile_worker._private_tasks t
        where t.id = j.task_id and t.identifier in ('trigger.dispatch', 'trigger.resume', 'events.follow', 'events.retry', 'journey.advance')
          and (j.run_at <= now() or $1) returning t.identifier as name, j.payload, j.id)
     select name, payload from gone order by id`,
    [now],
  );
  const facts = { jobId: '1', attempt: 1, dueAt: null, signal: new AbortController().signal };
  for (const { name, payload } of rows) {
    const { tenantId, ...own } = payload;
    const handler = jobs.get(name);
    assert.ok(handler, name);
    await handler.run(own, facts, tenantId).catch((error: Error) => errors.push(error));
  }
  return rows.length;
}
