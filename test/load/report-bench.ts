// Sources of reports and dashboards over a tenant's history (docs/adr/0058). By hand, or
// as rows of `npm run bench`:
//   node test/load/report-bench.ts [interactions = 1000000] [days = 90]
import { reportSourceKeys } from '@arbiter/contract';
import { systemActor } from '../../packages/server/src/db/index.ts';
import { createTestDatabase } from '../../packages/server/src/db/test-database.ts';
import { createArchive } from '../../packages/server/src/features/deciding/archived-months/index.ts';
import { renderReport } from '../../packages/server/src/features/operations/report-rendering/index.ts';
import { composeDocument } from '../../packages/server/src/features/operations/reports/document.service.ts';
import { readSource, sourceOf } from '../../packages/server/src/features/operations/reports/sources/sources.service.ts';
import { fillHistory } from '../../packages/server/src/features/operations/reports/test-filled-history.ts';
import { newId } from '../../packages/server/src/platform/ids.ts';
import type { Row } from './bench/bench-report.ts';
import { n0 } from './bench/bench-report.ts';

/** Time limit for one data source of a dashboard (the product's own promise). */
const barMs = 1_000;
const tries = 3;

async function bestMs(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let at = 0; at < tries; at++) {
    const began = performance.now();
    await work();
    times.push(performance.now() - began);
  }
  return Math.min(...times);
}

/** The rows of the report: the slowest sources over the usual 7 days and over all `days`, and a report of all of them. */
export async function benchReports(interactions: number, days: number): Promise<Row[]> {
  const db = await createTestDatabase();
  const tenantId = newId();
  const noBreakers = { openBreakers: () => 0, archive: createArchive(null) };
  try {
    await db.ownerQuery(`insert into arbiter.tenants (id, name) values ($1, 'Bench')`, [tenantId]);
    const { offerIds } = await fillHistory(db, tenantId, { interactions, days, now: new Date() });
    const required: Readonly<Record<string, object>> = {
      why_not_ranked: { offerId: offerIds[0] },
      model_metrics_trend: { modelId: newId() },
    };
    const slow = { statementTimeoutMs: 60_000 };
    const read = (key: (typeof reportSourceKeys)[number], params: object) =>
      bestMs(() =>
        db.database.withTenant(
          tenantId,
          systemActor('bench'),
          (tx) => readSource(tx, sourceOf(key), { ...required[key], ...params }, 'Europe/Berlin', noBreakers),
          slow,
        ),
      );
    const spans = async (wanted: number): Promise<Row> => {
      const took: { readonly key: string; readonly ms: number }[] = [];
      for (const key of reportSourceKeys) {
        const takesDays = sourceOf(key).params.includes('days');
        took.push({ key, ms: await read(key, takesDays ? { days: wanted } : {}) });
      }
      const slowest = took.toSorted((a, b) => b.ms - a.ms).slice(0, 3);
      return {
        measure: `each of ${took.length} report sources over ${wanted} days of ${n0(interactions)} interactions`,
        bar: `below ${n0(barMs)} ms`,
        measured: slowest.map(({ key, ms }) => `${key} ${n0(ms)} ms`).join(', '),
        met: slowest.every(({ ms }) => ms < barMs),
      };
    };
    const bySegment = await read('offer_performance_grouped', { groupBy: 'segment' });
    const template = {
      name: 'Everything',
      description: null,
      dataSources: reportSourceKeys.map((sourceKey) => ({ sourceKey, params: required[sourceKey] ?? {} })),
      sections: reportSourceKeys.map((key, at) => ({ id: `s${at}`, title: key, dataSourceIndex: at })),
    };
    const whole = await bestMs(async () => {
      const document = await db.database.withTenant(
        tenantId,
        systemActor('bench'),
        (tx) => composeDocument(tx, template, null, noBreakers),
        slow,
      );
      await renderReport(document, ['html', 'pdf', 'csv', 'markdown']);
    });
    return [
      await spans(7),
      await spans(days),
      {
        measure: `performance by segment, counted from 7 days of ${n0(interactions)} interactions`,
        bar: `below ${n0(barMs)} ms`,
        measured: `${n0(bySegment)} ms`,
        met: bySegment < barMs,
      },
      {
        measure: 'a report of all sources in four formats, read and written',
        bar: '',
        measured: `${n0(whole)} ms`,
        met: null,
      },
    ];
  } finally {
    await db.close();
  }
}

if (import.meta.main) {
  const [interactions = '1000000', days = '90'] = process.argv.slice(2);
  for (const { measure, bar, measured, met } of await benchReports(Number(interactions), Number(days))) {
    process.stdout.write(`${measure}: ${measured}${bar === '' ? '' : ` (${bar})`}${met === false ? ' MISSED' : ''}\n`);
  }
}
