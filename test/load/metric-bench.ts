// Behavioral metrics of 100,000 customers over 1,000,000 interactions, and how long writes of events wait for a rebuild
// (docs/adr/0084). By hand, or as rows of `npm run bench`:
//   node test/load/metric-bench.ts [interactions = 1000000] [customers = 100000]
import { setTimeout as sleep } from 'node:timers/promises';
import type { BehavioralMetricCreate } from '@arbiter/contract';
import { systemActor, type Tx } from '../../packages/server/src/db/index.ts';
import { createTestDatabase, type TestDatabase } from '../../packages/server/src/db/test-database.ts';
import { computeDue } from '../../packages/server/src/features/data/behavioral-metrics/compute.service.ts';
import { createMetric } from '../../packages/server/src/features/data/behavioral-metrics/index.ts';
import { shareDays } from '../../packages/server/src/features/data/behavioral-metrics/values.store.ts';
import { metricEvents } from '../../packages/server/src/features/deciding/plans/index.ts';
import { fillHistory } from '../../packages/server/src/features/operations/reports/test-filled-history.ts';
import { newId } from '../../packages/server/src/platform/ids.ts';
import { n0, type Row } from './bench/bench-report.ts';

/** Time that a write of events may wait for a rebuild. */
const longestWaitMs = 1_000;
const days = 90;

const metrics: readonly BehavioralMetricCreate[] = [
  { name: 'Contacts 30d', aggregateFunction: 'count', sourceField: 'impressions', windowDays: 30 },
  { name: 'Contacts', aggregateFunction: 'count', sourceField: 'impressions' },
  { name: 'Value by offer', aggregateFunction: 'sum', sourceField: 'totalValue', groupByDimensions: ['offerId'] },
  { name: 'Busiest day', aggregateFunction: 'max', sourceField: 'impressions' },
];

interface Bench {
  readonly db: TestDatabase;
  readonly tenantId: string;
}

const patient = { statementTimeoutMs: 10 * 60_000 };
const inTenant = <Answer>({ db, tenantId }: Bench, work: (tx: Tx) => Promise<Answer>): Promise<Answer> =>
  db.database.withTenant(tenantId, systemActor('bench'), work, patient);

/** Creates a metric and computes it. Returns the duration in ms and the number of values. */
async function measure(bench: Bench, body: BehavioralMetricCreate) {
  const { id } = await inTenant(bench, (tx) => createMetric(tx, body));
  const began = performance.now();
  await computeDue((work) => inTenant(bench, work), { metricEvents }, id);
  const ms = performance.now() - began;
  const [found] = await bench.db.ownerQuery<{ n: number }>(
    'select value_count as n from arbiter.behavioral_metric_states where metric_id = $1',
    [id],
  );
  return { ms, values: found?.n ?? 0 };
}

/** Takes the lock of writes of events again and again while `work` runs. Returns the longest wait in ms. */
async function longestWait(bench: Bench, work: Promise<unknown>): Promise<number> {
  let isOver = false;
  let longest = 0;
  const watch = (async () => {
    const { text, values } = shareDays(bench.tenantId);
    while (!isOver) {
      const began = performance.now();
      await inTenant(bench, (tx) => tx.query(text, values));
      longest = Math.max(longest, performance.now() - began);
      await sleep(5);
    }
  })();
  await work;
  isOver = true;
  await watch;
  return longest;
}

/** Measures on a database of its own. Returns the rows of the report. */
export async function benchMetrics(interactions: number, customers: number): Promise<Row[]> {
  const db = await createTestDatabase();
  const bench = { db, tenantId: newId() };
  try {
    await db.ownerQuery(`insert into arbiter.tenants (id, name) values ($1, 'Bench')`, [bench.tenantId]);
    await fillHistory(db, bench.tenantId, { interactions, days, now: new Date(), customers });
    const rows: Row[] = [];
    for (const body of metrics) {
      const { ms, values } = await measure(bench, body);
      rows.push({
        measure: `metric ${body.name} of ${n0(customers)} customers over ${n0(interactions)} interactions, in one statement`,
        bar: '',
        measured: `${n0(ms)} ms, ${n0(values)} values`,
        met: null,
      });
    }
    const body: BehavioralMetricCreate = {
      ...{ name: 'Realtime', aggregateFunction: 'count', sourceField: 'impressions', computeMode: 'realtime' },
    };
    let rebuilt = { ms: 0, values: 0 };
    const wait = await longestWait(
      bench,
      measure(bench, body).then((result) => {
        rebuilt = result;
      }),
    );
    rows.push({
      measure: `longest wait of an event's write during a realtime rebuild (${n0(rebuilt.ms)} ms, ${n0(rebuilt.values)} values)`,
      bar: `below ${n0(longestWaitMs)} ms`,
      measured: `${n0(wait)} ms`,
      met: wait < longestWaitMs,
    });
    return rows;
  } finally {
    await db.close();
  }
}

if (import.meta.main) {
  const [interactions = 1_000_000, customers = 100_000] = process.argv.slice(2).map(Number);
  for (const { measure: name, measured, met } of await benchMetrics(interactions, customers)) {
    console.log(`${name}: ${measured}${met === false ? ' (missed)' : ''}`);
  }
}
