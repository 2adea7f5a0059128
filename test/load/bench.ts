// `npm run bench`: the bars of docs/design/decisioning.md 6, and what makes single decisions slow, on a server started as
// users start it: embedded PostgreSQL, durable commits, forced RLS, records and audit on; load generator, server and
// database share the machine. Writes docs/benchmarks.md. About ten minutes.
// Options: --seconds 10 --rounds 3 --customers 50000 --offers-large 10000 --connections 128 --no-write
import { execFile, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { benchBacktests } from './backtest-bench.ts';
import { type BenchTarget, loadCatalogue, post } from './bench/bench-catalogue.ts';
import { databaseUrl, multiplyOffers, tenantIdOf } from './bench/bench-database.ts';
import { load, median, type Standstill, standstillText, usPerDocument, withClock } from './bench/bench-load.ts';
import { machineText, ms, n0, percent, type Row, table, withNotes } from './bench/bench-report.ts';
import { type BenchServer, root, start, startServer } from './bench/bench-server.ts';
import { changingCatalogue, contactCustomers, firstDecision, hotCustomer, type Usual } from './bench/bench-tail.ts';
import { benchBeside } from './beside-bench.ts';
import { benchBulk } from './bulk-bench.ts';
import { benchCampaigns } from './campaign-bench.ts';
import { benchCampaignKills } from './campaign-kill-bench.ts';
import { measureCatalogue } from './catalogue-bench.ts';
import { benchChecks } from './engine/check-bench.ts';
import { benchEstimators } from './estimator-bench.ts';
import { benchExports } from './export-bench.ts';
import { benchGrowth } from './growth-bench.ts';
import { benchMetrics } from './metric-bench.ts';
import { callersPerPeak, overload } from './overload.ts';
import { benchPipelines } from './pipeline-bench.ts';
import { benchReports } from './report-bench.ts';
import { benchReportRendering } from './report-render-bench.ts';
import { benchSinks } from './sinks-bench.ts';
import { benchTrainings } from './training-bench.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '3' },
    customers: { type: 'string', default: '50000' },
    'offers-large': { type: 'string', default: '10000' },
    connections: { type: 'string', default: '128' },
    write: { type: 'boolean', default: true },
  },
  allowNegative: true,
});
const seconds = Number(values.seconds);
const rounds = Number(values.rounds);
const customers = Number(values.customers);
const largeOffers = Number(values['offers-large']);
const connections = Number(values.connections);
const say = (line: string): void => console.log(line);

const folder = mkdtempSync(join(tmpdir(), 'arbiter-bench-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

// ---------------------------------------------------------------- a database, filled through the API
const documents = [usPerDocument()];
const newKey = (): string => `krn_${randomBytes(24).toString('hex')}`;
const key = newKey();
const largeKey = newKey();
const contactsKey = newKey();
const manyKeys = Array.from({ length: 50 }, newKey);
const named = (name: string, tenantKey: string) => ({ name, apiKeys: [{ name: 'bench', key: tenantKey }] });
const bootstrap = join(folder, 'bootstrap.json');
writeFileSync(
  bootstrap,
  JSON.stringify({
    tenants: [
      named('Bench', key),
      named('Large', largeKey),
      named('Contacts', contactsKey),
      ...manyKeys.map((each, i) => named(`Tenant ${i}`, each)),
    ],
  }),
);
const dataDir = join(folder, 'data');
const env = { DATA_DIR: dataDir, BOOTSTRAP_FILE: bootstrap, PORT: '0', LOG_LEVEL: 'info' };
let server: BenchServer = await startServer(env, 1);
const coldStartMs = server.tookMs;
const readyMb = server.rssMb();
const target = (tenantKey: string): BenchTarget => ({ url: server.url, key: tenantKey });
say(`started in ${(coldStartMs / 1000).toFixed(1)} s (new database), RSS ${readyMb.toFixed(0)} MB`);

const catalogue = await loadCatalogue(target(key), { offers: 200, customers });
await loadCatalogue(target(largeKey), { offers: 20, customers: Math.min(customers, 10_000) });
await multiplyOffers(dataDir, 'Large', 20, largeOffers);
await post(target(largeKey), 'categories', { name: 'Raises the catalogue version' });
const contacts = await loadCatalogue(target(contactsKey), { offers: 200, customers: 64, looseCaps: true });
for (const each of manyKeys) await loadCatalogue(target(each), { offers: 10, customers: 200 });
const heavy = { ...contacts.customers, count: 32 };
await contactCustomers(target(contactsKey), heavy, 5000);
say(
  `loaded 200 offers, 20 policies, 10 rules, ${n0(customers)} customers; ${n0(largeOffers)} offers; 50 small tenants`,
);
const sample = await post(target(key), 'recommend', {
  customerId: 'B-0000001',
  channel: 'email',
  limit: 3,
  decisionFlowKey: catalogue.flowKey,
  dryRun: true,
});
const sampleFile = join(folder, 'answer.json');
writeFileSync(sampleFile, JSON.stringify(sample));
const raw = await start('test/load/database/raw-ceiling.ts', [sampleFile], {}, /^(\d+)/m);

/** The usual load on the server that runs now. */
const usual = (over: Partial<Usual> = {}): Usual => ({
  port: server.port,
  keys: [key],
  flow: catalogue.flowKey,
  customers: catalogue.customers,
  seconds,
  connections,
  ...over,
});

// ---------------------------------------------------------------- the first minutes of a database
/** Connections that were opened while tables were empty keep the plans of that time. */
const fresh = await load(usual());
say(`fresh: ${n0(fresh.perSecond)}/s, p99 ${ms(fresh.p99Ms)}`);

// ---------------------------------------------------------------- one and two processes, in turns
interface Side {
  readonly ours: number[];
  readonly dry: number[];
  readonly first: number[];
  readonly firstLarge: number[];
  readonly startMs: number[];
  readonly rss: number[];
  readonly nodeUs: number[];
  readonly postgresUs: number[];
}
const newSide = (): Side => ({
  ours: [],
  dry: [],
  first: [],
  firstLarge: [],
  startMs: [],
  rss: [],
  nodeUs: [],
  postgresUs: [],
});
const sides = { 1: newSide(), 2: newSide() };
const rawRates: number[] = [];
let stopMs = 0;

async function measureSide(processes: 1 | 2): Promise<void> {
  const side = sides[processes];
  documents.push(usPerDocument());
  stopMs = await server.stop();
  server = await startServer(env, processes);
  side.startMs.push(server.tookMs);
  side.first.push(await firstDecision(target(key), catalogue.flowKey));
  side.firstLarge.push(await firstDecision(target(largeKey), 'bench-20'));
  await load(usual({ seconds: Math.max(4, seconds / 2) }));
  const before = server.processorSeconds();
  const measured = await load(usual());
  const after = server.processorSeconds();
  side.ours.push(measured.perSecond);
  side.nodeUs.push(((after.node - before.node) * 1e6) / measured.requests);
  side.postgresUs.push(((after.postgres - before.postgres) * 1e6) / measured.requests);
  side.dry.push((await load({ ...usual({ seconds: seconds / 2 }), extra: { dryRun: true } })).perSecond);
  side.rss.push(server.rssMb());
  say(
    `  ${processes} process${processes === 1 ? '' : 'es'}: ${n0(measured.perSecond)}/s (p50 ${ms(measured.p50Ms)}, p99 ${ms(measured.p99Ms)}), ` +
      `dry runs ${n0(side.dry.at(-1) ?? 0)}/s; processor time a decision: Node ${n0(side.nodeUs.at(-1) ?? 0)} us, ` +
      `PostgreSQL ${n0(side.postgresUs.at(-1) ?? 0)} us; first decision ${ms(side.first.at(-1) ?? 0)}, RSS ${n0(server.rssMb())} MB`,
  );
}

for (let round = 0; round < rounds; round++) {
  rawRates.push((await load(usual({ port: Number(raw.match[1]), seconds: seconds / 2 }))).perSecond);
  say(`round ${round + 1}: raw ${n0(rawRates.at(-1) ?? 0)}/s`);
  await measureSide(1);
  await measureSide(2);
}
raw.child.kill('SIGTERM');
const peaks = { 1: median(sides[1].ours), 2: median(sides[2].ours) };
const better: 1 | 2 = peaks[2] >= peaks[1] ? 2 : 1;
const peak = peaks[better];
const dryRate = median(sides[better].dry);
const processesText = better === 1 ? 'one process' : 'two processes';

// ---------------------------------------------------------------- the tail
if (better === 1) {
  await server.stop();
  server = await startServer(env, 1);
  await load(usual({ seconds: 4 }));
}
const [paced, pacedStill] = await withClock(() => load({ ...usual({ seconds: seconds * 1.5 }), rate: peak * 0.8 }));
say(`at 80 % of the peak: p50 ${ms(paced.p50Ms)}, p99 ${ms(paced.p99Ms)}; ${standstillText(pacedStill)}`);
const [half] = await withClock(() => load({ ...usual(), rate: peak * 0.5 }));
const [hot, hotStill] = await withClock(() => hotCustomer(usual(), peak * 0.5));
const [changing, changingStill] = await withClock(() => changingCatalogue(target(key), usual(), peak * 0.5));
const manyTenants = usual({ keys: manyKeys, flow: 'bench-10', customers: { ...catalogue.customers, count: 200 } });
const manyPeak = await load(manyTenants);
const [many, manyStill] = await withClock(() => load({ ...manyTenants, rate: manyPeak.perSecond * 0.5 }));
const ofContacts = { keys: [contactsKey], flow: contacts.flowKey, connections: 16 };
const light = await load(usual({ ...ofContacts, customers: { prefix: 'L-', count: 32, digits: 7 } }));
const full = await load(usual({ ...ofContacts, customers: heavy }));
const lone = await load(usual({ seconds: seconds / 2, connections: 1 }));
say(
  `half the peak: p99 ${ms(half.p99Ms)}; hot customer ${ms(hot.p99Ms)}; changing catalogue ${ms(changing.p99Ms)}; 50 tenants ${ms(many.p99Ms)}; ` +
    `5,000 contacts ${n0(full.perSecond)}/s against ${n0(light.perSecond)}/s`,
);

const threefold = await overload(target(key), catalogue, { rate: peak * 3, callers: 3 * callersPerPeak, seconds });
const fivefold = await overload(target(key), catalogue, { rate: peak * 5, callers: 5 * callersPerPeak, seconds });
say(
  `overload: 3 times ${n0(threefold.answered.perSecond)}/s answered, refusals p99 ${ms(threefold.refused.p99Ms)}; ` +
    `5 times ${n0(fivefold.answered.perSecond)}/s, ${ms(fivefold.refused.p99Ms)}`,
);

// ---------------------------------------------------------------- the write ceiling, between two measurements of the product
const tenantId = await tenantIdOf(dataDir, 'Bench');
const ceilings: number[] = [];
const besides: number[] = [];
for (let round = 0; round < rounds; round++) {
  besides.push((await load(usual({ seconds: seconds / 2 }))).perSecond);
  const args = [
    databaseUrl(dataDir, 'arbiter_server'),
    databaseUrl(dataDir, 'arbiter_admin'),
    tenantId,
    String(seconds / 2),
  ];
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(root, 'test/load/database/write-ceiling.ts'), ...args],
    {
      encoding: 'utf8',
    },
  );
  ceilings.push(Number(JSON.parse(stdout).perSecond));
  say(`write ceiling ${n0(ceilings.at(-1) ?? 0)}/s, the product beside it ${n0(besides.at(-1) ?? 0)}/s`);
}

// ---------------------------------------------------------------- catalogue pages and bulk inserts
const pages = await measureCatalogue(
  { ...target(key), databaseUrl: databaseUrl(dataDir, 'arbiter_server'), tenantId },
  rounds,
);
for (const { measure, measured } of pages) say(`${measure}: ${measured}`);

// ---------------------------------------------------------------- 10,000 offers, one process
await server.stop();
server = await startServer(env, 1);
const largeLoad = usual({
  keys: [largeKey],
  flow: 'bench-20',
  connections: 8,
  customers: { ...catalogue.customers, count: 10_000 },
});
await load({ ...largeLoad, seconds: 4 });
const large = await load(largeLoad);
const [largePaced, largeStill] = await withClock(() => load({ ...largeLoad, rate: large.perSecond * 0.5 }));
const largeChanging = await changingCatalogue(
  target(largeKey),
  { ...largeLoad, keys: [key], flow: catalogue.flowKey },
  300,
);
const rssLarge = server.rssMb();
say(
  `${n0(largeOffers)} offers: ${n0(large.perSecond)}/s, p99 ${ms(largePaced.p99Ms)} at half the peak, RSS ${n0(rssLarge)} MB`,
);
await server.stop();

// ---------------------------------------------------------------- what a decision allocates
server = await startServer(env, 1, { watchHeap: true });
await load(usual({ seconds: 4 }));
let watched = 0;
const heap = await server.heapUse(async () => {
  watched = (await load(usual({ seconds: seconds / 2 }))).requests;
});
const kbOf = (bytes: number): number => bytes / watched / 1024;
say(
  `allocated ${kbOf(heap.bytes).toFixed(0)} KB a decision, of which collections copy ${kbOf(heap.copied).toFixed(0)} KB`,
);
await server.stop();

// ---------------------------------------------------------------- the engine alone
const engine = execFileSync(process.execPath, [join(root, 'test/load/engine/engine-bench.ts')], {
  encoding: 'utf8',
}).trim();
say(engine);
const engineUs = Number(engine.match(/exponents 1, 30 contact lanes\s+([\d.]+) us/)?.[1] ?? Number.NaN);

const list = (numbers: readonly number[]): string => numbers.map(n0).join(', ');
const still = (standstill: Standstill): string => standstillText(standstill);
const both = (of: (side: Side) => readonly number[]): string =>
  `${n0(median(of(sides[1])))} us with one process, ${n0(median(of(sides[2])))} us with two`;
/** While nothing else needs their cores, processes decide as often as their own processor time allows. */
const twoAgainstOne = (2 * median(sides[1].nodeUs)) / median(sides[2].nodeUs);
const rows: Row[] = [
  {
    measure: 'decisions/s, HTTP on loopback, durable: one process',
    bar: 'at least 6,000 with one or two',
    measured: `${n0(peaks[1])} (${list(sides[1].ours)})`,
    met: peak >= 6000,
  },
  {
    measure: 'the same: two processes (`PROCESSES=2`)',
    bar: '',
    measured: `${n0(peaks[2])} (${list(sides[2].ours)})`,
    met: peak >= 6000,
  },
  {
    measure: 'the first minutes of a database, one process, against later',
    bar: '',
    measured: `${n0(fresh.perSecond)}/s (p99 ${ms(fresh.p99Ms)}), ${percent(fresh.perSecond / peaks[1])}`,
    met: null,
  },
  {
    measure: 'bytes allocated a decision, main thread',
    bar: 'at most 40 KB',
    measured: `${kbOf(heap.bytes).toFixed(0)} KB; collections copy ${kbOf(heap.copied).toFixed(0)} KB and take ${n0(heap.collectionUs / watched)} us`,
    met: kbOf(heap.bytes) <= 40,
  },
  {
    measure: `p99 at 80 % of the peak (open loop, ${n0(peak * 0.8)}/s, ${processesText})`,
    bar: 'at most 25 ms',
    measured: `${ms(paced.p99Ms)} (p50 ${ms(paced.p50Ms)}; ${still(pacedStill)})`,
    met: paced.p99Ms <= 25,
  },
  {
    measure: `caps and record on against a dry run (${n0(dryRate)}/s)`,
    bar: 'at least 65 %',
    measured: percent(peak / dryRate),
    met: peak / dryRate >= 0.65,
  },
  {
    measure: `share of the write ceiling (${n0(median(ceilings))}/s: ${list(ceilings)}), ${processesText}`,
    bar: 'at least 50 %',
    measured: `${percent(median(besides) / median(ceilings))} (${list(besides)} in turns with it)`,
    met: median(besides) / median(ceilings) >= 0.5,
  },
  {
    measure: `${n0(largeOffers)} offers: p99 at half of their peak (${n0(large.perSecond)}/s, one process)`,
    bar: 'at most 50 ms',
    measured: `${ms(largePaced.p99Ms)} (${still(largeStill)})`,
    met: largePaced.p99Ms <= 50,
  },
  {
    measure: `${n0(largeOffers)} offers against 200: cost a decision`,
    bar: 'at most 40 times',
    measured: `${(peaks[1] / large.perSecond).toFixed(1)} times`,
    met: peaks[1] / large.perSecond <= 40,
  },
  {
    measure: 'engine alone, 200 candidates, formula score, 20 policies',
    bar: 'at most 60 us',
    measured: `${engineUs.toFixed(1)} us`,
    met: engineUs <= 60,
  },
  {
    measure: 'RSS of a server process after the load, 200 offers and 50 tenants',
    bar: 'at most 300 MB',
    measured: `${n0(Math.max(...sides[1].rss))} MB (two processes: ${n0(Math.max(...sides[2].rss))} MB the larger)`,
    met: Math.max(...sides[1].rss, ...sides[2].rss) <= 300,
  },
  {
    measure: 'RSS of a server process when it is ready',
    bar: 'at most 150 MB',
    measured: `${n0(readyMb)} MB`,
    met: readyMb <= 150,
  },
  {
    measure: `RSS with ${n0(largeOffers)} offers`,
    bar: 'at most 300 MB',
    measured: `${n0(rssLarge)} MB`,
    met: rssLarge <= 300,
  },
  {
    measure: 'cold start to ready, new database',
    bar: 'at most 20 s',
    measured: `${(coldStartMs / 1000).toFixed(1)} s`,
    met: coldStartMs <= 20_000,
  },
  {
    measure: 'cold start to ready, existing database, one process',
    bar: 'at most 5 s',
    measured: `${(median(sides[1].startMs) / 1000).toFixed(1)} s (two: ${(median(sides[2].startMs) / 1000).toFixed(1)} s)`,
    met: median(sides[1].startMs) <= 5_000,
  },
  {
    measure: 'share of the HTTP ceiling (same framework and answer, no database, no engine, one process)',
    bar: '',
    measured: `${percent(peaks[1] / median(rawRates))} of ${n0(median(rawRates))}/s`,
    met: null,
  },
  {
    measure: 'processor time a decision at the peak, Node',
    bar: '',
    measured: both((side) => side.nodeUs),
    met: null,
  },
  {
    measure:
      'decisions of two processes with a core each, database and callers elsewhere, against one (from Node above)',
    bar: 'at least 1.6 times',
    measured: `${twoAgainstOne.toFixed(2)} times`,
    met: twoAgainstOne >= 1.6,
  },
  {
    measure: 'processor time a decision at the peak, PostgreSQL',
    bar: '',
    measured: both((side) => side.postgresUs),
    met: null,
  },
];
const halfRate = n0(peak * 0.5);
const tail: Row[] = [
  {
    measure: `half the peak (${halfRate}/s)`,
    bar: 'p99 at most 15 ms',
    measured: `p50 ${ms(half.p50Ms)}, p99 ${ms(half.p99Ms)}`,
    met: half.p99Ms <= 15,
  },
  {
    measure: `one customer asks for a fifth of ${halfRate}/s`,
    bar: '',
    measured: `p99 ${ms(hot.p99Ms)}, longest ${ms(hot.maxMs)} (${still(hotStill)})`,
    met: null,
  },
  {
    measure: `the tenant's catalogue changes every 500 ms under ${halfRate}/s`,
    bar: '',
    measured: `p99 ${ms(changing.p99Ms)}, longest ${ms(changing.maxMs)} (${still(changingStill)})`,
    met: null,
  },
  {
    measure: `another tenant's ${n0(largeOffers)} offers change every 500 ms under 300/s`,
    bar: '',
    measured: `p99 ${ms(largeChanging.p99Ms)}, longest ${ms(largeChanging.maxMs)}`,
    met: null,
  },
  {
    measure: `50 tenants at once, each with transactions of its own, at half of their peak (${n0(manyPeak.perSecond)}/s in all)`,
    bar: '',
    measured: `p99 ${ms(many.p99Ms)} (${still(manyStill)})`,
    met: null,
  },
  {
    measure: 'customers with 5,000 contacts, 16 connections',
    bar: '',
    measured: `${n0(full.perSecond)}/s, p99 ${ms(full.p99Ms)}; with few contacts ${n0(light.perSecond)}/s, p99 ${ms(light.p99Ms)}`,
    met: null,
  },
  {
    measure: `first decision after a start, ${n0(largeOffers)} offers`,
    bar: 'at most 300 ms',
    measured: `${ms(median(sides[1].firstLarge))}; 200 offers ${ms(median(sides[1].first))}`,
    met: median(sides[1].firstLarge) <= 300,
  },
  ...[
    { times: 3, measured: threefold },
    { times: 5, measured: fivefold },
  ].map(({ times, measured: { answered, refused, health } }) => ({
    measure: `${times} times the peak, callers come back at once after a refusal`,
    bar: 'at least 80 % of the peak answered, refusals within 100 ms',
    measured:
      `${percent(answered.perSecond / peak)} (${n0(answered.perSecond)}/s, p99 ${ms(answered.p99Ms)}); ` +
      `${refused.perSecond === 0 ? 'none refused' : `refusals p50 ${ms(refused.p50Ms)}, p99 ${ms(refused.p99Ms)}`}; health p99 ${ms(health.p99Ms)}`,
    met: answered.perSecond / peak >= 0.8 && refused.p99Ms <= 100,
  })),
  {
    measure: 'speed of the machine between the measurements: a JSON document of 70 KB read and written',
    bar: '',
    measured: `${n0(median(documents))} us (${n0(Math.min(...documents))} to ${n0(Math.max(...documents))})`,
    met: null,
  },
  { measure: 'one connection alone', bar: '', measured: `p50 ${ms(lone.p50Ms)}, ${n0(lone.perSecond)}/s`, met: null },
  { measure: 'graceful stop after the load', bar: '', measured: `${(stopMs / 1000).toFixed(1)} s`, met: null },
];

say('many in one call');
rows.push(...(await benchBulk({ customers: 20_000, seconds: seconds / 2, rounds, say })));
say('beside other work');
tail.push(...(await benchBeside({ customers: 20_000, seconds: seconds / 2, rounds, say })));
say('backtests');
rows.push(...(await benchBacktests({ decisions: 4_000, seconds: seconds / 2, rounds, say })));
say('estimators');
rows.push(...(await benchEstimators(1_000_000, say)));
say('policy checks');
rows.push(...benchChecks(rounds));
say('trainings');
rows.push(...(await benchTrainings({ seconds, rounds, say })));
say('pipelines');
rows.push(...(await benchPipelines({ rows: 1_000_000, rounds: 3, kills: 10 })));
say('behavioral metrics');
rows.push(...(await benchMetrics(1_000_000, 100_000)));
say('growth');
rows.push(
  ...(await benchGrowth({
    ...{ customers: 200_000, history: 10_000_000, seconds: seconds / 2, rounds, say },
  })),
);
say('campaigns');
rows.push(...(await benchCampaigns({ customers, seconds, rounds, say })));
rows.push(...(await benchCampaignKills({ customers: 100_000, kills: 20 })));
rows.push(...(await benchSinks({ seconds, rounds, say })));
say('exports');
rows.push(...(await benchExports(100_000, 20, 5_000)));
say('report files');
rows.push(...(await benchReportRendering(5_000, 5)));

say('reports');
rows.push(...(await benchReports(1_000_000, 90)));

const report = `# Benchmarks

Written by \`npm run bench\` on ${new Date().toISOString().slice(0, 10)}. One machine carries load generator, server and PostgreSQL; a figure
means little without the ceilings of the same run beside it. Never gated in CI.

Machine: ${machineText()}, embedded PostgreSQL 18, \`fsync\` and
\`synchronous_commit\` on. ${connections} connections, ${seconds} s a measurement, ${rounds} rounds of one and two processes in turns, medians. ${n0(customers)} customers in
random order, 3 items an answer, 200 offers on 2 channels, 20 contact policies, 10 rules, formula score; forced row-level security,
sealed records and audit on.

${table(rows)}

## The tail

Seen by the callers; open loop unless it says otherwise, so that a wait for the server counts.

${table(tail)}

## Catalogue

One caller, one call after the other; "alone" are the same statements sent by the driver, under the same role and row-level security.

${table(pages)}

## The engine alone

\`node test/load/engine/engine-bench.ts\`:

\`\`\`
${engine}
\`\`\`
`;
if (values.write) {
  const file = join(root, 'docs/benchmarks.md');
  writeFileSync(file, withNotes(report, existsSync(file) ? readFileSync(file, 'utf8') : ''));
}
console.log(report);
process.exit(0);
