import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createHotPath, type HotPath, type HotStatement } from '../../../db/index.ts';
import { createTestDatabase, type TestDatabase } from '../../../db/test-database.ts';
import { newId } from '../../../platform/ids.ts';
import { readCustomerValues } from '../../data/behavioral-metrics/index.ts';
import { readAssignments, saveAssignments, saveExposures } from '../assignments/index.ts';
import { lockMadeStates, lockStates, readStates, saveStates } from '../customer-states/index.ts';
import { contactsSince } from '../interactions/index.ts';

// A connection plans each statement of the hot path once. In a tenant's first minutes, tables are nearly empty, and reading all
// rows looks as cheap as looking some up. The plan must stay good when the tables grow.

const tenantId = newId();
const experimentId = newId();
const metricId = newId();
/** IDs of history are above it, in this month's partition. */
const firstId = newId().replace(/.{12}$/, '0'.repeat(12));
const tableNames = [
  'customer_states',
  'experiment_assignments',
  'experiment_exposures',
  'behavioral_metric_values',
  'behavioral_metric_days',
  'interactions',
  'decision_impressions',
]
  .map((name) => `arbiter.${name}`)
  .join(', ');
const customersThen = 3_000;
const customerIds = Array.from({ length: 50 }, (_, at) => `C${String(at * 7).padStart(5, '0')}`);

let db: TestDatabase;
before(async () => {
  db = await createTestDatabase();
  await db.ownerQuery(`insert into arbiter.tenants (id, name) values ($1, 'Young')`, [tenantId]);
  // The metric itself doesn't matter here.
  for (const name of ['behavioral_metric_values', 'behavioral_metric_days']) {
    await db.ownerQuery(`alter table arbiter.${name} drop constraint ${name}_tenant_id_metric_id_fkey`);
  }
});
after(() => db?.close());

const saved = (customerId: string, rebased: boolean) => ({
  customerId,
  customerSeq: 2,
  hadBase: false,
  stored: { state: Buffer.from(customerId), base: rebased ? Buffer.from('base') : undefined },
});
const metricReads = (computeMode: 'batch' | 'realtime') => {
  const metric = { id: metricId, key: 'visits', name: 'Visits', status: 'active', aggregateFunction: 'count' } as const;
  const shape = { groupByDimensions: [], windowDays: null, computeMode };
  return readCustomerValues(tenantId, customerIds, [{ ...metric, ...shape }], () => null).statements;
};
const statements: readonly HotStatement[] = [
  lockStates(tenantId, customerIds, false),
  lockStates(tenantId, customerIds, true),
  readStates(tenantId, customerIds),
  lockMadeStates(tenantId, customerIds),
  ...saveStates(tenantId, [
    ...customerIds.slice(0, 25).map((id) => saved(id, false)),
    ...customerIds.slice(25).map((id) => saved(id, true)),
  ]),
  ...metricReads('batch'),
  ...metricReads('realtime'),
  contactsSince(tenantId, customerIds[0]!, new Date(0), firstId),
  readAssignments(tenantId, [experimentId], customerIds),
  saveAssignments(
    tenantId,
    new Date(0),
    customerIds.map((customerId) => ({ customerId, experimentId, variant: 'one', share: 0.5 })),
  ),
  saveExposures(
    tenantId,
    new Date(0),
    customerIds.map((customerId) => ({ customerId, experimentId, variant: 'one' })),
  ),
];

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly 'Rows Removed by Join Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** Returns the rows that the nodes of a plan read. */
function rowsRead(node: PlanNode): number {
  const removed = ['Filter', 'Index Recheck', 'Join Filter'] as const;
  const perLoop = removed.reduce((sum, why) => sum + (node[`Rows Removed by ${why}`] ?? 0), node['Actual Rows']);
  const own = node['Relation Name'] === undefined ? 0 : perLoop * node['Actual Loops'];
  return (node.Plans ?? []).reduce((sum, child) => sum + rowsRead(child), own);
}

/** Returns a parameter as SQL, with placeholders for lists of bytes, which only exist in binary form. */
function literal(value: unknown): string {
  if (Buffer.isBuffer(value)) return `array_fill('\\x00'::bytea, array[${customerIds.length}])`;
  return `'${value instanceof Date ? value.toISOString() : String(value)}'`;
}

/** Executes the statement with the connection's cached plan, and returns the number of rows read. */
async function rowsReadBy(path: HotPath, { name, values }: HotStatement): Promise<number> {
  const [[row]] = (await path.run(tenantId, (tx) =>
    tx.send([
      {
        name: `explain.${name}`,
        text: `explain (analyze, format json) execute "${name}" (${values.map(literal).join(', ')})`,
        values: [],
      },
    ]),
  )) as [[{ 'QUERY PLAN': readonly [{ readonly Plan: PlanNode }] }]];
  return rowsRead(row['QUERY PLAN'][0].Plan);
}

/** Gives a tenant customers with these numbers, their variants and their metrics. */
async function addCustomers(tenant: string, first: number, last: number): Promise<void> {
  const add = (into: string, row: string, values: readonly unknown[] = []) =>
    db.ownerQuery(
      `insert into arbiter.${into} select ${row}
       from (select 'C' || lpad(n::text, 5, '0') as id from generate_series($2::int, $3::int) n) c`,
      [tenant, first, last, ...values],
    );
  await add(
    'customer_states (tenant_id, customer_id, ref, data_key, state)',
    `$1, id, gen_random_uuid(), decode(repeat(md5(id), 2), 'hex'), ''`,
  );
  await add(
    'experiment_assignments (tenant_id, customer_id, experiment_id, variant, share, assigned_at, used_at)',
    `$1, id, $4::uuid, 'one', 0.5, now(), now()`,
    [experimentId],
  );
  await add(
    'behavioral_metric_values (tenant_id, customer_id, metric_id, dimensions, value)',
    `$1, id, $4::uuid, '{}', 1`,
    [metricId],
  );
  await add(
    'behavioral_metric_days (tenant_id, customer_id, metric_id, dimensions, day, value)',
    `$1, id, $4::uuid, '{}', date '2026-01-01', 1`,
    [metricId],
  );
  const historyId = `overlay($4::text placing lpad(substr(id, 2) || '00', 12, '0') from 25)::uuid`;
  await add(
    'interactions (tenant_id, id, customer_id, occurred_at, created_at, interaction_type, classification, direction)',
    `$1, ${historyId}, id, now(), now(), 'impression', 'neutral', 'outbound'`,
    [firstId],
  );
  await add(
    'decision_impressions (tenant_id, id, customer_id, occurred_at, offer_ids)',
    `$1, ${historyId}, id, now(), array[gen_random_uuid()]`,
    [firstId],
  );
}

/** Empties the tables, and gives other tenants a few customers each. */
async function restart(otherTenants: number): Promise<void> {
  await db.ownerQuery(`truncate ${tableNames}`);
  for (let at = 0; at < otherTenants; at++) {
    const other = newId();
    await db.ownerQuery(`insert into arbiter.tenants (id, name) values ($1, 'Other')`, [other]);
    await addCustomers(other, 1, 5);
  }
}

/** What the tables hold when the statements are planned, and whether PostgreSQL has counted it. */
const beginnings = [
  { customers: 0, others: 0, counted: false },
  { customers: 0, others: 0, counted: true },
  { customers: 1, others: 0, counted: false },
  { customers: 0, others: 60, counted: true },
  { customers: 5, others: 60, counted: true },
  { customers: 1_000, others: 0, counted: false },
  { customers: 1_000, others: 60, counted: false },
  { customers: 20, others: 400, counted: true },
  { customers: 1, others: 0, counted: true },
  { customers: 5, others: 0, counted: true },
  { customers: 50, others: 0, counted: true },
];

for (const { customers, others, counted } of beginnings) {
  const tables = `${customers} customers, ${others} other tenants and ${counted ? 'fresh' : 'no'} statistics`;
  test(`statements planned with ${tables} find their rows by key later`, async () => {
    // One connection, so that the plans are those of its first statements.
    const path = createHotPath({ url: db.url, connections: 1 });
    await restart(others);
    await addCustomers(tenantId, 0, customers - 1);
    if (counted) await db.ownerQuery(`vacuum analyze ${tableNames}`);
    await path.run(tenantId, (tx) => tx.send(statements));
    await addCustomers(tenantId, customers, customersThen - 1);
    const found: string[] = [];
    for (const statement of statements) {
      const rows = await rowsReadBy(path, statement);
      if (rows > 4 * customerIds.length)
        found.push(`${statement.name} read ${rows} rows for ${customerIds.length} customers`);
    }
    await path.close();
    assert.deepEqual(found, []);
  });
}
