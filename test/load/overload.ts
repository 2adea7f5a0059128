// Overload: callers who ask for a multiple of the peak and come back at once after a refusal. Alone, on a server of its own:
//   node test/load/overload.ts [--seconds 8] [--customers 5000] [--times 0.7,1,3,5,0.7]
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { type BenchCatalogue, type BenchTarget, loadCatalogue } from './bench/bench-catalogue.ts';
import { startServer } from './bench/bench-server.ts';

/** Rates a second and times in ms of one kind of answer. */
export interface Answers {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

export interface Overload {
  /** 200: the goodput. */
  readonly answered: Answers;
  /** 503 with Retry-After. */
  readonly refused: Answers;
  /** Other statuses and how often they came; none is wanted. */
  readonly others: Readonly<Record<string, number>>;
  /** Requests next to the load, ten times a second: the liveness probe, and a read of the catalogue. */
  readonly health: Probe;
  readonly catalogue: Probe;
}

export interface Probe {
  readonly asked: number;
  readonly ok: number;
  readonly p99Ms: number;
}

export interface OverloadOptions {
  /** Requests a second that the callers want answered. */
  readonly rate: number;
  /** Number of callers. Each has one connection and at most one pending request. */
  readonly callers: number;
  readonly seconds: number;
  /** Before the counting begins. */
  readonly settleSeconds?: number;
}

/** Callers per multiple of the peak: enough to reach it. */
export const callersPerPeak = 128;

/** Loads a server with recommend requests, more than it can answer; callers in a process of their own. */
export async function overload(
  { url, key }: BenchTarget,
  { flowKey, customers }: BenchCatalogue,
  { rate, callers, seconds, settleSeconds = 2 }: OverloadOptions,
): Promise<Overload> {
  const plan = {
    port: Number(new URL(url).port),
    path: '/api/v1/recommend',
    headers: { authorization: `Bearer ${key}`, 'x-requested-with': 'bench' },
    body: JSON.stringify({ customerId: '%CUSTOMER%', channel: 'email', limit: 3, decisionFlowKey: flowKey }),
    customers,
    callers,
    rate,
    settleSeconds,
    seconds,
  };
  const script = fileURLToPath(new URL('callers.ts', import.meta.url));
  const stop = new AbortController();
  const headers = { authorization: `Bearer ${key}` };
  const health = probe(`${url}/api/health`, {}, stop.signal);
  const catalogue = probe(`${url}/api/v1/offers?limit=1`, headers, stop.signal);
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [script, JSON.stringify(plan)], {
      encoding: 'utf8',
    });
    stop.abort();
    const measured = JSON.parse(stdout) as Pick<Overload, 'answered' | 'refused' | 'others'>;
    return { ...measured, health: await health, catalogue: await catalogue };
  } finally {
    stop.abort();
  }
}

/** Sends ten requests a second until the end, and waits for each response. */
async function probe(url: string, headers: Record<string, string>, end: AbortSignal): Promise<Probe> {
  const tookMs: number[] = [];
  let ok = 0;
  while (!end.aborted) {
    const started = performance.now();
    const response = await fetch(url, { headers });
    await response.arrayBuffer();
    tookMs.push(performance.now() - started);
    if (response.ok) ok++;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  tookMs.sort((a, b) => a - b);
  return { asked: tookMs.length, ok, p99Ms: tookMs[Math.floor(tookMs.length * 0.99)] ?? 0 };
}

/** Formats one line for people. */
export function described({ answered, refused, others, health, catalogue }: Overload, peak: number): string {
  const ms = (value: number): string => value.toFixed(0);
  return [
    `goodput ${answered.perSecond.toFixed(0)}/s (${((answered.perSecond / peak) * 100).toFixed(0)} %)`,
    `p50 ${ms(answered.p50Ms)} p99 ${ms(answered.p99Ms)} ms`,
    `refused ${refused.perSecond.toFixed(0)}/s p50 ${ms(refused.p50Ms)} p99 ${ms(refused.p99Ms)} max ${ms(refused.maxMs)} ms`,
    `health ${health.ok}/${health.asked} p99 ${ms(health.p99Ms)} ms`,
    `catalogue ${catalogue.ok}/${catalogue.asked} p99 ${ms(catalogue.p99Ms)} ms`,
    ...(Object.keys(others).length === 0 ? [] : [`others ${JSON.stringify(others)}`]),
  ].join(', ');
}

async function alone(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '8' },
      customers: { type: 'string', default: '5000' },
      times: { type: 'string', default: '0.7,1,3,5,0.7' },
    },
  });
  const seconds = Number(values.seconds);
  const folder = mkdtempSync(join(tmpdir(), 'arbiter-overload-'));
  const key = `krn_${randomBytes(24).toString('hex')}`;
  const bootstrap = join(folder, 'bootstrap.json');
  writeFileSync(bootstrap, JSON.stringify({ tenants: [{ name: 'Overload', apiKeys: [{ name: 'bench', key }] }] }));
  const env = { DATA_DIR: join(folder, 'data'), BOOTSTRAP_FILE: bootstrap, PORT: '0' };
  const server = await startServer(env, 1);
  try {
    const target: BenchTarget = { url: server.url, key };
    const catalogue = await loadCatalogue(target, { offers: 200, customers: Number(values.customers) });
    const run = async (rate: number, callers: number) => {
      const before = server.processorSeconds().node;
      const measured = await overload(target, catalogue, { rate, callers, seconds, settleSeconds: 0 });
      const spent = server.processorSeconds().node - before;
      return { measured, usEach: (spent * 1e6) / (measured.answered.perSecond * seconds) };
    };
    // Enough callers to want more than there is.
    await run(1e6, callersPerPeak);
    const most = await run(1e6, callersPerPeak);
    const peak = most.measured.answered.perSecond;
    console.log(
      `peak ${peak.toFixed(0)}/s, ${most.usEach.toFixed(0)} us of the server's processor time for each answer`,
    );
    for (const times of values.times.split(',').map(Number)) {
      const { measured, usEach } = await run(peak * times, Math.ceil(callersPerPeak * times));
      // Excludes what other processes of a busy machine use.
      const share = ((most.usEach / usEach) * 100).toFixed(0);
      console.log(`${times} times: ${described(measured, peak)}, ${usEach.toFixed(0)} us an answer (${share} %)`);
    }
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) await alone();
