// Pipelines: rows/s of a run as a share of a plain COPY of the same rows into the same table, memory above idle, and a run
// whose process is killed ten times. By hand, or as rows of `npm run bench`:
//   node test/load/pipeline-bench.ts [--rows 1000000] [--rounds 3] [--kills 10]
// Without rounds, only the kills are measured, and the other way round.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { startTestServer, type TestServer } from '../../packages/server/src/main/test-server.ts';
import { openDatabasePort } from '../faults/nodes/database-port.ts';
import { numberedRow } from '../faults/nodes/numbered-row.ts';
import { median } from './bench/bench-load.ts';
import { n0, percent, type Row } from './bench/bench-report.ts';
import { secondsBelow, serverFlags } from './bench/bench-server.ts';
import { byHand, numbersGiven } from './bench/by-hand.ts';

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

interface Copy {
  readonly rate: number;
  /** Processor time of a row, in microseconds. */
  readonly us: number;
}

/** COPY into the table, which is empty before and after. */
async function measureCopy(server: TestServer, table: string, path: string, rows: number): Promise<Copy> {
  const { ownerQuery } = server.testDatabase;
  const postgres = await postmasterOf(server);
  const before = secondsBelow(postgres);
  const started = performance.now();
  await ownerQuery(`copy ${table} (tenant_id, customer_id, amount, label) from '${path}' with (format csv)`);
  const rate = rows / ((performance.now() - started) / 1_000);
  const us = ((secondsBelow(postgres) - before) * 1e6) / rows;
  await ownerQuery(`truncate ${table}`);
  return { rate, us };
}

/** Seconds of processor time of this process and of PostgreSQL. */
function processorSeconds(postgres: number): { readonly node: number; readonly postgres: number } {
  const { user, system } = process.cpuUsage();
  return { node: (user + system) / 1e6, postgres: secondsBelow(postgres) };
}

interface Load {
  readonly rate: number;
  /** Processor time of a row, in microseconds. */
  readonly us: { readonly node: number; readonly postgres: number };
  readonly memoryMb: number;
  readonly status: string;
  readonly stored: number;
}

/** Runs a pipeline until it ends, turn by turn, and samples the memory of this process. */
async function measureRun(server: TestServer, table: string, pipelineId: string, rows: number): Promise<Load> {
  const postgres = await postmasterOf(server);
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
  const before = processorSeconds(postgres);
  const started = performance.now();
  const facts = { jobId: '1', attempt: 1, dueAt: null, signal: new AbortController().signal };
  let status = 'pending';
  while (status === 'pending' || status === 'running') {
    await server.jobs.get('pipeline.run')!.run({ runId: run.id }, facts, server.tenants[0].id);
    const path = `/api/v1/pipelines/${pipelineId}/runs/${run.id}/progress`;
    status = (await server.call<{ status: string }>('GET', path)).body.status;
  }
  const rate = rows / ((performance.now() - started) / 1_000);
  const after = processorSeconds(postgres);
  isOver = true;
  await watch;
  const [count] = await server.testDatabase.ownerQuery<{ n: number }>(`select count(*)::int as n from ${table}`);
  const us = {
    node: ((after.node - before.node) * 1e6) / rows,
    postgres: ((after.postgres - before.postgres) * 1e6) / rows,
  };
  return { rate, us, memoryMb: (peak - idle) / 2 ** 20, status, stored: count?.n ?? 0 };
}

/** Returns the parent process of PostgreSQL. */
async function postmasterOf(server: TestServer): Promise<number> {
  const [found] = await server.testDatabase.ownerQuery<{ pid: string }>(
    "select split_part(pg_read_file('postmaster.pid'), chr(10), 1) as pid",
  );
  return Number(found?.pid);
}

export interface PipelineBench {
  readonly rows: number;
  readonly rounds: number;
  readonly kills: number;
}

/** Measures in a process of its own, with a server's limits of memory. Returns the rows of the report. */
export async function benchPipelines({ rows, rounds, kills }: PipelineBench): Promise<Row[]> {
  const options = Object.entries({ rows, rounds, kills }).map(([name, value]) => `--${name}=${value}`);
  const program = [...serverFlags, '--expose-gc', import.meta.filename, ...options];
  const { stdout } = await promisify(execFile)(process.execPath, program, { encoding: 'utf8' });
  return JSON.parse(stdout) as Row[];
}

/** Measures on a server of its own. */
async function measurePipelines({ rows, rounds, kills }: PipelineBench): Promise<Row[]> {
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
      const connectorId = await server.create('connectors', { name, type, config: settings });
      const source = type === 'postgresql' ? { rowLimit: 0, watermarkColumn: 'amount' } : { rowLimit: 0 };
      const body = { name, connectorId, schemaId, executionConfig: { batchSize: 5_000 } };
      const copies: Copy[] = [];
      const loads: Load[] = [];
      for (let round = 1; round <= rounds; round++) {
        copies.push(await measureCopy(server, table, path, rows));
        const pipelineId = await server.create('pipelines', { ...body, name: `${name} ${round}`, source });
        loads.push(await measureRun(server, table, pipelineId, rows));
        await ownerQuery(`truncate ${table}`);
      }
      if (rounds > 0) report.push(...linesOf(name, rows, copies, loads));
      if (kills === 0) continue;
      const pipelineId = await server.create('pipelines', { ...body, name: `${name}, killed`, source });
      report.push(await benchKills(server, { pipelineId, table, folder, rows, kills, name }));
      await ownerQuery(`truncate ${table}`);
    }
    return report;
  } finally {
    port.close();
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function linesOf(source: string, rows: number, copies: readonly Copy[], loads: readonly Load[]): Row[] {
  const isComplete = loads.every(({ status, stored }) => status === 'completed' && stored === rows);
  const share = median(loads.map(({ rate }, at) => rate / (copies[at]?.rate ?? Number.NaN)));
  const memoryMb = Math.max(...loads.map((load) => load.memoryMb));
  const us = (of: (load: Load) => number) => median(loads.map(of)).toFixed(1);
  const figures =
    `${percent(share)}, ${n0(median(loads.map(({ rate }) => rate)))} rows/s; processor time a row: ` +
    `${us((load) => load.us.node)} us in Node and ${us((load) => load.us.postgres)} us in PostgreSQL, ` +
    `COPY ${median(copies.map((copy) => copy.us)).toFixed(1)} us`;
  return [
    {
      measure: `pipeline of ${n0(rows)} rows from ${source}, as a share of COPY of the same rows (${n0(median(copies.map((copy) => copy.rate)))} rows/s)`,
      bar: `>= ${percent(goalShare)}`,
      measured: isComplete ? figures : `${figures}; incomplete: ${JSON.stringify(loads)}`,
      met: isComplete && share >= goalShare,
    },
    {
      measure: `memory of the process above idle during the run from ${source}`,
      bar: `<= ${goalMb} MB`,
      measured: `${n0(memoryMb)} MB`,
      met: memoryMb <= goalMb,
    },
  ];
}

interface KilledRun {
  readonly pipelineId: string;
  readonly table: string;
  readonly folder: string;
  readonly rows: number;
  readonly kills: number;
  readonly name: string;
}

/** Kills the process of a run repeatedly, and compares the table with the source. */
async function benchKills(
  server: TestServer,
  { pipelineId, table, folder, rows, kills, name }: KilledRun,
): Promise<Row> {
  const { ownerQuery, url } = server.testDatabase;
  const { body: run } = await server.call<{ id: string }>('POST', `/api/v1/pipelines/${pipelineId}/runs`);
  const program = join(import.meta.dirname, '../faults/nodes/pipeline-node.ts');
  const start = () => spawn(process.execPath, [program, url, '0', 'connector', '0', folder], { stdio: 'ignore' });
  const progress = async () => {
    const [found] = await ownerQuery<{ status: string; n: number; token: number }>(
      'select status, rows_in::int as n, token from arbiter.pipeline_runs where id = $1',
      [run.id],
    );
    return found ?? { status: 'missing', n: 0, token: 0 };
  };
  let node = start();
  let killed = 0;
  let longestGapMs = 0;
  for (let at = await progress(); ['pending', 'running'].includes(at.status); at = await progress()) {
    await sleep(10);
    if (killed === kills || at.n < (rows * (killed + 1)) / (kills + 2)) continue;
    const ended = once(node, 'exit');
    node.kill('SIGKILL');
    await ended;
    killed += 1;
    const killedAt = performance.now();
    node = start();
    while ((await progress()).token === at.token && performance.now() - killedAt < 60_000) await sleep(10);
    longestGapMs = Math.max(longestGapMs, performance.now() - killedAt);
  }
  node.kill('SIGKILL');
  const [found] = await ownerQuery<{ stored: number; different: number; missing: number }>(
    `select (select count(*)::int from ${table}) as stored,
      (select count(distinct customer_id)::int from ${table}) as different,
      (select count(*)::int from (select customer_id, amount, label from public.source
         except all select customer_id, amount, label from ${table}) rows) as missing`,
  );
  const { stored = 0, different = 0, missing = rows } = found ?? {};
  const { status } = await progress();
  return {
    measure: `pipeline of ${n0(rows)} rows from ${name}, its process killed ${killed} times`,
    bar: 'the table equals the source, no row twice',
    measured: `${status}, ${n0(stored)} rows, ${n0(missing)} missing, ${n0(stored - different)} twice; continued within ${n0(longestGapMs)} ms`,
    met: status === 'completed' && killed === kills && stored === rows && different === rows && missing === 0,
  };
}

if (import.meta.main) {
  const defaults = { rows: 1_000_000, rounds: 3, kills: 10 };
  const isApart = serverFlags.every((flag) => process.execArgv.includes(flag));
  if (isApart) console.log(JSON.stringify(await measurePipelines(numbersGiven(defaults))));
  else await byHand(defaults, benchPipelines);
}
