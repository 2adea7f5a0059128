// Campaigns: customers/s of a run without delivery next to the peak of `recommend`, and p99 of `recommend` next to a run.
// One server process, 200 offers, 20 policies. By hand, or as rows of `npm run bench`:
//   node test/load/campaign-bench.ts [--customers 50000] [--seconds 8] [--rounds 3]
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createCampaign, endOf, rateOf, startRun } from './bench/bench-campaign.ts';
import { type BenchCatalogue, type BenchTarget, loadCatalogue } from './bench/bench-catalogue.ts';
import { type LoadOptions, load, median } from './bench/bench-load.ts';
import { ms, n0, percent, type Row } from './bench/bench-report.ts';
import { type BenchServer, startServer } from './bench/bench-server.ts';
import { byHand } from './bench/by-hand.ts';

interface CampaignFigures {
  /** Decisions/s of recommend. */
  readonly peaks: readonly number[];
  /** Customers/s of a run alone. */
  readonly rates: readonly number[];
  /** Processor time per decision of recommend and per customer of a run, in microseconds. */
  readonly recommendUs: readonly { readonly node: number; readonly postgres: number }[];
  readonly runUs: readonly { readonly node: number; readonly postgres: number }[];
  /** p99 in ms at half the peak, without a run and next to one, and customers/s of that run. */
  readonly alone: readonly number[];
  readonly beside: readonly number[];
  readonly besideRates: readonly number[];
}

/** Measures on a server with a catalogue that no other benchmark uses. */
async function measureCampaigns(
  server: BenchServer,
  target: BenchTarget,
  catalogue: BenchCatalogue,
  { seconds, rounds, say }: Omit<CampaignBench, 'customers'>,
): Promise<CampaignFigures> {
  const campaignId = await createCampaign(target, catalogue);
  const recommend = (over: Partial<LoadOptions> = {}) =>
    load({
      ...{ port: server.port, keys: [target.key], flow: catalogue.flowKey, customers: catalogue.customers },
      ...{ seconds, connections: 128, ...over },
    });
  const processor = async <T>(work: () => Promise<T>, unitsOf: (result: T) => number) => {
    const before = server.processorSeconds();
    const result = await work();
    const after = server.processorSeconds();
    const us = (from: number, to: number) => ((to - from) * 1e6) / unitsOf(result);
    return { result, us: { node: us(before.node, after.node), postgres: us(before.postgres, after.postgres) } };
  };
  const figures = {
    ...{ peaks: [] as number[], rates: [] as number[], alone: [] as number[], beside: [] as number[] },
    besideRates: [] as number[],
    recommendUs: [] as CampaignFigures['recommendUs'][number][],
    runUs: [] as CampaignFigures['runUs'][number][],
  };
  await recommend({ seconds: 4 });
  for (let round = 1; round <= rounds; round++) {
    const peak = await processor(recommend, ({ requests }) => requests);
    figures.peaks.push(peak.result.perSecond);
    figures.recommendUs.push(peak.us);
    const run = await processor(
      async () => endOf(target, campaignId, await startRun(target, campaignId)),
      ({ totalCustomers }) => totalCustomers,
    );
    figures.rates.push(rateOf(run.result));
    figures.runUs.push(run.us);
    const rate = median(figures.peaks) / 2;
    figures.alone.push((await recommend({ rate })).p99Ms);
    const runId = await startRun(target, campaignId);
    await sleep(500);
    figures.beside.push((await recommend({ rate })).p99Ms);
    figures.besideRates.push(rateOf(await endOf(target, campaignId, runId)));
    const at = round - 1;
    say(
      `  round ${round}: recommend ${n0(figures.peaks[at]!)}/s (Node ${n0(peak.us.node)} us, PostgreSQL ${n0(peak.us.postgres)} us), ` +
        `a run ${n0(figures.rates[at]!)}/s (${n0(run.us.node)} us, ${n0(run.us.postgres)} us, ` +
        `${(run.result.totalRecommendations / run.result.totalCustomers).toFixed(2)} items each); ` +
        `p99 at half the peak ${ms(figures.alone[at]!)}, beside a run ${ms(figures.beside[at]!)}, which did ${n0(figures.besideRates[at]!)}/s`,
    );
  }
  return figures;
}

/** Returns the rows of the report. */
function campaignRows({ peaks, rates, recommendUs, runUs, alone, beside, besideRates }: CampaignFigures): Row[] {
  const ratio = median(rates) / median(peaks);
  const slower = median(beside) / median(alone);
  const us = (of: CampaignFigures['runUs']) =>
    `${n0(median(of.map(({ node }) => node)))} us in Node and ${n0(median(of.map(({ postgres }) => postgres)))} us in PostgreSQL`;
  return [
    {
      measure: `customers/s of a campaign without delivery, against the peak of recommend (${n0(median(peaks))}/s)`,
      bar: 'at least twice',
      measured: `${n0(median(rates))}/s, ${percent(ratio)}; processor time a customer: ${us(runUs)}; a recommend: ${us(recommendUs)}`,
      met: ratio >= 2,
    },
    {
      measure: 'p99 of recommend at half the peak beside a run, against without',
      bar: 'at most 1.5 times',
      measured: `${ms(median(beside))} against ${ms(median(alone))}, ${slower.toFixed(1)} times; the run did ${n0(median(besideRates))}/s`,
      met: slower <= 1.5,
    },
  ];
}

export interface CampaignBench {
  readonly customers: number;
  readonly seconds: number;
  readonly rounds: number;
  readonly say: (line: string) => void;
}

/** Measures on a server of its own. Returns the rows of the report. */
export async function benchCampaigns({ customers, ...options }: CampaignBench): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'arbiter-campaign-bench-'));
  const key = `krn_${randomBytes(24).toString('hex')}`;
  const bootstrap = join(folder, 'bootstrap.json');
  writeFileSync(bootstrap, JSON.stringify({ tenants: [{ name: 'Bench', apiKeys: [{ name: 'bench', key }] }] }));
  const server = await startServer({ DATA_DIR: join(folder, 'data'), BOOTSTRAP_FILE: bootstrap, PORT: '0' }, 1);
  try {
    const target = { url: server.url, key };
    const catalogue = await loadCatalogue(target, { offers: 200, customers, looseCaps: true });
    return campaignRows(await measureCampaigns(server, target, catalogue, options));
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  await byHand({ customers: 50_000, seconds: 8, rounds: 3 }, benchCampaigns);
}
