import { type ChildProcess, spawn } from 'node:child_process';
import { globSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { relative, resolve } from 'node:path';
import { startTestCluster } from '../packages/server/src/db/test-database.ts';

/**
 * `npm test` runs every test; `npm test -- <file or folder>...` runs some. Options that begin with `--` go to node
 * (`npm test -- --test-name-pattern=audit packages/server`). One database cluster serves the whole run.
 *
 * The files of `test/faults` start servers and databases of their own, of several processes. They run after the others.
 * Those that hold answers against times of the product (R3, R10, T30) run last of all and one after the other, so that it
 * is not the tests beside them that are measured.
 */
// The longest files are in `test`: begun first, none of them is left to run alone at the end.
const everything = ['test', 'tools', 'packages'];
const faults = 'test/faults/';
const measured = ['database', 'stop', 'two-nodes'].map((name) => `${faults}${name}.test.ts`);
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
const stageOf = (file: string): number => {
  const path = relative('.', file);
  return measured.includes(path) ? 2 : path.startsWith(faults) ? 1 : 0;
};
const atOnce = [Math.max(2, availableParallelism()), 2, 1];
let status = 0;
for (const [stage, most] of atOnce.entries()) {
  const own = files.filter((file) => stageOf(file) === stage);
  status = Math.max(status, await run(own, most));
}
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
