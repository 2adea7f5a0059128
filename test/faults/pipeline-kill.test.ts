// Workers are killed in the middle of pipeline runs. Afterwards the table equals the source: no row is missing, and none is
// there twice. PIPELINE_ROWS, PIPELINE_KILLS: size of the long form.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTestServer, type TestServer } from '../../packages/server/src/main/test-server.ts';
import { assertInTime } from '../deadline.ts';
import { sized } from '../form.ts';
import { numberedRow } from './nodes/numbered-row.ts';
import { stopwatch } from './stopwatch.ts';

const rows = sized('PIPELINE_ROWS', { short: 20_000, long: 200_000 });
const kills = sized('PIPELINE_KILLS', { short: 1, long: 3 });
const patienceMs = 300_000;

let server: TestServer;
let node: ChildProcess | null = null;
before(async () => {
  server = await startTestServer({});
});
after(async () => {
  await kill();
  await server?.close();
});

const query = <T>(text: string, values: unknown[] = []) =>
  server.testDatabase.ownerQuery<T & Record<string, unknown>>(text, values);

async function startNode(kind: 'resumable' | 'whole'): Promise<void> {
  const program = join(import.meta.dirname, 'nodes/pipeline-node.ts');
  const { url } = server.testDatabase;
  node = spawn(process.execPath, [program, url, String(rows), kind, '40'], { stdio: ['ignore', 'pipe', 'inherit'] });
  node.stdout?.resume();
  await once(node.stdout!, 'data');
}

async function kill(): Promise<void> {
  if (node === null || node.exitCode !== null || node.signalCode !== null) return;
  const ended = once(node, 'exit');
  node.kill('SIGKILL');
  await ended;
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

const scenarios = [
  { name: 'append without a key', loadMode: 'append', isKeyed: false, kind: 'resumable' },
  { name: 'upsert', loadMode: 'upsert', isKeyed: true, kind: 'resumable' },
  { name: 'replace', loadMode: 'replace', isKeyed: true, kind: 'whole' },
  { name: 'append from a source that can only begin again', loadMode: 'append', isKeyed: false, kind: 'whole' },
] as const;

for (const [at, { name, loadMode, isKeyed, kind }] of scenarios.entries()) {
  test(`${kills} kills in a run over ${rows} rows: ${name}`, async (t) => {
    const schemaId = await server.create('schemas', {
      ...{ name: `loaded_${at}`, displayName: 'Loaded', schemaType: 'event', fields: fields({ isKeyed }) },
    });
    const connectorId = await server.create('connectors', { name: `Source ${at}`, type: 'postgresql' });
    const body = { name, connectorId, schemaId, loadMode, source: { rowLimit: 0 } };
    const pipelineId = await server.create('pipelines', body);
    const { body: run } = await server.call<{ id: string }>('POST', `/api/v1/pipelines/${pipelineId}/runs`);
    await startNode(kind);
    for (let number = 1; number <= kills; number++) {
      const place = kind === 'resumable' ? Math.floor((rows * number) / (kills + 2)) : 0;
      await until(run.id, 'the run did not start', ({ rowsIn, token }) => rowsIn >= place && token >= number);
      // A run in one step stores no progress: its source takes at least this long.
      if (kind === 'whole') await sleep((rows / 1_000) * 20);
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
