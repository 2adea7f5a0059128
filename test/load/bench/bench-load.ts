// Load on a server from a generator in its own process, and what the machine did in the meantime.
import { execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from './bench-server.ts';

export interface Customers {
  readonly prefix: string;
  readonly count: number;
  readonly digits: number;
}

export interface Measured {
  readonly requests: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  readonly statuses: Readonly<Record<string, number>>;
  /** The first answer other than 200, whole. */
  readonly failure: string | null;
}

export interface LoadOptions {
  readonly port: number;
  /** One per tenant, used in turn. */
  readonly keys: readonly string[];
  readonly flow: string;
  readonly customers: Customers;
  readonly seconds: number;
  readonly connections: number;
  /** Requests a second; without it the next request leaves when an answer came. */
  readonly rate?: number;
  /** Share of the requests that ask for the first customer. */
  readonly hotShare?: number;
  /** Further members of the request. */
  readonly extra?: object;
}

/** Runs the generator and waits for it. Says when answers other than 200 came. */
export async function load(options: LoadOptions): Promise<Measured> {
  const plan = {
    port: options.port,
    path: '/api/v1/recommend',
    headers: options.keys.map((key) => ({ authorization: `Bearer ${key}`, 'x-requested-with': 'bench' })),
    body: JSON.stringify({
      customerId: '%CUSTOMER%',
      channel: 'email',
      limit: 3,
      decisionFlowKey: options.flow,
      ...options.extra,
    }),
    customers: options.customers,
    seconds: options.seconds,
    connections: options.connections,
    rate: options.rate ?? 0,
    hotShare: options.hotShare ?? 0,
  };
  const generator = [join(root, 'test/load/generator.ts'), JSON.stringify(plan)];
  const { stdout } = await promisify(execFile)(process.execPath, generator, { encoding: 'utf8' });
  const measured = JSON.parse(stdout) as Measured;
  const failed = Object.entries(measured.statuses).filter(([status]) => status !== '200');
  if (failed.length > 0)
    console.log(`  answers other than 200: ${JSON.stringify(failed)}, the first: ${measured.failure}`);
  return measured;
}

/** How often and how long the machine stalled. */
export interface Standstill {
  readonly count: number;
  readonly totalMs: number;
  readonly longestMs: number;
}

/** Does `work` while another process reads the clock. */
export async function withClock<T>(work: () => Promise<T>): Promise<readonly [T, Standstill]> {
  const watch = spawn(process.execPath, [join(root, 'test/load/clock-watch.ts'), '5'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  watch.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const ended = new Promise((resolve) => watch.once('close', resolve));
  const result = await work();
  watch.kill('SIGTERM');
  await ended;
  return [result, JSON.parse(output) as Standstill];
}

export const standstillText = ({ count, totalMs, longestMs }: Standstill): string =>
  count === 0
    ? 'the machine never stood still for more than 5 ms'
    : `the machine stood still ${count} times for more than 5 ms, ${Math.round(totalMs)} ms in all, ${Math.round(longestMs)} ms at the longest`;

export const median = (numbers: readonly number[]): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

const document = JSON.stringify(
  Array.from({ length: 1_000 }, (_, i) => ({
    id: i,
    name: `offer ${i}`,
    tags: ['a', 'b'],
    price: i / 7,
    isActive: i % 2 === 0,
  })),
);

/**
 * Returns the processor time, in us, to read and write a 70 KB document now: the best of some attempts. It measures the
 * machine's speed, which allows comparing runs of different hours or days. Arithmetic alone doesn't, since neighbors on
 * a machine share its caches, not its clock.
 */
export function usPerDocument(): number {
  let best = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 10; attempt++) {
    const before = process.cpuUsage();
    for (let n = 0; n < 20; n++) JSON.stringify(JSON.parse(document));
    best = Math.min(best, process.cpuUsage(before).user / 20);
  }
  return best;
}
