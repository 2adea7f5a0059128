// The first decision after a start, by hand: of a tenant with many offers and of one with 200, among many small tenants that
// decided before and whose catalogues changed later.
//   node test/load/first-decision.ts [--builds .,../other] [--offers 10000] [--tenants 50] [--rounds 3]
// A build is the root of a checkout. Also prints the time to ready and the memory then.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { loadCatalogue, post } from './bench/bench-catalogue.ts';
import { multiplyOffers } from './bench/bench-database.ts';
import { median } from './bench/bench-load.ts';
import { ms, n0 } from './bench/bench-report.ts';
import { startServer } from './bench/bench-server.ts';
import { firstDecision } from './bench/bench-tail.ts';

const { values } = parseArgs({
  options: {
    builds: { type: 'string', default: '.' },
    offers: { type: 'string', default: '10000' },
    tenants: { type: 'string', default: '50' },
    rounds: { type: 'string', default: '3' },
  },
});
const [offers, tenants, rounds] = [values.offers, values.tenants, values.rounds].map(Number) as [
  number,
  number,
  number,
];

interface Starts {
  readonly build: string;
  /** Starts the server, measures and stops it again. */
  readonly once: () => Promise<void>;
  readonly usual: number[];
  readonly large: number[];
  readonly readyMs: number[];
  readonly readyMb: number[];
}

const newKey = (): string => `krn_${randomBytes(24).toString('hex')}`;

async function fill(build: string): Promise<Starts> {
  const folder = mkdtempSync(join(tmpdir(), 'arbiter-first-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const [usualKey, largeKey] = [newKey(), newKey()];
  const smallKeys = Array.from({ length: tenants }, newKey);
  const named = (name: string, key: string) => ({ name, apiKeys: [{ name: 'bench', key }] });
  const bootstrap = join(folder, 'bootstrap.json');
  const small = smallKeys.map((key, i) => named(`Tenant ${i}`, key));
  writeFileSync(bootstrap, JSON.stringify({ tenants: [named('Bench', usualKey), named('Large', largeKey), ...small] }));
  const dataDir = join(folder, 'data');
  const env = { DATA_DIR: dataDir, BOOTSTRAP_FILE: bootstrap, PORT: '0', LOG_LEVEL: 'warn' };
  const server = await startServer(env, 1, { build: resolve(build) });
  const target = (key: string) => ({ url: server.url, key });
  await loadCatalogue(target(usualKey), { offers: 200, customers: 10 });
  await loadCatalogue(target(largeKey), { offers: 20, customers: 10 });
  await multiplyOffers(dataDir, 'Large', 20, offers);
  await post(target(largeKey), 'categories', { name: 'Raises the catalogue version' });
  for (const key of smallKeys) await loadCatalogue(target(key), { offers: 10, customers: 2 });
  for (const key of smallKeys) await firstDecision(target(key), 'bench-10');
  await firstDecision(target(usualKey), 'bench-200');
  await firstDecision(target(largeKey), 'bench-20');
  await server.stop();
  const starts = { build, usual: [], large: [], readyMs: [], readyMb: [] } as Omit<Starts, 'once'>;
  async function once(): Promise<void> {
    const again = await startServer(env, 1, { build: resolve(build) });
    starts.readyMs.push(again.tookMs);
    starts.readyMb.push(again.rssMb());
    starts.usual.push(await firstDecision({ url: again.url, key: usualKey }, 'bench-200'));
    starts.large.push(await firstDecision({ url: again.url, key: largeKey }, 'bench-20'));
    await again.stop();
  }
  return { ...starts, once };
}

console.log(`load ${loadavg()[0]!.toFixed(1)}`);
const sides: Starts[] = [];
for (const build of values.builds.split(',')) sides.push(await fill(build));
for (let round = 0; round < rounds; round++) {
  for (const side of round % 2 === 0 ? sides : sides.toReversed()) await side.once();
}
const all = (each: readonly number[]): string => each.map((value) => value.toFixed(0)).join(', ');
for (const { build, usual, large, readyMs, readyMb } of sides) {
  console.log(
    `${build}: first decision with ${n0(offers)} offers ${ms(median(large))} (${all(large)}), with 200 ` +
      `${ms(median(usual))} (${all(usual)}); ready after ${ms(median(readyMs))} with ${n0(median(readyMb))} MB`,
  );
}
console.log(`load ${loadavg()[0]!.toFixed(1)}`);
process.exit(0);
