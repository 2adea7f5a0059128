// Memory under an hour of mixed load: decisions of two tenants, responses, catalogue changes. Samples the resident memory of
// the server process and says how it ends and how it slopes (docs/design/decisioning.md 6: 300 MB a process, flat).
//   node test/load/memory.ts --minutes 60 --rate 300 --processes 1
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type BenchTarget, changeOffer, loadCatalogue, post, someOffers } from './bench/bench-catalogue.ts';
import { load } from './bench/bench-load.ts';
import { startServer } from './bench/bench-server.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    rate: { type: 'string', default: '300' },
    processes: { type: 'string', default: '1' },
  },
});
const minutes = Number(values.minutes);
const folder = mkdtempSync(join(tmpdir(), 'arbiter-memory-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const keys = Array.from({ length: 2 }, () => `krn_${randomBytes(24).toString('hex')}`);
const bootstrap = join(folder, 'bootstrap.json');
const tenants = keys.map((key, i) => ({ name: `Memory ${i}`, apiKeys: [{ name: 'bench', key }] }));
writeFileSync(bootstrap, JSON.stringify({ tenants }));
const env = { DATA_DIR: join(folder, 'data'), BOOTSTRAP_FILE: bootstrap, PORT: '0', LOG_LEVEL: 'info' };
const server = await startServer(env, Number(values.processes));
const targets: BenchTarget[] = keys.map((key) => ({ url: server.url, key }));
for (const target of targets) await loadCatalogue(target, { offers: 200, customers: 10_000 });

let over = false;
let responses = 0;
let changes = 0;

/** Ten decisions a second with a response to each. */
async function respond(): Promise<void> {
  for (let n = 0; !over; n++) {
    const target = targets[n % targets.length]!;
    const customerId = `B-${String(1 + ((n * 7919) % 10_000)).padStart(7, '0')}`;
    const answer = await post(target, 'recommend', {
      customerId,
      channel: 'web',
      limit: 3,
      decisionFlowKey: 'bench-200',
    });
    if (Number(answer.count) > 0) {
      const { recommendationId } = answer;
      await post(target, 'respond', { recommendationId, rank: 1, outcome: n % 3 === 0 ? 'click' : 'dismiss' });
      responses++;
    }
    await pause(100);
  }
}

/** A change of either catalogue every two seconds. */
async function change(): Promise<void> {
  const offers = await Promise.all(targets.map(someOffers));
  for (let n = 0; !over; n++) {
    const at = n % targets.length;
    await changeOffer(targets[at]!, offers[at]![n % offers[at]!.length]!, 20 + (n % 70));
    changes++;
    await pause(2_000);
  }
}

const pause = (ms: number): Promise<void> => new Promise((wake) => setTimeout(wake, ms));

const samples: { readonly minute: number; readonly mb: number }[] = [];
const startedAt = performance.now();
async function sample(): Promise<void> {
  for (let next = 0; !over; next += 10_000) {
    await pause(Math.max(0, startedAt + next - performance.now()));
    const minute = (performance.now() - startedAt) / 60_000;
    samples.push({ minute, mb: server.rssMb() });
    if (samples.length % 30 === 1) console.log(`minute ${minute.toFixed(0)}: ${server.rssMb().toFixed(0)} MB`);
  }
}

const beside = Promise.all([respond(), change(), sample()]);
const customers = { prefix: 'B-', count: 10_000, digits: 7 };
const rate = Number(values.rate);
const usual = { port: server.port, keys, flow: 'bench-200', customers, connections: 16, rate };
const measured = await load({ ...usual, seconds: minutes * 60 });
over = true;
await beside;

// The first tenth is the warm-up: code is compiled, caches and pools fill.
const settled = samples.filter(({ minute }) => minute > minutes / 10);
const meanMinute = settled.reduce((sum, { minute }) => sum + minute, 0) / settled.length;
const meanMb = settled.reduce((sum, { mb }) => sum + mb, 0) / settled.length;
const slope =
  settled.reduce((sum, { minute, mb }) => sum + (minute - meanMinute) * (mb - meanMb), 0) /
  settled.reduce((sum, { minute }) => sum + (minute - meanMinute) ** 2, 0);
const largest = Math.max(...samples.map(({ mb }) => mb));
console.log(
  `${measured.requests} decisions, ${responses} responses, ${changes} catalogue changes in ${minutes} minutes; RSS ` +
    `${samples[0]?.mb.toFixed(0)} MB at first, ${meanMb.toFixed(0)} MB on average after the warm-up, ${samples.at(-1)?.mb.toFixed(0)} MB ` +
    `at the end, ${largest.toFixed(0)} MB at most; slope ${(slope * 60).toFixed(1)} MB an hour`,
);
await server.stop();
process.exit(0);
