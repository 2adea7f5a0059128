import { type ChildProcess, spawn } from 'node:child_process';
import { globSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { relative, resolve } from 'node:path';
import { startTestCluster } from '../packages/server/src/db/test-database.ts';

/**
 * `npm test` runs every test; `npm test -- <file or folder>...` runs some. Options that begin with `--` go to node
 * (`npm test -- --test-name-pattern=audit packages/server`). One database cluster serves the whole run.
 *
 * The files of `test/faults` start servers and databases of their own and hold them against times of the product (R2,
 * R3, R10, T30). They run after the others and one after the other, so that it is not the tests beside them that are
 * measured.
 */
const everything = ['packages', 'test', 'tools'];
const alone = 'test/faults/';
const args = process.argv.slice(2);
const options = args.filter((arg) => arg.startsWith('-'));
const places = args.filter((arg) => !arg.startsWith('-'));

const files = [...new Set((places.length > 0 ? places : everything).flatMap(testFiles))];
if (files.length === 0) {
  console.error(`no tests in ${places.join(' ')}`);
  process.exit(1);
}

const cluster = await startTestCluster();
let stopped = false;
let runner: ChildProcess | null = null;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    stopped = true;
    runner?.kill(signal);
  });
}
const isAlone = (file: string): boolean => relative('.', file).startsWith(alone);
let status = await run(
  files.filter((file) => !isAlone(file)),
  Math.max(2, availableParallelism()),
);
status = Math.max(status, await run(files.filter(isAlone), 1));
await cluster.stop();
process.exit(status);

/** Runs the files, so many at a time; resolves with the exit code. */
async function run(chosen: readonly string[], atOnce: number): Promise<number> {
  if (chosen.length === 0 || stopped) return stopped ? 1 : 0;
  const child = spawn(
    process.execPath,
    ['--test', '--test-timeout=180000', `--test-concurrency=${atOnce}`, ...options, ...chosen],
    {
      stdio: 'inherit',
      // Each file is a process that loads most of the server. With stripped and compiled sources kept between them that takes
      // less than half of the processor time.
      env: {
        NODE_COMPILE_CACHE: resolve('node_modules/.cache/node-compile'),
        ...process.env,
        ARBITER_TEST_CLUSTER: cluster.adminUrl,
      },
    },
  );
  runner = child;
  return new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
}

function testFiles(place: string): string[] {
  const found = statSync(place, { throwIfNoEntry: false });
  if (found?.isDirectory())
    return globSync('**/*.test.ts', { cwd: place, exclude: ['**/node_modules/**'] }).map((f) => `${place}/${f}`);
  return found === undefined ? globSync(place) : [place];
}
