// Runs in one of 2 turns: each kills one kind of long work, and kill, cap-kill and keyed-work-kill run in each.

// Workers are killed in the middle of pipeline runs. Afterwards the table equals the source: no
// row is missing or duplicated. PIPELINE_ROWS, PIPELINE_KILLS: size of the long form.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTestServer, type TestServer } from '../../packages/server/src/main/test-server.ts';
import { assertInTime } from '../deadline.ts';
import { sized } from '../form.ts';
import { type DatabasePort, openDatabasePort } from './nodes/database-port.ts';
import { numberedRow } from './nodes/numbered-row.ts';
import { stopwatch } from './stopwatch.ts';

const rows = sized('PIPELINE_ROWS', { short: 20_000, long: 200_000 });
const simpleKills = sized('PIPELINE_KILLS', { short: 1, long: 3 });
/** Kills of runs that read real sources. */
const sourceKills = 3;
const patienceMs = 300_000;

let server: TestServer;
let node: ChildProcess | null = null;
let folder: string;
let port: DatabasePort;
before(async () => {
  server = await startTestServer({});
  folder = await mkdtemp(join(tmpdir(), 'arbiter-pipeline-kill-'));
  port = await openDatabasePort(server.testDatabase.adminUrl);
  const lines = Array.from({ length: rows }, (_, at) => Object.values(numberedRow(at)).join(','));
  await writeFile(join(folder, 'rows.csv'), `customer_id,amount,label\n${lines.join('\n')}\n`);
  await query(`create table public.source as select 'C-' || n as customer_id, n as amount,
    'row ' || n || ' with some text' as label from generate_series(0, ${rows - 1}) n`);
});
after(async () => {
  await kill();
  port?.close();
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});

const query = <T>(text: string, values: unknown[] = []) =>
  server.testDatabase.ownerQuery<T & Record<string, unknown>>(text, values);

type Kind = 'resumable' | 'whole' | 'connector';

async function startNode(kind: Kind): Promise<void> {
  const program = join(import.meta.dirname, 'nodes/pipeline-node.ts');
  const { url } = server.testDatabase;
  const words = [program, url, String(rows), kind, '40', folder];
  node = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  node.stdout?.resume();
  await once(node.stdout!, 'data');
}

async function kill(): Promise<void> {
  if (node === null || node.exitCode !== null || node.signalCode !== null) return;
  const ended = once(node, 'exit');
  node.kill('SIGKILL');
  await ended;
  await letLeasesExpire();
}

/** Makes the dead worker's lease and its jobs as old as if we had waited for the takeover. */
async function letLeasesExpire(): Promise<void> {
  await query(`update arbiter.leases set expires_at = clock_timestamp() where name like 'worker:%'`);
  await query(`update graphile_worker._private_jobs set locked_at = locked_at - interval '1 minute'
    where locked_at is not null`);
}

interface Run {
  readonly status: string;
  readonly rowsIn: number;
  readonly token: number;
}

/** Waits until the run is there. Returns what it was then. */
async function until(runId: string, what: string, holds: (run: Run) => boolean): Promise<Run> {
  const elapsed = stopwatch();
  for (;;) {
    const [run] = await query<Run>(
      'select status, rows_in::int as "rowsIn", token from arbiter.pipeline_runs where id = $1',
      [runId],
    );
    if (run !== undefined && holds(run)) return run;
    assertInTime(elapsed() < patienceMs, `${what}: ${JSON.stringify(run)}`);
    await sleep(10);
  }
}

const fields = ({ isKeyed }: { readonly isKeyed: boolean }) => [
  {
    ...{ name: 'customer_id', displayName: 'Customer', dataType: 'varchar', length: 64 },
    ...(isKeyed ? { isPrimaryKey: true, isNullable: false } : {}),
  },
  { name: 'amount', displayName: 'Amount', dataType: 'integer' },
  { name: 'label', displayName: 'Label', dataType: 'text' },
];

interface Scenario {
  readonly name: string;
  readonly loadMode: string;
  readonly isKeyed: boolean;
  readonly kind: Kind;
  /** It stores no progress before its end. */
  readonly isWhole?: boolean;
  readonly type?: string;
  readonly source?: () => object;
}

const table = () => ({ ...port.config, sourceTable: 'public.source' });

const scenarios: readonly Scenario[] = [
  { name: 'append without a key', loadMode: 'append', isKeyed: false, kind: 'resumable' },
  { name: 'upsert', loadMode: 'upsert', isKeyed: true, kind: 'resumable' },
  { name: 'replace', loadMode: 'replace', isKeyed: true, kind: 'whole' },
  { name: 'append from a source that can only begin again', loadMode: 'append', isKeyed: false, kind: 'whole' },
  {
    ...{ name: 'append by watermark from PostgreSQL', loadMode: 'append', isKeyed: false, kind: 'connector' },
    source: () => ({ ...table(), watermarkColumn: 'amount' }),
  },
  {
    ...{ name: 'replace from PostgreSQL', loadMode: 'replace', isKeyed: true, kind: 'connector', isWhole: true },
    source: table,
  },
  {
    ...{ name: 'append from a CSV file', loadMode: 'append', isKeyed: false, kind: 'connector', type: 'csv' },
    source: () => ({ path: 'rows.csv' }),
  },
];

for (const [at, scenario] of scenarios.entries()) {
  const { name, loadMode, isKeyed, kind, isWhole = kind === 'whole', type = 'postgresql', source } = scenario;
  const kills = kind === 'connector' ? sourceKills : simpleKills;
  test(`${kills} kills in a run over ${rows} rows: ${name}`, async (t) => {
    const schemaId = await server.create('schemas', {
      ...{ name: `loaded_${at}`, displayName: 'Loaded', schemaType: 'event', fields: fields({ isKeyed }) },
    });
    const connectorId = await server.create('connectors', { name: `Source ${at}`, type, config: source?.() ?? {} });
    const body = { name, connectorId, schemaId, loadMode, source: { rowLimit: 0 } };
    const pipelineId = await server.create('pipelines', body);
    const { body: run } = await server.call<{ id: string }>('POST', `/api/v1/pipelines/${pipelineId}/runs`);
    await startNode(kind);
    for (let number = 1; number <= kills; number++) {
      const place = isWhole ? 0 : Math.floor((rows * number) / (kills + 2));
      await until(run.id, 'the run did not start', ({ rowsIn, token }) => rowsIn >= place && token >= number);
      // A run in one step stores no progress: its source takes at least this long.
      if (isWhole) await sleep((rows / 1_000) * 20);
      await kill();
      const before = await until(run.id, 'the run is there', () => true);
      assert.equal(before.status, 'running', 'the kill came in the middle');
      await startNode(kind);
      const taken = await until(run.id, 'nobody took the run over', ({ token }) => token > before.token);
      assert.ok(taken.rowsIn >= before.rowsIn, 'what was committed stays');
    }
    await until(run.id, 'the run did not end', ({ status }) => status !== 'running');
    await kill();
    const { body: progress } = await server.call('GET', `/api/v1/pipelines/${pipelineId}/runs/${run.id}/progress`);
    const { status, rowsIn, rowsOut, failedRows } = progress;
    assert.deepEqual([status, rowsIn, rowsOut, failedRows], ['completed', rows, rows, 0], JSON.stringify(progress));
    await assertEqualsSource(`ds_loaded_${at}`);
    t.diagnostic(`${name}: ${kills} kills`);
  });
}

async function assertEqualsSource(tableName: string): Promise<void> {
  const [found] = await query<{ t: string }>(
    `select format('%I.%I', schemaname, tablename) as t from pg_tables where tablename = $1`,
    [tableName],
  );
  const stored = await query<{ customer_id: string; amount: number; label: string }>(
    `select customer_id, amount, label from ${found!.t} order by amount`,
  );
  assert.equal(stored.length, rows);
  for (const [at, row] of stored.entries()) assert.deepEqual({ ...row }, numberedRow(at));
}
