// What a decision costs PostgreSQL in a large database, against a small one: 200,000 customers with a state, then 1,000,000 and
// 10,000,000 rows of history of this month. By hand, or as rows of `npm run bench`:
//   node test/load/growth-bench.ts [--customers 200000] [--history 10000000] [--seconds 5] [--rounds 3]
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BenchCatalogue, type BenchTarget, loadCatalogue, post } from './bench/bench-catalogue.ts';
import { fillHistory } from './bench/bench-database.ts';
import { load, median } from './bench/bench-load.ts';
import { n0, type Row } from './bench/bench-report.ts';
import { type BenchServer, startServer } from './bench/bench-server.ts';
import { byHand } from './bench/by-hand.ts';

export interface GrowthBench {
  readonly customers: number;
  /** Rows of history. The bench measures with a tenth of them, too. */
  readonly history: number;
  readonly seconds: number;
  readonly rounds: number;
  readonly say: (line: string) => void;
}

interface Side {
  readonly dataDir: string;
  readonly server: BenchServer;
  readonly target: BenchTarget;
  readonly catalogue: BenchCatalogue;
}

const smallCustomers = 5_000;
/** At most this many times the cost in a small database, with the most rows. */
const bar = 1.6;

async function startSide(folder: string, name: string, customers: number): Promise<Side> {
  const dataDir = join(folder, name);
  const key = `krn_${randomBytes(24).toString('hex')}`;
  const bootstrap = join(folder, `${name}.json`);
  writeFileSync(bootstrap, JSON.stringify({ tenants: [{ name: 'Bench', apiKeys: [{ name: 'bench', key }] }] }));
  const server = await startServer({ DATA_DIR: dataDir, BOOTSTRAP_FILE: bootstrap, PORT: '0' }, 1);
  const target = { url: server.url, key };
  return { dataDir, server, target, catalogue: await loadCatalogue(target, { offers: 200, customers }) };
}

/** Decides once for each customer, which makes their states. */
async function makeStates({ target, catalogue: { flowKey, customers } }: Side): Promise<void> {
  const perCall = 500;
  for (let from = 0; from < customers.count; from += perCall) {
    const requests = Array.from({ length: Math.min(perCall, customers.count - from) }, (_, at) => ({
      customerId: `${customers.prefix}${String(from + at + 1).padStart(customers.digits, '0')}`,
      ...{ channel: 'email', limit: 3, decisionFlowKey: flowKey },
    }));
    await post(target, 'recommend/batch', { requests });
  }
}

/** Returns PostgreSQL's processor time per decision, in microseconds. */
async function costOf({ server, target, catalogue }: Side, seconds: number): Promise<number> {
  const before = server.processorSeconds();
  const { requests } = await load({
    ...{ port: server.port, keys: [target.key], flow: catalogue.flowKey, customers: catalogue.customers },
    ...{ connections: 128, seconds },
  });
  return ((server.processorSeconds().postgres - before.postgres) * 1e6) / requests;
}

/** Measures on servers of its own. Returns the rows of the report. */
export async function benchGrowth({ customers, history, seconds, rounds, say }: GrowthBench): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'arbiter-growth-'));
  const sides: Side[] = [];
  try {
    const small = await startSide(folder, 'small', smallCustomers);
    sides.push(small);
    const large = await startSide(folder, 'large', customers);
    sides.push(large);
    await makeStates(small);
    await makeStates(large);
    const rows: Row[] = [];
    let filled = 0;
    for (const size of [history / 10, history]) {
      await fillHistory(large.dataDir, size - filled, customers);
      filled = size;
      // The first change of a page after the fill's checkpoint writes all of it to the log.
      for (let warm = 0; warm < 2; warm++) for (const side of sides) await costOf(side, seconds);
      const costs = { small: [] as number[], large: [] as number[] };
      for (let round = 0; round < rounds; round++) {
        costs.small.push(await costOf(small, seconds));
        costs.large.push(await costOf(large, seconds));
      }
      const [few, many] = [median(costs.small), median(costs.large)];
      say(`  ${n0(size)} rows: ${n0(many)} us (${costs.large.map(n0).join(', ')}), small ${n0(few)} us`);
      const isMost = size === history;
      rows.push({
        measure: `processor time a decision, PostgreSQL, with ${n0(customers)} states and ${n0(size)} rows of history, against ${n0(smallCustomers)} states and none`,
        bar: isMost ? `at most ${bar} times` : '',
        measured: `${(many / few).toFixed(2)} times (${n0(many)} us against ${n0(few)} us)`,
        met: isMost ? many / few <= bar : null,
      });
    }
    return rows;
  } finally {
    for (const { server } of sides) await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  await byHand({ customers: 200_000, history: 10_000_000, seconds: 5, rounds: 3 }, benchGrowth);
}
