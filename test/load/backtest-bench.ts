// What a backtest and an evaluation cost: processor time a decision, reading and unsealing included, against the engine alone on the
// same inputs; and the rate of `recommend` next to it. 200 offers, 20 policies. By hand, or as rows of `npm run bench`:
//   node test/load/backtest-bench.ts [--decisions 4000] [--seconds 6] [--rounds 3]
// Without decisions, only the rate is measured.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type BacktestSpec,
  backtestDefaults,
  type EvaluationSpec,
  estimatorNames,
  evaluationDefaults,
} from '@arbiter/contract';
import { decide } from '@arbiter/engine';
import { createCustomerKeys } from '../../packages/server/src/features/deciding/customer-states/index.ts';
import { backtestKind } from '../../packages/server/src/features/deciding/studies/backtest/backtest-kind.ts';
import { evaluateKind } from '../../packages/server/src/features/deciding/studies/evaluate/evaluate-kind.ts';
import { createInputFor } from '../../packages/server/src/features/deciding/studies/records/input-for.ts';
import { createRecordReader } from '../../packages/server/src/features/deciding/studies/records/record-reader.ts';
import type { StudyQuestion } from '../../packages/server/src/features/deciding/studies/study-kind.ts';
import { startTestServer } from '../../packages/server/src/main/test-server.ts';
import { type BenchTarget, headersOf, loadCatalogue } from './bench/bench-catalogue.ts';
import { ageDecisions } from './bench/bench-database.ts';
import { load, median } from './bench/bench-load.ts';
import { n0, percent, type Row } from './bench/bench-report.ts';
import { startServer } from './bench/bench-server.ts';
import { byHand } from './bench/by-hand.ts';

const idsPerChunk = 2_000;
const customers = 500;

/** Returns the processor time that the work takes in this process, in microseconds. */
async function cpuOf(work: () => Promise<unknown> | unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

export interface BacktestBench {
  readonly decisions: number;
  readonly seconds: number;
  readonly rounds: number;
  readonly say: (line: string) => void;
}

/** Measures on a server in this process. Postgres is another process, so its time doesn't count. */
async function benchCost({ decisions, rounds, say }: BacktestBench): Promise<Row[]> {
  const server = await startTestServer({ checkResponses: false });
  try {
    const url = await server.app.listen({ port: 0, host: '127.0.0.1' });
    const tenantId = server.tenants[0].id;
    const catalogue = await loadCatalogue(
      { url, key: server.tenants[0].keys.admin },
      { offers: 200, customers, looseCaps: true },
    );
    let left = decisions;
    const lane = async (): Promise<void> => {
      for (; left > 0; ) {
        left -= 1;
        const customerId = `B-${String(left % customers).padStart(7, '0')}`;
        await server.call('POST', '/api/v1/recommend', {
          body: { customerId, channel: 'web', decisionFlowKey: catalogue.flowKey },
        });
      }
    };
    await Promise.all(Array.from({ length: 16 }, lane));
    const rows = await server.testDatabase.ownerQuery<{ id: string; hash: Buffer; flow: string }>(
      'select id, plan_hash as hash, flow_id as flow from arbiter.decisions order by customer_ref, id',
    );
    const keys = createCustomerKeys([Buffer.alloc(32, 7)]);
    const reader = createRecordReader({ database: server.database, keys, tenantId });
    const work = { database: server.database, keys, tenantId, reader, pauseIfBusy: async () => undefined };
    const ids = rows.map(({ id }) => id);
    const question = (mode: BacktestSpec['mode']): StudyQuestion<BacktestSpec> => ({
      ...{ id: `bench ${mode}`, flowId: rows[0]!.flow, specHash: '00', candidateHash: rows[0]!.hash, baseHash: null },
      ...{ dataCut: new Date(), routing: null, total: 0 },
      spec: {
        ...backtestDefaults,
        version: 1,
        mode,
        limits: {},
        from: new Date(0).toISOString(),
        to: new Date().toISOString(),
      },
    });
    const evaluation: StudyQuestion<EvaluationSpec> = {
      ...question('independent'),
      ...{ id: 'bench evaluation', total: ids.length },
      spec: {
        ...{ ...evaluationDefaults, version: 1, reward: 'positive', rewardDays: 1, segmentIds: [] },
        ...{ estimators: [...estimatorNames], from: new Date(0).toISOString(), to: new Date().toISOString() },
      },
    };
    const candidate = await reader.plan(rows[0]!.hash);
    const inputFor = createInputFor(candidate);
    const inputs = (await reader.read(ids.slice(0, idsPerChunk))).flatMap(({ whole }) => {
      const made = whole === null ? null : inputFor(whole, { contacts: () => null, countsAll: false });
      return made?.input ?? [];
    });
    const inChunks = async (each: (some: readonly string[]) => Promise<unknown>): Promise<void> => {
      for (let at = 0; at < ids.length; at += idsPerChunk) await each(ids.slice(at, at + idsPerChunk));
    };
    const runs = {
      independent: (some: readonly string[]) => backtestKind.chunk(work, question('independent'), some),
      chained: (some: readonly string[]) => backtestKind.chunk(work, question('chained'), some),
      evaluation: (some: readonly string[]) => evaluateKind.chunk(work, evaluation, some),
    };
    const times = {
      engine: [] as number[],
      independent: [] as number[],
      chained: [] as number[],
      evaluation: [] as number[],
    };
    for (let round = 0; round < rounds + 1; round += 1) {
      const engine = await cpuOf(() => {
        for (const input of inputs) decide(candidate.plan, input, { trace: false });
      });
      for (const mode of ['independent', 'chained', 'evaluation'] as const) {
        const cpu = await cpuOf(() => inChunks(runs[mode]));
        // The first round warms up.
        if (round > 0) times[mode].push(cpu / ids.length);
      }
      if (round > 0) times.engine.push(engine / inputs.length);
    }
    const engine = median(times.engine);
    const bars = { independent: 5, chained: 8, evaluation: 6 };
    const names = {
      independent: 'a backtest (independent)',
      chained: 'a backtest (chained)',
      evaluation: 'an evaluation',
    };
    return (['independent', 'chained', 'evaluation'] as const).map((mode) => {
      const us = median(times[mode]);
      say(`${names[mode]}: ${us.toFixed(0)} us against ${engine.toFixed(0)} us of the engine`);
      return {
        measure: `Processor time a decision of ${names[mode]}, against the engine alone; ${n0(ids.length)} decisions of ${n0(customers)} customers`,
        bar: `at most ${bars[mode]} times`,
        measured: `${us.toFixed(0)} µs against ${engine.toFixed(0)} µs, ${(us / engine).toFixed(1)} times`,
        met: us / engine <= bars[mode],
      };
    });
  } finally {
    await server.close();
  }
}

type RatedKind = 'backtest' | 'evaluation';

/** Hours that decisions are moved back, so that an evaluation doesn't wait for their responses. */
const agedHours = 24;

/** Studies so far: a repeated question would be refused while it runs. */
let studies = 0;

function startOf(kind: RatedKind, maxDecisions: number): { readonly path: string; readonly body: object } {
  const range = { from: new Date(Date.now() - 2 * 86_400_000).toISOString(), to: new Date().toISOString() };
  studies += 1;
  const shared = { version: 1, ...range, maxDecisions: maxDecisions + studies };
  return kind === 'backtest'
    ? { path: 'backtest', body: shared }
    : { path: 'evaluate', body: { ...shared, reward: 'positive', rewardDays: 1 } };
}

/** Runs a study until it ends or the signal cancels it. Returns the number of decisions it judged; null if it wasn't accepted. */
async function judge(
  target: BenchTarget,
  flowKey: string,
  start: ReturnType<typeof startOf>,
  end: AbortSignal,
): Promise<number | null> {
  const call = async (path: string, body?: object): Promise<Record<string, unknown>> => {
    const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const response = await fetch(`${target.url}/api/v1/${path}`, { ...init, headers: headersOf(target) });
    return (await response.json()) as Record<string, unknown>;
  };
  const { studyId } = await call(`decision-flows/${flowKey}/${start.path}`, start.body);
  if (typeof studyId !== 'string') return null;
  for (;;) {
    await sleep(200);
    if (end.aborted) await call(`studies/${studyId}/cancel`, {});
    const { status, progress } = (await call(`studies/${studyId}`)) as {
      status: string;
      progress: { decisions: number };
    };
    if (status === 'failed') throw new Error(`the ${start.path} failed`);
    if (status === 'completed' || status === 'cancelled') return progress.decisions;
  }
}

/** Runs studies, one after the other, until the signal. Returns the number of decisions they judged. */
async function judgeUntil(target: BenchTarget, flowKey: string, kind: RatedKind, end: AbortSignal): Promise<number> {
  let judged = 0;
  while (!end.aborted) {
    const own = await judge(target, flowKey, startOf(kind, 20_000), end);
    if (own === null) await sleep(500);
    judged += own ?? 0;
  }
  return judged;
}

/** Measures the rate of `recommend` alone and next to studies of each kind, in turns. */
async function benchRate({ seconds, rounds, say }: BacktestBench): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'arbiter-backtest-bench-'));
  const dataDir = join(folder, 'data');
  const key = `krn_${randomBytes(24).toString('hex')}`;
  const bootstrap = join(folder, 'bootstrap.json');
  writeFileSync(bootstrap, JSON.stringify({ tenants: [{ name: 'Bench', apiKeys: [{ name: 'bench', key }] }] }));
  const server = await startServer({ DATA_DIR: dataDir, BOOTSTRAP_FILE: bootstrap, PORT: '0' }, 1);
  try {
    const target = { url: server.url, key };
    const { flowKey, customers: people } = await loadCatalogue(target, {
      offers: 200,
      customers: 20_000,
      looseCaps: true,
    });
    const usual = { port: server.port, keys: [key], flow: flowKey, customers: people, seconds, connections: 128 };
    await load(usual);
    await load(usual);
    await ageDecisions(dataDir, agedHours);
    const alone: number[] = [];
    const kinds: readonly RatedKind[] = ['backtest', 'evaluation'];
    const beside: Record<RatedKind, { readonly rates: number[]; judged: number }> = {
      backtest: { rates: [], judged: 0 },
      evaluation: { rates: [], judged: 0 },
    };
    // The thread loads its code with its first study.
    for (const kind of kinds) {
      const judged = await judge(target, flowKey, startOf(kind, 1_000), new AbortController().signal);
      if (judged === null || judged === 0) throw new Error(`the first ${kind} judged nothing`);
    }
    for (let round = 0; round < rounds; round += 1) {
      alone.push((await load(usual)).perSecond);
      for (const kind of kinds) {
        const end = new AbortController();
        const running = judgeUntil(target, flowKey, kind, end.signal);
        beside[kind].rates.push((await load(usual)).perSecond);
        end.abort();
        beside[kind].judged += await running;
      }
    }
    return kinds.map((kind) => {
      const { rates, judged } = beside[kind];
      const share = median(rates) / median(alone);
      const rateText = `${n0(median(rates))}/s against ${n0(median(alone))}/s`;
      say(`recommend beside ${kind}s: ${rateText}; ${n0(judged)} judged`);
      return {
        measure: `Rate of recommend beside ${kind === 'backtest' ? 'a backtest' : 'an evaluation'}, against without`,
        bar: 'at least 80 %',
        measured: `${percent(share)} (${rateText}); ${n0(judged)} decisions judged meanwhile`,
        met: share >= 0.8,
      };
    });
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the rows of the report. */
export const benchBacktests = async (options: BacktestBench): Promise<Row[]> => [
  ...(options.decisions === 0 ? [] : await benchCost(options)),
  ...(await benchRate(options)),
];

if (import.meta.main) {
  await byHand({ decisions: 4_000, seconds: 6, rounds: 3 }, benchBacktests);
}
