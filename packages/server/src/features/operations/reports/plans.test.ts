import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { reportSourceKeys } from '@arbiter/contract';
import { systemActor, type Tx } from '../../../db/index.ts';
import { createTestDatabase, type TestDatabase } from '../../../db/test-database.ts';
import { newId } from '../../../platform/ids.ts';
import { createArchive } from '../../deciding/archived-months/index.ts';
import { readSource, sourceOf } from './sources/sources.service.ts';
import { fillHistory, type HistoryFilled } from './test-filled-history.ts';

/** How each source reads 50,000 rows of history of a tenant, among those of another one with as many. */

let db: TestDatabase;
let filled: HistoryFilled;
const tenantId = newId();
before(async () => {
  db = await createTestDatabase();
  const now = new Date();
  for (const id of [newId(), tenantId]) {
    await db.ownerQuery(`insert into arbiter.tenants (id, name) values ($1, 'Filled')`, [id]);
    filled = await fillHistory(db, id, { interactions: 50_000, days: 90, now });
  }
});
after(() => db?.close());

interface Node {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly Alias?: string;
  readonly Plans?: readonly Node[];
}
const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

/** Tables that grow with what customers do. */
const growing =
  /^(interactions|decision_impressions|decisions|decision_traces|decision_minutes|interaction_summaries|daily_totals)/;

/** Runs a source while each of its statements is explained, too. */
async function plansOf(key: (typeof reportSourceKeys)[number], params: object): Promise<Node[]> {
  return db.database.withTenant(tenantId, systemActor('test'), async (tx) => {
    const nodes: Node[] = [];
    const explained: Tx = {
      ...tx,
      async query<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
        if (/^\s*(with|select)/i.test(text)) {
          const [row] = await tx.query<{ 'QUERY PLAN': [{ Plan: Node }] }>(`explain (format json) ${text}`, values);
          nodes.push(...nodesOf(row!['QUERY PLAN'][0].Plan));
        }
        return tx.query<Row>(text, values);
      },
    };
    await readSource(explained, sourceOf(key), params, 'Europe/Berlin', {
      openBreakers: () => 0,
      archive: createArchive(null),
    });
    return nodes;
  });
}

const required = () => ({ why_not_ranked: { offerId: filled.offerIds[0] }, model_metrics_trend: { modelId: newId() } });

/**
 * Returns tables that were read from end to end. Leaves out those of months to come and of a month that has just begun: PostgreSQL
 * reads a few pages whole.
 */
async function readWhole(nodes: readonly Node[]): Promise<string[]> {
  const scanned = nodes.flatMap((node) => {
    const name = node['Relation Name'] ?? '';
    return node['Node Type'] === 'Seq Scan' && growing.test(name) ? [name] : [];
  });
  const names = [...new Set(scanned)];
  const rows = await db.ownerQuery<{ name: string }>(
    `select name from (
       select relname as name, reltuples, max(reltuples) over (partition by regexp_replace(relname, '_y\\d+m\\d+$', '')) as most
       from pg_class where relnamespace = 'arbiter'::regnamespace and relkind = 'r') filled
     where name = any($1) and reltuples > most / 3`,
    [names],
  );
  return rows.map(({ name }) => name);
}

for (const key of reportSourceKeys) {
  test(`${key} reads no growing table from end to end`, async () => {
    const more: object = Reflect.get(required(), key) ?? {};
    assert.deepEqual(await readWhole(await plansOf(key, more)), []);
  });
}

test('grouping by segment reads only the history of its days', async () => {
  const nodes = await plansOf('offer_performance_grouped', { groupBy: 'segment' });
  assert.ok(nodes.some((node) => /^(interactions|decision_impressions)_/.test(node['Relation Name'] ?? '')));
  assert.deepEqual(await readWhole(nodes), []);
});

test('the check finds a table that is read from end to end', async () => {
  const [row] = await db.ownerQuery<{ 'QUERY PLAN': [{ Plan: Node }] }>(
    `explain (format json) select count(*) from arbiter.interactions where customer_id like '%7'`,
  );
  assert.ok((await readWhole(nodesOf(row!['QUERY PLAN'][0].Plan))).length > 0);
});

test('the sources say what was filled in', async () => {
  const read = (key: (typeof reportSourceKeys)[number], params: object) =>
    db.database.withTenant(tenantId, systemActor('test'), (tx) =>
      readSource(tx, sourceOf(key), params, 'UTC', { openBreakers: () => 0, archive: createArchive(null) }),
    );
  const trend = await read('daily_trend', { days: 100 });
  const impressions = trend.rows.reduce((sum, row) => sum + Number(row.impressions), 0);
  assert.equal(impressions, filled.impressions);
  const { rows } = await read('selection_frequency', { days: 100, limit: 500 });
  assert.equal(
    rows.reduce((sum, row) => sum + Number(row.selected), 0),
    filled.impressions,
  );
});
