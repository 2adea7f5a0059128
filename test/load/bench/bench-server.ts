// Servers for benchmarks, started as users start them, and the figures that /proc has about them.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../../', import.meta.url));

/** As `npm start` does. */
export const serverFlags = ['--max-semi-space-size=16', '--max-old-space-size=1024'];
const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

export interface Started {
  readonly child: ChildProcess;
  readonly match: RegExpMatchArray;
  /** Milliseconds from the start to the expected line. */
  readonly tookMs: number;
}

/** Starts a script and waits until its output matches `ready`. Throws when it ends before. */
export function start(
  script: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  ready: RegExp,
  { build = root, nodeFlags = [] }: { readonly build?: string; readonly nodeFlags?: readonly string[] } = {},
): Promise<Started> {
  const at = performance.now();
  const child = spawn(process.execPath, [...serverFlags, ...nodeFlags, join(build, script), ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.add(child);
  return new Promise((resolve, reject) => {
    let seen = '';
    child.stdout.on('data', (chunk: Buffer) => {
      // Keep reading: output piles up in a pipe that nobody reads.
      if (seen.length > 100_000) return;
      seen += chunk.toString();
      const match = seen.match(ready);
      if (match) {
        seen = ' '.repeat(100_001);
        resolve({ child, match, tookMs: performance.now() - at });
      }
    });
    child.once('exit', (code) => {
      children.delete(child);
      reject(new Error(`${script} ended with ${code}: ${seen.slice(-2000)}`));
    });
  });
}

export interface BenchServer {
  readonly url: string;
  readonly port: number;
  /** ms from the start to ready. */
  readonly tookMs: number;
  /** Resident memory of the largest of its Node processes, in MB. */
  rssMb(): number;
  /** Processor time that its Node processes and its database took so far, in seconds. */
  processorSeconds(): { readonly node: number; readonly postgres: number };
  /** What its main thread allocates during the work. Needs `watchHeap`; of the primary only, with several processes. */
  heapUse(work: () => Promise<void>): Promise<HeapUse>;
  /** Graceful stop; answers with how long it took, in ms. */
  stop(): Promise<number>;
}

/** What a process allocates on the JavaScript heap, and the time that collections take. */
export interface HeapUse {
  readonly bytes: number;
  /** Of them, how many collections of the young generation had to copy. */
  readonly copied: number;
  readonly collections: number;
  readonly collectionUs: number;
  /** Of it for the old generation. */
  readonly majorUs: number;
}

export interface ServerOptions {
  /** Root of another checkout. */
  readonly build?: string;
  readonly flags?: readonly string[];
  readonly watchHeap?: boolean;
}

/** Starts the product with `processes` server processes behind one port. */
export async function startServer(
  env: Readonly<Record<string, string>>,
  processes: number,
  { build = root, flags: nodeFlags = [], watchHeap = false }: ServerOptions = {},
): Promise<BenchServer> {
  const watched = watchHeap ? mkdtempSync(join(tmpdir(), 'arbiter-heap-')) : null;
  if (watched !== null) process.on('exit', () => rmSync(watched, { recursive: true, force: true }));
  const watching = watched === null ? [] : ['--import', join(root, 'test/load/bench/heap-watch.mjs')];
  const { child, match, tookMs } = await start(
    'packages/cli/bin/arbiter.js',
    ['serve'],
    { ...env, PROCESSES: String(processes), ...(watched === null ? {} : { HEAP_WATCH: watched }) },
    /arbiter ready url=http:\/\/[^:]+:(\d+)/,
    { build, nodeFlags: [...nodeFlags, ...watching] },
  );
  const port = Number(match[1]);
  const tree = (): Map<number, string> => descendants(child.pid ?? 0);
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    tookMs,
    rssMb: () =>
      Math.max(
        ...[...tree()].filter(([, name]) => name !== 'postgres').map(([pid]) => statusField(pid, 'VmRSS') / 1024),
      ),
    processorSeconds() {
      let node = 0;
      let postgres = 0;
      for (const [pid, name] of tree()) {
        const seconds = processorTicks(pid) / ticksPerSecond;
        if (name === 'postgres') postgres += seconds;
        else node += seconds;
      }
      return { node, postgres };
    },
    async heapUse(work) {
      if (watched === null) throw new Error("the server doesn't watch its heap");
      const file = join(watched, 'heap.json');
      rmSync(file, { force: true });
      child.kill('SIGUSR2');
      await work();
      child.kill('SIGUSR2');
      while (!existsSync(file)) await sleep(20);
      await sleep(100);
      return JSON.parse(readFileSync(file, 'utf8')) as HeapUse;
    },
    async stop() {
      const at = performance.now();
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await ended;
      return performance.now() - at;
    },
  };
}

/** Linux counts processor time in hundredths of a second (`getconf CLK_TCK`). */
const ticksPerSecond = 100;

const processorTicks = (pid: number): number => {
  // The name in parentheses may hold spaces; the fields after it are counted from 3 (proc(5)).
  const fields = read(`/proc/${pid}/stat`).split(') ')[1]?.split(' ') ?? [];
  // Its own time, and that of children that have ended: otherwise the sum falls when one of the database's processes ends.
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0);
};

const statusField = (pid: number, name: string): number =>
  Number(read(`/proc/${pid}/status`).match(new RegExp(`${name}:\\s+(\\d+)`))?.[1] ?? 0);

/** Seconds of processor time of a process and its descendants. */
export const secondsBelow = (top: number): number =>
  [...descendants(top).keys()].reduce((sum, pid) => sum + processorTicks(pid), 0) / ticksPerSecond;

/** A process that has just ended has no files left, which is no reason to fail. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** A process and all its descendants, with their names. */
function descendants(top: number): Map<number, string> {
  const parents = new Map<number, number>();
  const names = new Map<number, string>();
  for (const entry of readdirSync('/proc')) {
    const pid = Number(entry);
    if (!Number.isInteger(pid)) continue;
    const stat = read(`/proc/${pid}/stat`);
    const close = stat.lastIndexOf(')');
    if (close < 0) continue;
    names.set(pid, stat.slice(stat.indexOf('(') + 1, close));
    parents.set(pid, Number(stat.slice(close + 2).split(' ')[1]));
  }
  const found = new Map<number, string>();
  const visit = (pid: number): void => {
    found.set(pid, names.get(pid) ?? '');
    for (const [child, parent] of parents) if (parent === pid && !found.has(child)) visit(child);
  };
  visit(top);
  return found;
}
