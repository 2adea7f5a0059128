import { readFileSync } from 'node:fs';
import type { Task } from './test-tasks.ts';

/** Linux counts processor time for programs in hundredths of a second on every machine (USER_HZ). */
const ticksPerSecond = 100;
const shownFiles = 60;

/** The cost of a task. `processor` includes the servers, databases and browsers that it started and waited for. */
export interface TaskCost {
  readonly task: Task;
  /** Duration in seconds. */
  readonly wall: number;
  /** Seconds of processor time; null where the system doesn't tell. */
  readonly processor: number | null;
  /** Seconds of processor time that the tests of each file took in the process itself, by path. */
  readonly byFile: Readonly<Record<string, number>>;
}

/**
 * Returns a function that returns the processor time, in seconds, of the child processes that ended since its last call,
 * and of those that they waited for. Null outside Linux.
 */
export function createChildClock(statOf: () => string | null = readOwnStat): () => number | null {
  const read = () => childSeconds(statOf());
  let counted = read();
  return () => {
    const now = read();
    const spent = now === null || counted === null ? null : now - counted;
    counted = now;
    return spent;
  };
}

/** Reads `cutime` and `cstime` from a line of /proc/<id>/stat (proc_pid_stat(5)). */
function childSeconds(stat: string | null): number | null {
  if (stat === null) return null;
  // The second field is the program's name in parentheses, which may contain anything. `cutime` is the 16th field.
  const afterName = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(afterName[13]) + Number(afterName[14])) / ticksPerSecond;
}

function readOwnStat(): string | null {
  try {
    return readFileSync('/proc/self/stat', 'utf8');
  } catch {
    return null;
  }
}

/**
 * Returns the table of the most expensive files. A file with a process of its own counts with everything that the process
 * started, by wall time where processor time is unknown; others count with their tests alone.
 */
export function costTable(costs: readonly TaskCost[]): string {
  const rows = costs.flatMap(({ task: { files }, wall, processor, byFile }): CostRow[] =>
    files.length === 1
      ? [{ file: files[0]!, processor, wall }]
      : Object.entries(byFile).map(([file, seconds]) => ({ file, processor: seconds, wall: null })),
  );
  const order = ({ processor, wall }: CostRow) => processor ?? wall ?? 0;
  const column = (seconds: number | null, unknown: string) => (seconds?.toFixed(0) ?? unknown).padStart(5);
  const lines = rows
    .toSorted((a, b) => order(b) - order(a))
    .slice(0, shownFiles)
    .map(({ file, wall, processor }) => `${column(processor, '?')} ${column(wall, '')}  ${file}`);
  return [
    'most expensive files (wall time where a file has a process of its own):',
    '  cpu  wall  seconds',
    ...lines,
  ].join('\n');
}

interface CostRow {
  readonly file: string;
  readonly processor: number | null;
  readonly wall: number | null;
}

/** Returns a line with the processor time of all tasks and of the database cluster they share. */
export function costTotal(costs: readonly TaskCost[], cluster: number | null): string {
  const tasks = costs.reduce((sum, { processor }) => sum + (processor ?? 0), 0);
  if (cluster === null) return 'processor time: unknown on this system';
  return `processor time: ${Math.round(tasks + cluster)} s, of those ${Math.round(cluster)} s in the database that the tests share`;
}
