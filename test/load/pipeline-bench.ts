// Pipelines: rows/s of a run as a share of a plain COPY of the same rows into the same table, and memory above idle.
// By hand, or as rows of `npm run bench`:
//   node test/load/pipeline-bench.ts [--rows 1000000]
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startTestServer, type TestServer } from '../../packages/server/src/main/test-server.ts';
import { openDatabasePort } from '../faults/nodes/database-port.ts';
import { numberedRow } from '../faults/nodes/numbered-row.ts';
import { n0, percent, type Row } from './bench/bench-report.ts';

/** Share of COPY that a run must reach. */
const goalShare = 0.3;
/** Memory that a run may take above idle. */
const goalMb = 150;
const field = (name: string, dataType: string, more: object = {}) => ({ name, displayName: name, dataType, ...more });
const fields = [
  field('customer_id', 'varchar', { length: 64, isPrimaryKey: true, isNullable: false }),
  field('amount', 'integer'),
  field('label', 'text'),
];

/** Writes the rows, for COPY with the tenant in front of each. */
async function writeCsv(path: string, rows: number, tenantId: string | null): Promise<void> {
  const file = createWriteStream(path);
  if (tenantId === null) file.write('customer_id,amount,label\n');
  const first = tenantId === null ? '' : `${tenantId},`;
  for (let at = 0; at < rows; at++) {
    const { customer_id, amount, label } = numberedRow(at);
    if (!file.write(`${first}${customer_id},${amount},${label}\n`)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'finish');
}

/** Rows/s of COPY into the table, which is empty before and after. */
async function copyRate(server: TestServer, table: string, path: string, rows: number): Promise<number> {
  const { ownerQuery } = server.testDatabase;
  const started = performance.now();
  await ownerQuery(`copy ${table} (tenant_id, customer_id, amount, label) from '${path}' with (format csv)`);
  const rate = rows / ((performance.now() - started) / 1_000);
  await ownerQuery(`truncate ${table}`);
  return rate;
}

interface Load {
  readonly rate: number;
  readonly memoryMb: number;
  readonly status: string;
  readonly stored: number;
}

/** Runs a pipeline to its end, turn by turn, and samples the memory of this process. */
async function measureRun(server: TestServer, table: string, body: object, rows: number): Promise<Load> {
  const pipelineId = await server.create('pipelines', body);
  const { body: run } = await server.call<{ id: string }>('POST', `/api/v1/pipelines/${pipelineId}/runs`);
  globalThis.gc?.();
  const idle = process.memoryUsage().rss;
  let peak = idle;
  let isOver = false;
  const watch = (async () => {
    while (!isOver) {
      peak = Math.max(peak, process.memoryUsage().rss);
      await sleep(50);
    }
  })();
  const started = performance.now();
  const facts = { jobId: '1', attempt: 1, dueAt: null, signal: new AbortController().signal };
  let status = 'pending';
  while (status === 'pending' || status === 'running') {
    await server.jobs.get('pipeline.run')!.run({ runId: run.id }, facts, server.tenants[0].id);
    const path = `/api/v1/pipelines/${pipelineId}/runs/${run.id}/progress`;
    status = (await server.call<{ status: string }>('GET', path)).body.status;
  }
  const rate = rows / ((performance.now() - started) / 1_000);
  isOver = true;
  await watch;
  const [count] = await server.testDatabase.ownerQuery<{ n: number }>(`select count(*)::int as n from ${table}`);
  return { rate, memoryMb: (peak - idle) / 2 ** 20, status, stored: count?.n ?? 0 };
}

/** Measures on a server of its own. Returns the rows of the report. */
export async function benchPipelines(rows: number): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'arbiter-pipeline-bench-'));
  const config = { IMPORT_DIR: folder, OUTBOUND_ALLOW_CIDRS: ['127.0.0.0/8'] };
  const server = await startTestServer({ config, checkResponses: false });
  const { ownerQuery, adminUrl } = server.testDatabase;
  const port = await openDatabasePort(adminUrl);
  try {
    const path = join(folder, 'copy.csv');
    await writeCsv(path, rows, server.tenants[0].id);
    await writeCsv(join(folder, 'rows.csv'), rows, null);
    await ownerQuery(`create table public.source as select 'C-' || n as customer_id, n as amount,
      'row ' || n || ' with some text' as label from generate_series(0, ${rows - 1}) n`);
    const schemaId = await server.create('schemas', {
      ...{ name: 'loaded', displayName: 'Loaded', schemaType: 'customer', fields },
    });
    const [found] = await ownerQuery<{ t: string }>(
      `select format('%I.%I', schemaname, tablename) as t from pg_tables where tablename = 'ds_loaded'`,
    );
    const table = found?.t ?? '';
    const sources = [
      { name: 'PostgreSQL', type: 'postgresql', config: { ...port.config, sourceTable: 'public.source' } },
      { name: 'a CSV file', type: 'csv', config: { path: 'rows.csv' } },
    ];
    const report: Row[] = [];
    for (const { name, type, config: settings } of sources) {
      const copy = await copyRate(server, table, path, rows);
      const connectorId = await server.create('connectors', { name, type, config: settings });
      const source = type === 'postgresql' ? { rowLimit: 0, watermarkColumn: 'amount' } : { rowLimit: 0 };
      const body = { name, connectorId, schemaId, source, executionConfig: { batchSize: 5_000 } };
      report.push(...linesOf(name, rows, copy, await measureRun(server, table, body, rows)));
      await ownerQuery(`truncate ${table}`);
    }
    return report;
  } finally {
    port.close();
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function linesOf(source: string, rows: number, copy: number, { rate, memoryMb, status, stored }: Load): Row[] {
  const isComplete = status === 'completed' && stored === rows;
  return [
    {
      measure: `pipeline of ${n0(rows)} rows from ${source}, as a share of COPY of the same rows (${n0(copy)} rows/s)`,
      bar: `>= ${percent(goalShare)}`,
      measured: `${n0(rate)} rows/s, ${percent(rate / copy)}${isComplete ? '' : `, ${status}, ${n0(stored)} rows`}`,
      met: isComplete && rate / copy >= goalShare,
    },
    {
      measure: `memory of the process above idle during the run from ${source}`,
      bar: `<= ${goalMb} MB`,
      measured: `${n0(memoryMb)} MB`,
      met: memoryMb <= goalMb,
    },
  ];
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { rows: { type: 'string', default: '1000000' } } });
  for (const { measure, measured, met } of await benchPipelines(Number(values.rows))) {
    console.log(`${measure}: ${measured}${met === false ? ' (missed)' : ''}`);
  }
}
