import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { startTestCluster } from '../../packages/server/src/db/test-database.ts';
import type { Failure } from './failure-reporter.ts';
import { fastFiles } from './fast-tests.ts';
import { costTable, costTotal, createChildClock, type TaskCost } from './processor-time.ts';
import { type FailedTask, reasonsToRunAgain } from './second-runs.ts';
import { bundleServer, hooksOption } from './server-bundle.ts';
import { failureReport, filesInTurn, sumSummaries, type Task, tasksOf } from './test-tasks.ts';

/**
 * `npm test` runs every test except files whose turn it isn't; `npm test -- <file or folder>...` runs some, whatever the
 * turn. `--fast` skips tests that need a server, a database or a browser (`fast-tests.ts`), `--long` runs all files, and
 * random and repeated tests in their long form (`test/form.ts`).
 * Other options that start with `--` go to node (`npm test -- --test-name-pattern=audit packages/server`). One database
 * cluster serves the whole run.
 *
 * Loading the server takes a process about a second of processor time, often more than its tests, so files share
 * processes (`test-tasks.ts`). A lane runs one process after the other. There are more lanes than processors, because
 * tests often wait for the database or a timer; with fewer, a quarter of the processor time was idle. Files of
 * `test/faults` start their own servers and databases and mostly wait for them, and a journey's browser needs a processor,
 * so both have lanes of their own, which then help with the other files. Files that compare responses with time limits of the
 * product (R3, R10, T30) run last, one by one, so that other tests don't distort the measurement.
 *
 * A machine that stalls for seconds makes servers answer 503, as they should, and makes tests of servers or browsers
 * miss their deadline. A few such files run a second time at the end, alone; each is listed with its reason, and the
 * last line counts them. No other failure gets a second run (`second-runs.ts`).
 */
// Files in `test` take longest. They start first, so none of them runs alone at the end.
const everything = ['test', 'tools', 'packages'];
const faults = 'test/faults/';
const journeys = 'test/journeys/';
/**
 * A larger young generation saves short processes 5 to 10% of their processor time (measured), and an old generation that is
 * collected late another 10%.
 */
const nodeOptions = ['--min-semi-space-size=32', '--max-semi-space-size=32', '--initial-old-space-size=512'];
const program = 'tools/tests/test-process.ts';
/** A test that takes longer counts as hanging. */
const timeoutMs = 600_000;
const longTimeoutMs = 3_600_000;
/** The time limit of a test doesn't cover what a file does before its tests, so a process that takes this long is killed. */
const processTimeoutMs = 1_800_000;
const measured = ['database', 'stop', 'two-nodes'].map((name) => `${faults}${name}.test.ts`);
const args = process.argv.slice(2);
const isFast = args.includes('--fast');
const isLong = args.includes('--long');
const options = args.filter((arg) => arg.startsWith('-') && arg !== '--fast' && arg !== '--long');
const places = args.filter((arg) => !arg.startsWith('-'));

process.env.TEST_TURN ??= turnOf();
if (isLong) process.env.TEST_FORM = 'long';
const turn = process.env.TEST_TURN;
const textOf = (file: string): string => readFileSync(file, 'utf8');
const all = [...new Set((places.length > 0 ? places : everything).flatMap(testFiles))];
const found = places.length > 0 ? all : filesInTurn(all, textOf);
const fast = fastFiles(found);
const files = isFast ? fast : found;
if (files.length === 0) {
  console.error(`no tests in ${places.join(' ')}`);
  process.exit(1);
}

const reports = mkdtempSync(join(tmpdir(), 'arbiter-test-reports-'));
const [cluster, bundle] = isFast ? [null, null] : await Promise.all([startTestCluster(), bundleServer()]);
let stopped = false;
const running = new Set<ChildProcess>();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    stopped = true;
    for (const child of running) child.kill(signal);
  });
}
/** Result of a test process. */
interface Outcome {
  readonly code: number;
  readonly output: string;
  readonly failures: readonly Failure[];
}
let runs = 0;
const outputs: string[] = [];
const costs: TaskCost[] = [];
const childClock = createChildClock();
const laneTimes: string[] = [];
const secondsSince = (startedAt: number): number => Math.round((performance.now() - startedAt) / 1000);
const failed: (FailedTask & Outcome)[] = [];

/** Returns the tasks of the chosen files. A lane takes each one from the list before it runs it. */
function queueOf(isChosen: (path: string) => boolean): Task[] {
  const own = files.filter((file) => isChosen(relative('.', file)));
  return tasksOf(own, textOf, new Set(fast));
}

/** Runs a queue in this many lanes and records the time. A lane with nothing left helps with `then`. */
async function runLanes(name: string, most: number, queue: Task[], then: Task[] = []): Promise<void> {
  const startedAt = performance.now();
  const next = () => (stopped ? undefined : (queue.shift() ?? then.shift()));
  const lane = async () => {
    for (let task = next(); task !== undefined; task = next()) {
      const outcome = await run(task);
      if (outcome.code === 0) outputs.push(outcome.output);
      else failed.push({ task, ...outcome });
    }
  };
  await Promise.all(Array.from({ length: most }, lane));
  laneTimes.push(`${name} ${secondsSince(startedAt)} s`);
}
const processors = availableParallelism();
const half = Math.max(1, Math.floor(processors / 2));
const hasOwnLane = (path: string): boolean => !isFast && (path.startsWith(faults) || path.startsWith(journeys));
const others = queueOf((path) => !hasOwnLane(path));
const journeyQueue = queueOf((path) => path.startsWith(journeys));
const faultQueue = queueOf((path) => path.startsWith(faults) && !measured.includes(path));
await Promise.all([
  runLanes('journeys', half, journeyQueue, others),
  runLanes('others', processors, others),
  // Fast tests seldom wait, so one more lane is enough.
  runLanes('faults', isFast ? 0 : half, faultQueue, others),
]);
const measuredQueue = queueOf((path) => measured.includes(path));
await runLanes('measured', 1, measuredQueue);
const reasons = stopped ? null : reasonsToRunAgain(failed);
let status = 0;
const passedAtSecondRun: string[] = [];
for (const { task, ...first } of failed) {
  const reason = reasons?.get(task);
  if (reason !== undefined) console.log(`↻ second run of ${task.files.join(' ')}: ${reason}`);
  const last = reason === undefined ? first : await run(task);
  outputs.push(last.output);
  status = Math.max(status, last.code);
  if (reason !== undefined && last.code === 0) passedAtSecondRun.push(`${task.files.join(' ')} (${reason})`);
}
await cluster?.stop();
rmSync(reports, { recursive: true });
const waiting = all.length - found.length;
console.log(`turn: ${turn} (TEST_TURN=${turn} repeats it); ${waiting} files wait for theirs`);
console.log(`lanes: ${laneTimes.join(', ')}`);
console.log(costTable(costs));
console.log(costTotal(costs, childClock()));
for (const { task, output } of failed)
  process.stdout.write(`failed: ${task.files.join(' ')}\n${failureReport(output)}`);
for (const line of passedAtSecondRun) console.log(`passed at the second run only: ${line}`);
process.stdout.write(sumSummaries(outputs));
console.log(`second runs: ${reasons?.size ?? 0}`);
process.exit(stopped ? 1 : status);

/** Runs a task's files in a process of their own and prints the output when it ends. */
async function run(task: Task): Promise<Outcome> {
  const startedAt = performance.now();
  const report = join(reports, `${++runs}.jsonl`);
  const fileCosts = join(reports, `${runs}.json`);
  const limit = String(isLong ? longTimeoutMs : timeoutMs);
  const child = spawn(
    process.execPath,
    [...nodeOptions, ...options, program, report, fileCosts, limit, ...task.files],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      // Keeping stripped and compiled sources between processes more than halves the processor time for loading.
      env: {
        NODE_COMPILE_CACHE: resolve('node_modules/.cache/node-compile'),
        ...process.env,
        ...(cluster === null ? {} : { ARBITER_TEST_CLUSTER: cluster.adminUrl }),
        NODE_OPTIONS: [process.env.NODE_OPTIONS, hooksOption(bundle)].join(' ').trim(),
      },
    },
  );
  running.add(child);
  let output = '';
  const kill = () => {
    output += `✖ killed after ${processTimeoutMs / 60_000} minutes\n`;
    child.kill('SIGKILL');
  };
  const timer = isLong ? undefined : setTimeout(kill, processTimeoutMs);
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  let processor: number | null = null;
  child.once('exit', () => {
    processor = childClock();
  });
  const code = await new Promise<number>((done) => child.once('close', (exit) => done(exit ?? 1)));
  clearTimeout(timer);
  running.delete(child);
  costs.push({ task, wall: secondsSince(startedAt), processor, byFile: byFileOf(fileCosts) });
  process.stdout.write(output);
  if (code !== 0) console.log(`✖ exit code ${code} of ${task.files.join(' ')}`);
  return { code, output, failures: code === 0 ? [] : failuresIn(report) };
}

/** Returns the turn of suites that spread over several runs (`test/form.ts`): the number of commits. */
function turnOf(): string {
  const counted = spawnSync('git', ['rev-list', '--count', 'HEAD'], { encoding: 'utf8' });
  return counted.status === 0 ? counted.stdout.trim() : '0';
}

/** Returns what the reporter wrote. A killed process may have left no file, or half a line. */
function failuresIn(report: string): Failure[] {
  if (statSync(report, { throwIfNoEntry: false }) === undefined) return [];
  const lines = readFileSync(report, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Failure);
}

/** Returns the seconds of each file, which a killed process doesn't tell. */
function byFileOf(path: string): Record<string, number> {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return {};
  const seconds: Record<string, number> = JSON.parse(readFileSync(path, 'utf8'));
  return Object.fromEntries(Object.entries(seconds).map(([file, each]) => [relative('.', file), each]));
}

function testFiles(place: string): string[] {
  const found = statSync(place, { throwIfNoEntry: false });
  if (found?.isDirectory())
    return globSync('**/*.test.ts', { cwd: place, exclude: ['**/node_modules/**'] }).map((f) => `${place}/${f}`);
  return found === undefined ? globSync(place) : [place];
}
