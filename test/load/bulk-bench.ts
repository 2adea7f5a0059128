// Many items in one call against single calls: decisions, responses and the import of history. One server process, 200 offers. By
// hand, or as rows of `npm run bench`:
//   node test/load/bulk-bench.ts [--customers 20000] [--seconds 5] [--rounds 3]
// "Per core" compares processor time of the server per item, so the generator and other work on the machine don't count.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BenchTarget, headersOf, loadCatalogue } from './bench/bench-catalogue.ts';
import { load, median } from './bench/bench-load.ts';
import { n0, type Row } from './bench/bench-report.ts';
import { type BenchServer, startServer } from './bench/bench-server.ts';
import { byHand } from './bench/by-hand.ts';

interface Figures {
  readonly perSecond: number;
  readonly nodeUs: number;
  readonly postgresUs: number;
}

/** What a way of sending items costs, round by round. */
type Rounds = Figures[];

const itemsPerCall = 500;
/** Calls at once: two keep the server busy while one of them is read or answered. */
const callsAtOnce = 2;

async function send(target: BenchTarget, path: string, body: string, type = 'application/json'): Promise<string> {
  const headers = { ...headersOf(target), 'content-type': type };
  const response = await fetch(`${target.url}/api/v1/${path}`, { method: 'POST', headers, body });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text.slice(0, 500)}`);
  return text;
}

/** Runs `work` repeatedly for the time, each returning how many items it sent. */
async function measure(
  server: BenchServer,
  seconds: number,
  width: number,
  work: () => Promise<number>,
): Promise<Figures> {
  const before = server.processorSeconds();
  const startedAt = performance.now();
  let items = 0;
  await Promise.all(
    Array.from({ length: width }, async () => {
      while (performance.now() - startedAt < seconds * 1000) {
        const sent = await work();
        items += sent;
      }
    }),
  );
  const after = server.processorSeconds();
  const us = (from: number, to: number): number => ((to - from) * 1e6) / items;
  return {
    perSecond: (items * 1000) / (performance.now() - startedAt),
    nodeUs: us(before.node, after.node),
    postgresUs: us(before.postgres, after.postgres),
  };
}

function createCustomers(count: number): () => string {
  let next = 0;
  return () => {
    next = (next + 7919) % count;
    return `B-${String(next + 1).padStart(7, '0')}`;
  };
}

const failuresOf = (text: string): number => Number(/"failed":(\d+)\}$/.exec(text)?.[1] ?? Number.NaN);

async function sendItems(target: BenchTarget, path: string, name: string, items: readonly object[]): Promise<number> {
  const text = await send(target, path, JSON.stringify({ [name]: items }));
  // On a busy machine, some items don't get their turn in time.
  const done = items.length - failuresOf(text);
  if (!(done > 0)) throw new Error(`${path}: ${text.slice(0, 300)}`);
  return done;
}

export interface BulkBench {
  readonly customers: number;
  readonly seconds: number;
  readonly rounds: number;
  readonly say: (line: string) => void;
}

const figuresText = (rounds: Rounds): string =>
  `${n0(median(rounds.map(({ perSecond }) => perSecond)))}/s, ${n0(median(rounds.map(({ nodeUs }) => nodeUs)))} us in Node and ` +
  `${n0(median(rounds.map(({ postgresUs }) => postgresUs)))} us in PostgreSQL an item`;

/** How many times as many items per second of processor time. */
const perCore = (bulk: Rounds, single: Rounds): number => median(single.map(sumOf)) / median(bulk.map(sumOf));
const sumOf = ({ nodeUs, postgresUs }: Figures): number => nodeUs + postgresUs;
const perSecondOf = (rounds: Rounds): number => median(rounds.map(({ perSecond }) => perSecond));

async function measureBulk(
  server: BenchServer,
  target: BenchTarget,
  flowKey: string,
  { customers, seconds, rounds, say }: BulkBench,
): Promise<Row[]> {
  const nextCustomer = createCustomers(customers);
  const offers = JSON.parse(
    await (await fetch(`${target.url}/api/v1/offers?limit=20`, { headers: headersOf(target) })).text(),
  ) as {
    data: { id: string }[];
  };
  const offerId = offers.data[0]!.id;
  const many = <T>(make: () => T): T[] => Array.from({ length: itemsPerCall }, make);
  const request = () => ({ customerId: nextCustomer(), channel: 'email', limit: 3, decisionFlowKey: flowKey });
  let events = 0;
  const response = () => ({
    ...{ customerId: nextCustomer(), offerId, outcome: 'click' },
    timestamp: new Date(Date.now() - (events++ % 1e9)).toISOString(),
  });
  const line = () => {
    const { outcome, ...facts } = response();
    return JSON.stringify({ key: `bench-${events}-${Math.random()}`, outcome, ...facts });
  };
  const single = async (): Promise<Figures> => {
    const before = server.processorSeconds();
    const measured = await load({
      ...{ port: server.port, keys: [target.key], flow: flowKey, connections: 128, seconds },
      customers: { prefix: 'B-', count: customers, digits: 7 },
    });
    const after = server.processorSeconds();
    return {
      perSecond: measured.perSecond,
      nodeUs: ((after.node - before.node) * 1e6) / measured.requests,
      postgresUs: ((after.postgres - before.postgres) * 1e6) / measured.requests,
    };
  };
  const ways = {
    recommend: single,
    recommendBatch: () =>
      measure(server, seconds, callsAtOnce, () => sendItems(target, 'recommend/batch', 'requests', many(request))),
    respond: () =>
      measure(server, seconds, 64, async () => {
        await send(target, 'respond', JSON.stringify(response()));
        return 1;
      }),
    respondBatch: () =>
      measure(server, seconds, callsAtOnce, () => sendItems(target, 'respond/batch', 'responses', many(response))),
    import: () =>
      measure(server, seconds, callsAtOnce, async () => {
        const lines = Array.from({ length: 4 * itemsPerCall }, line);
        await send(target, 'interactions/import', lines.join('\n'), 'application/x-ndjson');
        return lines.length;
      }),
  };
  const figures = { recommend: [], recommendBatch: [], respond: [], respondBatch: [], import: [] } as Record<
    keyof typeof ways,
    Rounds
  >;
  await single();
  for (let round = 1; round <= rounds; round++) {
    for (const [name, way] of Object.entries(ways) as [keyof typeof ways, () => Promise<Figures>][]) {
      figures[name].push(await way());
    }
    say(
      `  round ${round}: ${Object.entries(figures)
        .map(([name, each]) => `${name} ${figuresText(each.slice(-1))}`)
        .join('; ')}`,
    );
  }
  const row = (measure_: string, bulk: Rounds, alone: Rounds, times: number, bar: string, least: number): Row => ({
    measure: measure_,
    bar,
    measured: `${times.toFixed(1)} times: ${figuresText(bulk)}; single calls ${figuresText(alone)}`,
    met: times >= least,
  });
  return [
    row(
      '`recommend/batch` of 500 against single calls, per core',
      figures.recommendBatch,
      figures.recommend,
      perCore(figures.recommendBatch, figures.recommend),
      'at least 2 times',
      2,
    ),
    row(
      '`respond/batch` of 500 against single calls, items/s',
      figures.respondBatch,
      figures.respond,
      perSecondOf(figures.respondBatch) / perSecondOf(figures.respond),
      'at least 5 times',
      5,
    ),
    row(
      'import of history against single calls, items/s',
      figures.import,
      figures.respond,
      perSecondOf(figures.import) / perSecondOf(figures.respond),
      'at least 5 times',
      5,
    ),
  ];
}

/** Measures on a server of its own. Returns the rows of the report. */
export async function benchBulk(options: BulkBench): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'arbiter-bulk-bench-'));
  const key = `krn_${randomBytes(24).toString('hex')}`;
  const bootstrap = join(folder, 'bootstrap.json');
  writeFileSync(bootstrap, JSON.stringify({ tenants: [{ name: 'Bench', apiKeys: [{ name: 'bench', key }] }] }));
  const env = { DATA_DIR: join(folder, 'data'), BOOTSTRAP_FILE: bootstrap, PORT: '0', RECOMMEND_RATE_PER_MINUTE: '0' };
  const server = await startServer(env, 1);
  try {
    const target = { url: server.url, key };
    const { flowKey } = await loadCatalogue(target, { offers: 200, customers: options.customers, looseCaps: true });
    return await measureBulk(server, target, flowKey, options);
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  await byHand({ customers: 20_000, seconds: 5, rounds: 3 }, benchBulk);
}
