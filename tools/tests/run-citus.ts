import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/**
 * `npm run test:citus` runs tests on a Citus cluster of a coordinator and two workers, which it starts and stops. The
 * cluster comes from a script, `CITUS_CLUSTER` or `shared/citus/cluster` in a folder above this one: `start <folder> <port>`
 * prints the coordinator's URL, `stop <folder>` stops it. Skips with the reason when there's no script or no root.
 * `--short` leaves out what takes minutes.
 */
const shortFiles = ['test/citus/workers.citus.ts', 'test/citus/distribute.citus.ts', 'test/citus/guide.citus.ts'];
/** Tests of a single database, for work that Citus plans differently: jobs, bulk writes, erasure, exports. */
const features = [
  'catalogue/schemas/large-tables',
  'catalogue/schemas/schemas',
  'data/pipelines/pipelines',
  'data/pipelines/row-keys',
  'data/pipelines/runs',
  'deciding/history-import/history-import',
  'deciding/model-learning/recorded-features',
  'deciding/studies/evaluate/evaluate',
  'deciding/studies/evaluate/evaluate-input',
  'deciding/studies/evaluate/trained-on-window',
  'deciding/studies/evaluate/weighed-places',
  'deciding/studies/not-evaluable',
  'deciding/studies/records/history-reach',
  'deciding/studies/running-studies',
  'deciding/studies/studies',
  'operations/archive/archive',
  'operations/archive/archive-bucket',
  'operations/archive/archive-crashes',
  'operations/archive/archive-erasure',
  'operations/archive/archive-readers',
  'operations/archive/archive-refusals',
  'operations/checks/decision-tests',
  'operations/erasure/erasure',
  'operations/exports/exports',
  'operations/reports/due',
  'outreach/campaigns/run-endings',
  'outreach/deliveries/sending',
  'outreach/ingest/ingest',
  'outreach/triggers/triggers',
];
const longFiles = [
  'test/tenancy/isolation.test.ts',
  'packages/server/src/http/app.test.ts',
  ...features.map((name) => `packages/server/src/features/${name}.test.ts`),
  'packages/server/src/db/backup/tenant-backup.test.ts',
  'test/citus/acceptance.citus.ts',
  'test/citus/backup.citus.ts',
  'test/citus/failures.citus.ts',
  'test/citus/leftovers.citus.ts',
  'test/citus/moves.citus.ts',
  'test/citus/operations.citus.ts',
  'test/citus/restore-point.citus.ts',
];
const args = process.argv.slice(2);
const isShort = args.includes('--short');
const chosen = args.filter((arg) => !arg.startsWith('--'));
const files = chosen.length > 0 ? chosen : [...shortFiles, ...(isShort ? [] : longFiles)];

const script = findScript();
const reason = script === null ? 'no cluster script; set CITUS_CLUSTER to one' : rootMissing();
if (script === null || reason !== null) {
  console.log(`citus: skipped: ${reason}`);
  process.exit(0);
}
process.exit(await runOn(script));

function findScript(): string | null {
  const given = process.env.CITUS_CLUSTER;
  if (given) return given;
  for (let folder = process.cwd(); folder !== dirname(folder); folder = dirname(folder)) {
    const found = join(dirname(folder), 'shared/citus/cluster');
    if (existsSync(found)) return found;
  }
  return null;
}

function rootMissing(): string | null {
  return process.getuid?.() === 0 ? null : 'starting PostgreSQL as another user needs root';
}

async function runOn(cluster: string): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'arbiter-citus-'));
  const port = await freePorts(3);
  try {
    const started = spawnSync(cluster, ['start', folder, String(port)], { encoding: 'utf8' });
    if (started.status !== 0) {
      console.log(`citus: skipped: the cluster didn't start: ${started.stderr.trim().split('\n').at(-1)}`);
      return 0;
    }
    const url = started.stdout.trim().split('\n').at(-1) ?? '';
    let failed = 0;
    for (const file of files) {
      console.log(`citus: ${file}`);
      if ((await runFile(file, { ARBITER_TEST_CITUS: url, ARBITER_TEST_CITUS_FOLDER: folder })) !== 0) failed += 1;
    }
    console.log(
      failed === 0 ? `citus: ${files.length} files passed` : `citus: ${failed} of ${files.length} files failed`,
    );
    return failed === 0 ? 0 : 1;
  } finally {
    spawnSync(cluster, ['stop', folder]);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** One file after the other: they share the cluster's processes, and one of them kills nodes. */
function runFile(file: string, environment: Record<string, string>): Promise<number> {
  const options = ['--test', '--test-isolation=none', '--test-timeout=600000', '--test-reporter=spec'];
  const child = spawn(process.execPath, [...options, file], {
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  });
  return new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
}

/** Returns the first of some neighboring ports that are free. */
async function freePorts(count: number): Promise<number> {
  for (let port = 54_600; ; port += count) {
    const tests = await Promise.all(Array.from({ length: count }, (_, i) => isFree(port + i)));
    if (tests.every((free) => free)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
