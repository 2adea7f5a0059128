import { spawn } from 'node:child_process';
import { globSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { startTestCluster } from '../packages/server/src/db/test-database.ts';

/**
 * `npm test` runs every test; `npm test -- <file or folder>...` runs some. Options that begin with `--` go to node
 * (`npm test -- --test-name-pattern=audit packages/server`). One database cluster serves the whole run.
 */
const everything = ['packages', 'test', 'tools'];
const args = process.argv.slice(2);
const options = args.filter((arg) => arg.startsWith('-'));
const places = args.filter((arg) => !arg.startsWith('-'));

const files = (places.length > 0 ? places : everything).flatMap(testFiles);
if (files.length === 0) {
  console.error(`no tests in ${places.join(' ')}`);
  process.exit(1);
}

const cluster = await startTestCluster();
const runner = spawn(
  process.execPath,
  [
    '--test',
    '--test-timeout=180000',
    `--test-concurrency=${Math.max(2, availableParallelism())}`,
    ...options,
    ...files,
  ],
  { stdio: 'inherit', env: { ...process.env, ARBITER_TEST_CLUSTER: cluster.adminUrl } },
);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => runner.kill(signal));
const status = await new Promise<number>((resolve) => runner.once('exit', (code) => resolve(code ?? 1)));
await cluster.stop();
process.exit(status);

function testFiles(place: string): string[] {
  const found = statSync(place, { throwIfNoEntry: false });
  if (found?.isDirectory())
    return globSync('**/*.test.ts', { cwd: place, exclude: ['**/node_modules/**'] }).map((f) => `${place}/${f}`);
  return found === undefined ? globSync(place) : [place];
}
