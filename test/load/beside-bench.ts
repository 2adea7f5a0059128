// p99 of `recommend` next to other work of the same tenant: the console, reports, uploads, policy files, simulations. One server
// process, 200 offers, half the peak. By hand, or as rows of `npm run bench`:
//   node test/load/beside-bench.ts [--customers 20000] [--seconds 6] [--rounds 3]
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BenchTarget, headersOf, loadCatalogue, post } from './bench/bench-catalogue.ts';
import { load, median } from './bench/bench-load.ts';
import { ms, n0, type Row } from './bench/bench-report.ts';
import { startServer } from './bench/bench-server.ts';
import { byHand } from './bench/by-hand.ts';

/** Work that repeats next to the decisions. */
type Work = () => Promise<void>;

async function call({ url, key }: BenchTarget, path: string, init: RequestInit = {}): Promise<Record<string, unknown>> {
  const headers = { ...headersOf({ url, key }), ...(init.headers as Record<string, string>) };
  const response = await fetch(`${url}/api/v1/${path}`, { ...init, headers });
  const text = await response.text();
  // The server limits some of this work, and gives way under load.
  if (response.status === 429 || response.status === 503) await sleep(500);
  else if (!response.ok) throw new Error(`${path}: ${response.status} ${text.slice(0, 300)}`);
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
}

const consoleCalls = [
  ...[
    'decisions?limit=50',
    'offers?limit=50',
    'interaction-history?limit=50',
    'search?q=Offer',
    'decision-traces?limit=50',
  ],
  ...['customers/B-0000042/profile', 'dashboard-data?type=offer_performance&days=7', 'creatives?limit=50'],
];

/** Makes what the work needs, and returns it by name. */
async function createWorks(target: BenchTarget): Promise<Readonly<Record<string, Work>>> {
  const schemas = (await call(target, 'schemas')) as unknown as { data: { id: string }[] };
  const schemaId = schemas.data[0]!.id;
  const segment = await post(target, 'segments', { name: 'Everyone', baseSchemaId: schemaId });
  const sources = ['daily_trend', 'funnel', 'score_distribution', 'selection_frequency'];
  const template = await post(target, 'reports/templates', {
    name: 'Week',
    dataSources: sources.map((sourceKey) => ({ sourceKey, params: { days: 7 } })),
    formats: ['html', 'pdf', 'csv'],
  });
  const loaded = await post(target, 'schemas', {
    name: 'uploads',
    displayName: 'Uploads',
    schemaType: 'reference',
    fields: [
      { name: 'row_id', displayName: 'Row', dataType: 'varchar', length: 16, isPrimaryKey: true, isNullable: false },
      { name: 'amount', displayName: 'Amount', dataType: 'integer' },
      { name: 'note', displayName: 'Note', dataType: 'varchar', length: 64 },
    ],
  });
  const lines = Array.from({ length: 20_000 }, (_, at) => `R${at},${(at * 31) % 997},note ${at}`);
  const csv = ['row_id,amount,note', ...lines].join('\n');
  let turn = 0;
  return {
    'the console': async () => void (await call(target, consoleCalls[turn++ % consoleCalls.length]!)),
    reports: async () =>
      void (await call(target, `reports/templates/${template.id}/run-now`, { method: 'POST', body: '{}' })),
    'uploads of 20,000 rows': async () =>
      void (await call(target, `schemas/${loaded.id}/data?onDuplicate=update`, {
        ...{ method: 'POST', headers: { 'content-type': 'text/csv' }, body: csv },
      })),
    'policy files': async () => void (await call(target, 'gitops/export', { method: 'POST', body: '{}' })),
    'simulations over a segment': async () =>
      void (await call(target, 'simulate', {
        method: 'POST',
        body: JSON.stringify({ segmentId: segment.id, decisionFlowKey: 'bench-200', sampleSize: 500 }),
      })),
  };
}

export interface BesideBench {
  readonly customers: number;
  readonly seconds: number;
  readonly rounds: number;
  readonly say: (line: string) => void;
}

/** Measures on a server of its own. Returns the rows of the report. */
export async function benchBeside({ customers, seconds, rounds, say }: BesideBench): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'arbiter-beside-bench-'));
  const key = `krn_${randomBytes(24).toString('hex')}`;
  const bootstrap = join(folder, 'bootstrap.json');
  writeFileSync(bootstrap, JSON.stringify({ tenants: [{ name: 'Bench', apiKeys: [{ name: 'bench', key }] }] }));
  const server = await startServer({ DATA_DIR: join(folder, 'data'), BOOTSTRAP_FILE: bootstrap, PORT: '0' }, 1);
  try {
    const target = { url: server.url, key };
    const catalogue = await loadCatalogue(target, { offers: 200, customers, looseCaps: true });
    const works = await createWorks(target);
    const usual = {
      ...{ port: server.port, keys: [key], flow: catalogue.flowKey, customers: catalogue.customers },
      ...{ seconds, connections: 128 },
    };
    const rate = (await load(usual)).perSecond / 2;
    const alone: number[] = [];
    const beside = new Map<string, { readonly p99: number[]; done: number }>();
    for (let round = 0; round < rounds; round++) {
      alone.push((await load({ ...usual, rate })).p99Ms);
      for (const [name, work] of Object.entries(works)) {
        const figures = beside.get(name) ?? { p99: [], done: 0 };
        beside.set(name, figures);
        let isOver = false;
        const loop = (async () => {
          for (; !isOver; figures.done += 1) await work();
        })();
        figures.p99.push((await load({ ...usual, rate })).p99Ms);
        isOver = true;
        await loop;
      }
    }
    const usualMs = median(alone);
    return [...beside].map(([name, { p99, done }]) => {
      const times = median(p99) / usualMs;
      say(`beside ${name}: p99 ${ms(median(p99))} against ${ms(usualMs)}, ${done} calls`);
      return {
        measure: `p99 of recommend at half the peak (${n0(rate)}/s) beside ${name}, against without`,
        bar: 'at most 1.5 times',
        measured: `${ms(median(p99))} against ${ms(usualMs)}, ${times.toFixed(1)} times; ${n0(done)} calls`,
        met: times <= 1.5,
      };
    });
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  await byHand({ customers: 20_000, seconds: 6, rounds: 3 }, benchBeside);
}
