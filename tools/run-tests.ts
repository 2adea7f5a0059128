import { type ChildProcess, spawn } from 'node:child_process';
import { globSync, readFileSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { relative, resolve } from 'node:path';
import { startTestCluster } from '../packages/server/src/db/test-database.ts';
import { mayRunAgain, sumSummaries, type Task, tasksOf } from './test-tasks.ts';

/**
 * `npm test` runs every test; `npm test -- <file or folder>...` runs some. Options that begin with `--` go to node
 * (`npm test -- --test-name-pattern=audit packages/server`). One database cluster serves the whole run.
 *
 * To load the server takes a process about a second of processor time, often more than its tests, so files share
 * processes (`test-tasks.ts`). A lane runs one process after the other. There is a lane more than there are processors, because
 * a test often waits for its database or a timer: with as many as processors a quarter of their time was idle. The files of
 * `test/faults` start servers and databases of their own and mostly wait for them: they have lanes of their own beside the
 * others, fewer, as they do not end last. Those that hold answers against times of the product (R3, R10, T30) run last of all
 * and one after the other, so that it is not the tests beside them that are measured.
 *
 * A machine that stands still for seconds makes servers answer 503 as they should, and a test of servers or browsers fail. A
 * few such files are run once more at the end, alone, and the last lines name them (`mayRunAgain`).
 */
// The longest files are in `test`: begun first, none of them is left to run alone at the end.
const everything = ['test', 'tools', 'packages'];
const faults = 'test/faults/';
/** Room for what is new saves processes as short as these 5 to 10 % of their processor time (measured), which is to move it. */
const nodeOptions = [
  ...['--min-semi-space-size=32', '--max-semi-space-size=32'],
  ...['--test', '--test-reporter=spec', '--test-isolation=none', '--test-timeout=600000'],
];
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
const outputs: string[] = [];
const failed: { readonly task: Task; readonly code: number; readonly output: string }[] = [];

/** Runs what is chosen of the files in so many lanes. */
async function runLanes(most: number, isChosen: (path: string) => boolean): Promise<void> {
  const own = files.filter((file) => isChosen(relative('.', file)));
  const tasks = tasksOf(own, (file) => readFileSync(file, 'utf8'));
  const lane = async () => {
    for (let task = tasks.shift(); task !== undefined && !stopped; task = tasks.shift()) {
      const { code, output } = await run(task);
      if (code === 0) outputs.push(output);
      else failed.push({ task, code, output });
    }
  };
  await Promise.all(Array.from({ length: most }, lane));
}
const processors = availableParallelism();
await Promise.all([
  runLanes(processors + 1, (path) => !path.startsWith(faults)),
  runLanes(Math.max(1, Math.floor(processors / 2)), (path) => path.startsWith(faults) && !measured.includes(path)),
]);
await runLanes(1, (path) => measured.includes(path));
let status = 0;
const again: string[] = [];
const repeat = !stopped && mayRunAgain(failed.map(({ task }) => task));
for (const { task, code, output } of failed) {
  if (repeat) console.log(`↻ once more: ${task.files.join(' ')}`);
  const last = repeat ? await run(task) : { code, output };
  outputs.push(last.output);
  status = Math.max(status, last.code);
  if (repeat && last.code === 0) again.push(...task.files);
}
await cluster.stop();
process.stdout.write(sumSummaries(outputs));
if (again.length > 0) console.log(`passed at the second run only: ${again.join(' ')}`);
process.exit(stopped ? 1 : status);

/** Runs a task's files in a process of their own, and shows what it wrote when it ends. */
async function run(task: Task): Promise<{ readonly code: number; readonly output: string }> {
  const child = spawn(process.execPath, [...nodeOptions, ...options, ...task.files], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // With stripped and compiled sources kept between the processes, loading takes less than half of the processor time.
    env: {
      NODE_COMPILE_CACHE: resolve('node_modules/.cache/node-compile'),
      ...process.env,
      ARBITER_TEST_CLUSTER: cluster.adminUrl,
    },
  });
  running.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const code = await new Promise<number>((done) => child.once('close', (exit) => done(exit ?? 1)));
  running.delete(child);
  process.stdout.write(output);
  if (code !== 0) console.log(`✖ exit code ${code} of ${task.files.join(' ')}`);
  return { code, output };
}

function testFiles(place: string): string[] {
  const found = statSync(place, { throwIfNoEntry: false });
  if (found?.isDirectory())
    return globSync('**/*.test.ts', { cwd: place, exclude: ['**/node_modules/**'] }).map((f) => `${place}/${f}`);
  return found === undefined ? globSync(place) : [place];
}
