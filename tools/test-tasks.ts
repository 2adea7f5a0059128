import { stripVTControlCharacters } from 'node:util';

/** Test files that run in one process, one after the other. */
export interface Task {
  readonly files: readonly string[];
}

/** Files in one process. Each keeps its database and server until the process ends, so there is an end to what they share. */
const filesPerProcess = 12;

/** What a test file says that cannot share: the reason stands behind the colon. */
const ownProcess = /^\/\/ Runs in a process of its own: /m;

/** Hooks outside of any suite run around each test of the whole process, so also around tests of other files. */
const hooksOfEachTest = /^(?:beforeEach|afterEach)\(/m;

/** Suites that start servers and browsers. */
const startsPrograms = /^(?:\.\/)?test\/(?:faults|journeys)\//;

/**
 * How test files are spread over processes, in the order in which they begin. A file shares its process with its neighbours,
 * unless it says `// Runs in a process of its own: <reason>`, has hooks around each test outside of a suite, or is of the suites
 * that start servers and browsers. The files of `test` that share begin before those beside the sources, because they are longer.
 *
 * @param files paths from the root of the repository
 * @param textOf the source of a file
 */
export function tasksOf(files: readonly string[], textOf: (file: string) => string): Task[] {
  const shares = (file: string): boolean => {
    if (startsPrograms.test(file)) return false;
    const text = textOf(file);
    return !ownProcess.test(text) && !hooksOfEachTest.test(text);
  };
  const alone = files.filter((file) => !shares(file)).map((file) => ({ files: [file] }));
  const shared = Object.groupBy(files.filter(shares).toSorted(), (file) =>
    /^(?:\.\/)?test\//.test(file) ? 'suites' : 'besideSources',
  );
  return [...alone, ...processesOf(shared.suites ?? []), ...processesOf(shared.besideSources ?? [])];
}

function processesOf(files: readonly string[]): Task[] {
  const processes = Math.ceil(files.length / filesPerProcess);
  return Array.from({ length: processes }, (_, at) => ({
    files: files.slice(at * filesPerProcess, (at + 1) * filesPerProcess),
  }));
}

const figures = ['tests', 'suites', 'pass', 'fail', 'cancelled', 'skipped', 'todo'] as const;

/**
 * The closing lines of Node's reporter (`ℹ tests 12`), added up over the outputs of several processes, and at the end a
 * line of its own with what passed and failed. A process that ended before its closing lines adds nothing: its exit code
 * tells.
 */
export function sumSummaries(outputs: readonly string[]): string {
  const plain = outputs.map((output) => stripVTControlCharacters(output));
  const sums = figures.map((figure) => {
    const closing = new RegExp(`^ℹ ${figure} (\\d+)$`, 'gm');
    return plain.reduce((sum, output) => sum + Number([...output.matchAll(closing)].at(-1)?.[1] ?? 0), 0);
  });
  const [, , pass = 0, fail = 0, cancelled = 0] = sums;
  const lines = figures.map((figure, at) => `ℹ ${figure} ${sums[at]}`);
  return `${lines.join('\n')}\n${pass} passed, ${fail + cancelled} failed\n`;
}
