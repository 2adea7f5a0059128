import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { systemActor, type Tx } from '../../../../db/index.ts';
import { startTestServer, type TestServer } from '../../../../main/test-server.ts';
import { idAt } from '../../../../platform/ids.ts';
import { changeRetention, retentionOf } from '../../../operations/retention/index.ts';

let server: TestServer;
before(async () => {
  server = await startTestServer({ tenants: 2 });
  await server.testDatabase.ownerQuery(
    `select arbiter.ensure_month_partitions('arbiter.interactions', (now() - interval '26 months')::date, 26)`,
  );
});
after(() => server?.close());

const within = <T>(tenantId: string, work: (tx: Tx) => Promise<T>): Promise<T> =>
  server.database.withTenant(tenantId, systemActor('test'), work);
const dayMs = 86_400_000;
const runJob = (name: string, tenantId: string) =>
  server.jobs
    .get(name)!
    .run({}, { jobId: '1', attempt: 1, dueAt: null, signal: new AbortController().signal }, tenantId);

test('the default applies without a row; a value holds for one tenant and class, and is audited', async () => {
  const [tenant, other] = server.tenants.map(({ id }) => id) as [string, string];
  assert.deepEqual(await within(tenant, (tx) => retentionOf(tx, 'interactions')), { days: 730, legalHold: false });
  for (const days of [0, 36_501, 1.5, Number.NaN]) {
    await assert.rejects(
      within(tenant, (tx) => changeRetention(tx, 'interactions', { days })),
      /retentionDays must be/,
    );
  }
  for (const days of [1, 36_500]) await within(tenant, (tx) => changeRetention(tx, 'interactions', { days }));
  await within(tenant, (tx) => changeRetention(tx, 'interactions', { legalHold: true }));
  assert.deepEqual(await within(tenant, (tx) => retentionOf(tx, 'interactions')), { days: 36_500, legalHold: true });
  assert.deepEqual(await within(tenant, (tx) => retentionOf(tx, 'decisions')), { days: 365, legalHold: false });
  assert.deepEqual(await within(other, (tx) => retentionOf(tx, 'interactions')), { days: 730, legalHold: false });
  const rows = await server.testDatabase.ownerQuery<{ action: string; version: number }>(
    `select action, entity_version as version from arbiter.audit_logs where entity_type = 'retentionConfig' order by sequence`,
  );
  assert.deepEqual(rows, [
    { action: 'update', version: 1 },
    { action: 'update', version: 2 },
    { action: 'update', version: 3 },
  ]);
  await within(tenant, (tx) => changeRetention(tx, 'interactions', { days: 730, legalHold: false }));
});

test("the job follows the tenant's days and legal hold", async () => {
  const { ownerQuery } = server.testDatabase;
  const [tenant, other] = server.tenants.map(({ id }) => id) as [string, string];
  const ages = [1.5, 3, 29, 31, 729, 732];
  for (const tenantId of [tenant, other]) {
    for (const age of ages) {
      const at = Date.now() - age * dayMs;
      await ownerQuery(
        `insert into arbiter.interactions (tenant_id, id, customer_id, interaction_type, outcome_key, classification, direction,
           offer_id, occurred_at, created_at) values ($1, $2, 'C-1', 'response', 'click', 'positive', 'inbound', $2, $3, $3)`,
        [tenantId, idAt(at), new Date(at)],
      );
    }
  }
  const left = async (tenantId: string) =>
    (
      await ownerQuery<{ n: number }>('select count(*)::int as n from arbiter.interactions where tenant_id = $1', [
        tenantId,
      ])
    )[0]!.n;
  const run = (tenantId: string) => runJob('interactions.retain', tenantId);
  await within(tenant, (tx) => changeRetention(tx, 'interactions', { legalHold: true }));
  for (const id of [tenant, other]) await run(id);
  assert.deepEqual([await left(tenant), await left(other)], [6, 5], 'the default, and a hold');
  for (const [days, rows] of [
    [30, 3],
    [2, 1],
    [1, 0],
  ] as const) {
    await within(tenant, (tx) => changeRetention(tx, 'interactions', { days, legalHold: false }));
    await run(tenant);
    assert.equal(await left(tenant), rows, `${days} days`);
  }
  assert.equal(await left(other), 5);
});

test("customers' and tenants' sums follow the retention of summaries", async () => {
  const { ownerQuery } = server.testDatabase;
  const [tenant, other] = server.tenants.map(({ id }) => id) as [string, string];
  const sums = 'impressions, positive, negative, neutral, converts, total_value';
  for (const tenantId of [tenant, other]) {
    await ownerQuery(`delete from arbiter.interaction_summaries where tenant_id = $1`, [tenantId]);
    for (const age of [1, 40, 2_600]) {
      await ownerQuery(
        `with d as (select (now() at time zone 'UTC')::date - $2::int as day),
           c as (insert into arbiter.interaction_summaries (tenant_id, customer_id, day, offer_id, direction, ${sums})
                 select $1, 'C-9', day, $1, 'outbound', 1, 0, 0, 0, 0, 0 from d)
         insert into arbiter.daily_totals (tenant_id, day, offer_id, direction, ${sums})
         select $1, day, $1, 'outbound', 1, 0, 0, 0, 0, 0 from d`,
        [tenantId, age],
      );
    }
  }
  const left = async (tenantId: string) =>
    Object.values(
      (
        await ownerQuery<Record<string, number>>(
          `select (select count(*)::int from arbiter.interaction_summaries where tenant_id = $1 and customer_id = 'C-9') as customers,
             (select count(*)::int from arbiter.daily_totals where tenant_id = $1 and offer_id = $1) as tenant`,
          [tenantId],
        )
      )[0]!,
    );
  await within(tenant, (tx) => changeRetention(tx, 'summaries', { legalHold: true }));
  for (const id of [tenant, other]) await runJob('summaries.retain', id);
  assert.deepEqual(
    [await left(tenant), await left(other)],
    [
      [3, 3],
      [2, 2],
    ],
    'a hold, and the default of 2,555 days',
  );
  await within(tenant, (tx) => changeRetention(tx, 'summaries', { days: 30, legalHold: false }));
  await runJob('summaries.retain', tenant);
  assert.deepEqual(
    [await left(tenant), await left(other)],
    [
      [1, 1],
      [2, 2],
    ],
  );
});
