import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { systemActor } from '../../../db/index.ts';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';
import { metricEvents } from '../../deciding/plans/index.ts';
import { fillHistory } from '../../operations/reports/test-filled-history.ts';
import { daysFrom, daysQuery, daysSeconds, type MetricQuery, valuesQuery } from './compute-sql.store.ts';
import { definitionOf } from './definition.service.ts';
import { windowOf } from './window.rules.ts';

const interactions = 50_000;
const days = 180;

let server: TestServer;
before(async () => {
  server = await startTestServer();
  await fillHistory(server.testDatabase, server.tenants[0].id, {
    interactions,
    days,
    now: new Date(),
    customers: 5_000,
  });
});
after(() => server?.close());

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

const scansOf = (node: PlanNode): PlanNode[] => [
  ...(node['Relation Name'] === undefined ? [] : [node]),
  ...(node.Plans ?? []).flatMap(scansOf),
];

/** Rows of tables that a query reads, those included that a filter drops. */
async function rowsRead(query: MetricQuery): Promise<number> {
  const parameters = await metricEvents.dayParameters('UTC');
  return server.database.withTenant(server.tenants[0].id, systemActor('test'), async (tx) => {
    const [row] = await tx.query<{ 'QUERY PLAN': readonly [{ readonly Plan: PlanNode }] }>(
      `explain (analyze, format json) select * from (${query.text}) q where ${daysFrom}::text is not null
         and ${daysSeconds}::text is not null`,
      [tx.tenantId, ...parameters, ...query.values],
    );
    const scans = scansOf(row!['QUERY PLAN'][0].Plan);
    return scans.reduce(
      (sum, scan) => sum + (scan['Actual Rows'] + (scan['Rows Removed by Filter'] ?? 0)) * scan['Actual Loops'],
      0,
    );
  });
}

const definition = (more: { readonly windowDays?: number }) =>
  definitionOf({
    ...{ aggregateFunction: 'count', sourceField: 'impressions', windowDays: null },
    ...{ groupByDimensions: [], filterConditions: null, sqlFilter: null },
    ...more,
  });
const sources = metricEvents.sources(daysFrom, daysSeconds);
const bounds = (windowDays: number) => windowOf(windowDays, 'UTC', new Date(), metricEvents.aheadMs);

/** Stored rows: a decision of three items is one. */
async function storedRows(): Promise<number> {
  const [row] = await server.testDatabase.ownerQuery<{ n: number }>(
    `select ((select count(*) from arbiter.interactions) + (select count(*) from arbiter.decision_impressions))::int as n`,
  );
  return row?.n ?? 0;
}

test('a window bounds what a computation reads', async () => {
  const stored = await storedRows();
  for (const windowDays of [1, 7, 30]) {
    const read = await rowsRead(valuesQuery(await definition({ windowDays }), sources, bounds(windowDays)));
    // The rows of the window, and those that may have been stored ahead of their time.
    const most = (stored * (windowDays + 3)) / days;
    assert.ok(read <= most, `${windowDays} days read ${read} of ${stored} rows, at most ${most}`);
  }
  const all = await rowsRead(valuesQuery(await definition({}), sources, null));
  assert.ok(all >= stored, `all time reads ${all} of ${stored} rows`);
});

test('a step of a rebuild reads its own customers only', async () => {
  const stored = await storedRows();
  const step = { after: 'C100', until: 'C1099' };
  const [inside] = await server.testDatabase.ownerQuery<{ n: number }>(
    `select count(distinct customer_id)::int as n from arbiter.decision_impressions where customer_id > $1 and customer_id <= $2`,
    [step.after, step.until],
  );
  const read = await rowsRead(daysQuery(await definition({}), sources, null, step));
  const most = (stored * ((inside?.n ?? 0) + 10)) / 5_000;
  assert.ok(read > 0 && read <= 2 * most, `read ${read} of ${stored} rows, at most ${2 * most}`);
});
