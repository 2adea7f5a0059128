// A campaign over 100,000 customers next to `recommend`, whose process is killed twenty times: the offline checker of test/faults judges
// what is stored. By hand, or as a row of `npm run bench`:
//   node test/load/campaign-kill-bench.ts [--customers 100000] [--kills 20]
import { cap, killInRun, startKilledServer, takeoverMs } from '../faults/campaign-kills.ts';
import { median } from './bench/bench-load.ts';
import { n0, type Row } from './bench/bench-report.ts';
import { byHand } from './bench/by-hand.ts';

export interface CampaignKillBench {
  readonly customers: number;
  readonly kills: number;
}

/** Measures on a server of its own. Returns the row of the report. */
export async function benchCampaignKills({ customers, kills }: CampaignKillBench): Promise<Row[]> {
  const world = await startKilledServer(['Bench']);
  try {
    const none = { maxTotalPerRun: null, maxPerOffer: null, maxPerChannel: null, budget: null };
    const limits = { ...none, customers, cap, maxTotalPerRun: Math.floor(customers * 1.5) };
    const started = performance.now();
    const { findings, takeovers } = await killInRun(world, world.installation.tenants[0]!.key, { kills, limits });
    const minutes = (performance.now() - started) / 60_000;
    const longest = Math.max(0, ...takeovers);
    const first = findings.length === 0 ? '' : `, the first: ${findings[0]}`;
    return [
      {
        measure: `a campaign over ${n0(customers)} customers beside recommend, its process killed ${kills} times`,
        bar: 'no finding of the offline checker, taken over within 30 s',
        measured:
          `${n0(findings.length)} findings${first}; ${takeovers.length} kills, taken over after ${n0(median(takeovers))} ms ` +
          `(longest ${n0(longest)} ms); ${minutes.toFixed(1)} minutes in all`,
        met: findings.length === 0 && takeovers.length === kills && longest <= takeoverMs,
      },
    ];
  } finally {
    await world.stop();
  }
}

if (import.meta.main) {
  await byHand({ customers: 100_000, kills: 20 }, benchCampaignKills);
}
