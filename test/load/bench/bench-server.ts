// Servers for benchmarks, started as users start them, and the figures that /proc has about them.
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../../', import.meta.url));

/** As `npm start` does. */
const flags = ['--max-semi-space-size=8', '--max-old-space-size=1024'];
const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

export interface Started {
  readonly child: ChildProcess;
  readonly match: RegExpMatchArray;
  /** ms from the start to the line that was waited for. */
  readonly tookMs: number;
}

/** Starts a script and waits until its output matches `ready`. Throws when it ends before. */
export function start(
  script: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  ready: RegExp,
): Promise<Started> {
  const at = performance.now();
  const child = spawn(process.execPath, [...flags, join(root, script), ...args], {
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
  /** Graceful stop; answers with how long it took, in ms. */
  stop(): Promise<number>;
}

/** Starts the product with `processes` server processes behind one port. */
export async function startServer(env: Readonly<Record<string, string>>, processes: number): Promise<BenchServer> {
  const { child, match, tookMs } = await start(
    'packages/cli/bin/arbiter.js',
    ['serve'],
    { ...env, PROCESSES: String(processes) },
    /arbiter ready url=http:\/\/[^:]+:(\d+)/,
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
  return Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
};

const statusField = (pid: number, name: string): number =>
  Number(read(`/proc/${pid}/status`).match(new RegExp(`${name}:\\s+(\\d+)`))?.[1] ?? 0);

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
