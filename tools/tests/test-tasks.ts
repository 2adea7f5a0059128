import { normalize } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { shareOf } from '../../test/form.ts';

/** Test files that run in one process, one after the other. */
export interface Task {
  readonly files: readonly string[];
}

/** Files per process. Each keeps its database and server until the process ends, so the number has to be limited. */
const filesPerProcess = 16;

/** Files per process without databases and servers. */
const fastFilesPerProcess = 24;

/** Marks a test file that can't share a process; the reason follows the colon. */
const ownProcess = /^\/\/ Runs in a process of its own: /m;

/** Marks a test file that runs in one of this many turns (`test/form.ts`); the reason follows the colon. */
const turnsOfFile = /^\/\/ Runs in one of (\d+) turns: /m;

/** Hooks outside a suite run around every test of the process, including those of other files. */
const hooksOfEachTest = /^(?:beforeEach|afterEach)\(/m;

/** Suites that start servers and browsers. */
const startsPrograms = /^(?:\.\/)?test\/(?:faults|journeys)\//;

/**
 * Returns the files of this turn: those that run in every turn, and a share of those that say
 * `// Runs in one of <n> turns: <reason>`. Neighbors take different turns, so each turn costs about the same.
 */
export function filesInTurn(files: readonly string[], textOf: (file: string) => string): string[] {
  const byTurns = Map.groupBy(files.toSorted(), (file) => Number(turnsOfFile.exec(textOf(file))?.[1] ?? 1));
  return [...byTurns].flatMap(([turns, own]) => shareOf(own, `files of ${turns} turns`, turns));
}

/**
 * Distributes test files over processes, in the order in which they start. A file shares its process with its neighbors
 * unless it says `// Runs in a process of its own: <reason>`, has hooks around each test outside a suite, or belongs to
 * the suites that start servers and browsers. Shared files of `test` start before those next to the sources, because
 * they take longer.
 *
 * @param files paths from the root of the repository
 * @param textOf returns a file's source
 * @param fast those files that need no server, database or browser
 */
export function tasksOf(
  files: readonly string[],
  textOf: (file: string) => string,
  fast: ReadonlySet<string> = new Set(),
): Task[] {
  const shares = (file: string): boolean => {
    if (startsPrograms.test(file)) return false;
    const text = textOf(file);
    return !ownProcess.test(text) && !hooksOfEachTest.test(text);
  };
  const alone = files.filter((file) => !shares(file)).map((file) => ({ files: [file] }));
  const shared = Object.groupBy(files.filter(shares).toSorted(), (file) => {
    if (fast.has(normalize(file))) return 'fast';
    return /^(?:\.\/)?test\//.test(file) ? 'suites' : 'besideSources';
  });
  return [
    ...alone,
    ...processesOf(shared.suites ?? [], filesPerProcess),
    ...processesOf(shared.besideSources ?? [], filesPerProcess),
    ...processesOf(shared.fast ?? [], fastFilesPerProcess),
  ];
}

function processesOf(files: readonly string[], size: number): Task[] {
  const processes = Math.ceil(files.length / size);
  return Array.from({ length: processes }, (_, at) => ({ files: files.slice(at * size, (at + 1) * size) }));
}

const figures = ['tests', 'suites', 'pass', 'fail', 'cancelled', 'skipped', 'todo'] as const;

/**
 * Adds up the closing lines of Node's reporter (`ℹ tests 12`) over several processes, followed by a line with the
 * passed and failed counts. A process that ended early adds nothing: its exit code tells.
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

/** Where a journey stood when it failed (`test/journeys/console/browser.ts`), up to the next line of the reporter. */
const stand = /^ℹ where it stood\n(?:(?![✔✖ℹ▶]).*\n)*/gm;
const failing = '✖ failing tests:';

/**
 * Repeats what a failed process reported of its failures, indented, so that the end of a long log shows them. Returns an
 * empty text for a process that ended before its reporter did.
 */
export function failureReport(output: string): string {
  const plain = stripVTControlCharacters(output);
  const start = plain.lastIndexOf(failing);
  const parts = [
    ...[...plain.matchAll(stand)].map(([text]) => text),
    start < 0 ? '' : plain.slice(start + failing.length),
  ];
  const lines = parts.join('\n').split('\n');
  return lines
    .filter((line) => line.trim() !== '')
    .map((line) => `  ${line}\n`)
    .join('');
}
