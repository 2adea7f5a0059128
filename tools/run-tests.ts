import { type ChildProcess, spawn } from 'node:child_process';
import { globSync, readFileSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { relative, resolve } from 'node:path';
import { startTestCluster } from '../packages/server/src/db/test-database.ts';
import { sumSummaries, type Task, tasksOf } from './test-tasks.ts';

/**
 * `npm test` runs every test; `npm test -- <file or folder>...` runs some. Options that begin with `--` go to node
 * (`npm test -- --test-name-pattern=audit packages/server`). One database cluster serves the whole run.
 *
 * To load the server takes a process about two seconds of processor time, often more than its tests, so files share
 * processes (`test-tasks.ts`). The files of `test/faults` start servers and databases of their own, of several processes.
 * They run after the others. Those that hold answers against times of the product (R3, R10, T30) run last of all and one
 * after the other, so that it is not the tests beside them that are measured.
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
const running = new Set<ChildProcess>();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    stopped = true;
    for (const child of running) child.kill(signal);
  });
}
const stageOf = (file: string): number => {
  const path = relative('.', file);
  return measured.includes(path) ? 2 : path.startsWith(faults) ? 1 : 0;
};
const atOnce = [Math.max(2, availableParallelism()), 2, 1];
const outputs: string[] = [];
let status = 0;
for (const [stage, most] of atOnce.entries()) {
  const own = files.filter((file) => stageOf(file) === stage);
  const tasks = tasksOf(own, (file) => readFileSync(file, 'utf8'));
  const lane = async () => {
    for (let task = tasks.shift(); task !== undefined && !stopped; task = tasks.shift()) {
      status = Math.max(status, await run(task));
    }
  };
  await Promise.all(Array.from({ length: most }, lane));
}
await cluster.stop();
process.stdout.write(sumSummaries(outputs));
process.exit(stopped ? 1 : status);

/** Runs a task's files in a process of their own, shows what it wrote when it ends, and resolves with its exit code. */
async function run(task: Task): Promise<number> {
  const child = spawn(
    process.execPath,
    ['--test', '--test-reporter=spec', '--test-isolation=none', '--test-timeout=180000', ...options, ...task.files],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      // With stripped and compiled sources kept between the processes, loading takes less than half of the processor time.
      env: {
        NODE_COMPILE_CACHE: resolve('node_modules/.cache/node-compile'),
        ...process.env,
        ARBITER_TEST_CLUSTER: cluster.adminUrl,
      },
    },
  );
  running.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const code = await new Promise<number>((done) => child.once('close', (exit) => done(exit ?? 1)));
  running.delete(child);
  outputs.push(output);
  process.stdout.write(output);
  if (code !== 0) console.log(`✖ exit code ${code} of ${task.files.join(' ')}`);
  return code;
}

function testFiles(place: string): string[] {
  const found = statSync(place, { throwIfNoEntry: false });
  if (found?.isDirectory())
    return globSync('**/*.test.ts', { cwd: place, exclude: ['**/node_modules/**'] }).map((f) => `${place}/${f}`);
  return found === undefined ? globSync(place) : [place];
}
