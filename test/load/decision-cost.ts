// What a decision costs, by hand, and one build against another in turns:
//   node test/load/decision-cost.ts [--builds .,../other] [--seconds 5] [--rounds 3] [--customers 20000] [--processes 1]
//   [--flags=--max-semi-space-size=8,--max-semi-space-size=16] [--profile file] [--samples file] [--campaign]
// A build is the root of a checkout. `--flags`: one set per build, which also compares a build with itself. `--profile`,
// `--samples`: where the CPU and the allocation profile of the last build go.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createCampaign, endOf, rateOf, startRun } from './bench/bench-campaign.ts';
import { loadCatalogue } from './bench/bench-catalogue.ts';
import { writeCounts } from './bench/bench-database.ts';
import { load, type Measured, median } from './bench/bench-load.ts';
import { ms, n0 } from './bench/bench-report.ts';
import { type BenchServer, type HeapUse, startServer } from './bench/bench-server.ts';

const { values } = parseArgs({
  options: {
    builds: { type: 'string', default: '.' },
    flags: { type: 'string', default: '' },
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '3' },
    customers: { type: 'string', default: '20000' },
    connections: { type: 'string', default: '128' },
    processes: { type: 'string', default: '1' },
    profile: { type: 'string' },
    samples: { type: 'string' },
    campaign: { type: 'boolean', default: false },
  },
});
const [seconds, rounds, customers, connections, processes] = [
  values.seconds,
  values.rounds,
  values.customers,
  values.connections,
  values.processes,
].map(Number) as [number, number, number, number, number];

type Measurement = Pick<Measured, 'requests' | 'perSecond' | 'p99Ms'>;

interface Figures {
  readonly perSecond: number;
  readonly p99Ms: number;
  readonly nodeUs: number;
  readonly postgresUs: number;
  readonly allocatedKb: number;
  readonly copiedKb: number;
  readonly collectionUs: number;
  readonly walBytes: number;
  /** Share of the updates of states that touched no index. */
  readonly hotShare: number;
}

interface Side {
  readonly name: string;
  readonly server: BenchServer;
  readonly readyMb: number;
  readonly measure: () => Promise<Figures>;
}

async function startSide(build: string, flags: readonly string[], isLast: boolean): Promise<Side> {
  const folder = mkdtempSync(join(tmpdir(), 'arbiter-cost-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const key = `krn_${randomBytes(24).toString('hex')}`;
  const bootstrap = join(folder, 'bootstrap.json');
  writeFileSync(bootstrap, JSON.stringify({ tenants: [{ name: 'Bench', apiKeys: [{ name: 'bench', key }] }] }));
  const dataDir = join(folder, 'data');
  const env = {
    ...{ DATA_DIR: dataDir, BOOTSTRAP_FILE: bootstrap, PORT: '0', LOG_LEVEL: 'info' },
    ...(isLast && values.profile !== undefined ? { HEAP_WATCH_PROFILE: values.profile } : {}),
    ...(isLast && values.samples !== undefined ? { HEAP_WATCH_SAMPLES: values.samples } : {}),
  };
  const server = await startServer(env, processes, { build: resolve(build), flags, watchHeap: true });
  const readyMb = server.rssMb();
  const catalogue = await loadCatalogue(
    { url: server.url, key },
    { offers: 200, customers, looseCaps: values.campaign },
  );
  const target = { url: server.url, key };
  const campaignId = values.campaign ? await createCampaign(target, catalogue) : null;
  const run = async (): Promise<Measurement> => {
    if (campaignId === null) {
      return load({
        ...{ port: server.port, keys: [key], flow: catalogue.flowKey, customers: catalogue.customers },
        ...{ seconds, connections },
      });
    }
    const ended = await endOf(target, campaignId, await startRun(target, campaignId));
    return { requests: ended.totalCustomers, perSecond: rateOf(ended), p99Ms: 0 };
  };
  return {
    name: `${build} ${flags.join(' ')}`.trim(),
    server,
    readyMb,
    async measure() {
      // Threads for campaigns ended while the other build ran.
      if (campaignId !== null) await run();
      const wroteBefore = await writeCounts(dataDir);
      const before = server.processorSeconds();
      let measured: Measurement | null = null;
      const heap: HeapUse = await server.heapUse(async () => {
        measured = await run();
      });
      const after = server.processorSeconds();
      const wrote = await writeCounts(dataDir);
      const { requests, perSecond, p99Ms } = measured as unknown as Measurement;
      return {
        perSecond,
        p99Ms,
        nodeUs: ((after.node - before.node) * 1e6) / requests,
        postgresUs: ((after.postgres - before.postgres) * 1e6) / requests,
        allocatedKb: heap.bytes / requests / 1024,
        copiedKb: heap.copied / requests / 1024,
        collectionUs: heap.collectionUs / requests,
        walBytes: (wrote.walBytes - wroteBefore.walBytes) / requests,
        hotShare: (wrote.hotUpdates - wroteBefore.hotUpdates) / (wrote.stateUpdates - wroteBefore.stateUpdates),
      };
    },
  };
}

const text = (f: Figures): string =>
  `${n0(f.perSecond)}/s, p99 ${ms(f.p99Ms)}, Node ${f.nodeUs.toFixed(0)} us, PostgreSQL ${f.postgresUs.toFixed(0)} us, ` +
  `sum ${(f.nodeUs + f.postgresUs).toFixed(0)} us, allocated ${f.allocatedKb.toFixed(1)} KB (${f.copiedKb.toFixed(1)} copied), collections ${f.collectionUs.toFixed(1)} us, ` +
  `WAL ${n0(f.walBytes)} bytes, ${(f.hotShare * 100).toFixed(0)} % of states HOT`;

const builds = values.builds.split(',');
const flagSets = values.flags === '' ? [] : values.flags.split(',');
const pairs = Array.from({ length: Math.max(builds.length, flagSets.length) }, (_, i) => ({
  build: builds[i] ?? builds[0]!,
  flags: flagSets[i] === undefined ? [] : flagSets[i].split(' '),
}));
console.log(`load ${loadavg()[0]!.toFixed(1)}`);
const sides: { side: Side; figures: Figures[] }[] = [];
for (const [i, { build, flags }] of pairs.entries()) {
  const side = await startSide(build, flags, i === pairs.length - 1);
  sides.push({ side, figures: [] });
  console.log(`${side.name}: ready with ${n0(side.readyMb)} MB; fresh: ${text(await side.measure())}`);
}
for (let round = 0; round < rounds; round++) {
  for (const { side, figures } of round % 2 === 0 ? sides : sides.toReversed()) figures.push(await side.measure());
}
for (const { side, figures } of sides) {
  for (const each of figures) console.log(`  ${side.name}: ${text(each)}`);
}
for (const { side, figures } of sides) {
  const of = (name: keyof Figures) => median(figures.map((each) => each[name]));
  const medians: Figures = {
    ...{ perSecond: of('perSecond'), p99Ms: of('p99Ms'), nodeUs: of('nodeUs'), postgresUs: of('postgresUs') },
    ...{ allocatedKb: of('allocatedKb'), copiedKb: of('copiedKb'), collectionUs: of('collectionUs') },
    ...{ walBytes: of('walBytes'), hotShare: of('hotShare') },
  };
  console.log(`${side.name}: ${text(medians)}, RSS ${n0(side.server.rssMb())} MB`);
}
console.log(`load ${loadavg()[0]!.toFixed(1)}`);
await Promise.all(sides.map(({ side }) => side.server.stop()));
process.exit(0);
