import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { systemActor, type Tx } from '../../../../db/index.ts';
import { startTestServer, type TestServer } from '../../../../main/test-server.ts';
import { idAt } from '../../../../platform/ids.ts';
import { changeRetention } from '../../../operations/retention/index.ts';
import { historyFrom } from './history-reach.ts';

let server: TestServer;
const dayMs = 86_400_000;
const inTenant = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
  server.database.withTenant(server.tenants[0].id, systemActor('test'), work);
const retain = (days: number) => inTenant((tx) => changeRetention(tx, 'interactions', { days }));
const removeOld = () =>
  server.jobs
    .get('interactions.retain')!
    .run({}, { jobId: '1', attempt: 1, dueAt: null, signal: new AbortController().signal }, server.tenants[0].id);

before(async () => {
  server = await startTestServer();
  await server.testDatabase.ownerQuery(
    `select arbiter.ensure_month_partitions('arbiter.interactions', (now() - interval '3 months')::date, 3)`,
  );
  for (const age of [5, 40]) {
    const at = Date.now() - age * dayMs;
    await server.testDatabase.ownerQuery(
      `insert into arbiter.interactions (tenant_id, id, customer_id, interaction_type, outcome_key, classification, direction,
         offer_id, occurred_at, created_at) values ($1, $2, 'C-1', 'response', 'click', 'positive', 'inbound', $2, $3, $3)`,
      [server.tenants[0].id, idAt(at), new Date(at)],
    );
  }
});
after(() => server?.close());

test('history is complete until something is deleted, whatever the retention', async () => {
  assert.equal(await inTenant(historyFrom), Number.NEGATIVE_INFINITY);
  await retain(30);
  assert.equal(await inTenant(historyFrom), Number.NEGATIVE_INFINITY);
});

test('deleted history stays deleted when retention is raised', async () => {
  await removeOld();
  await retain(730);
  const from = await inTenant(historyFrom);
  assert.ok(Math.abs(from - (Date.now() - 30 * dayMs)) < 60_000, `${from}`);
  // Nothing is as old as that, so nothing more is deleted.
  await removeOld();
  assert.equal(await inTenant(historyFrom), from);
});
