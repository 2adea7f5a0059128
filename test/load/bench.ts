// `npm run bench`: the table of docs/design/decisioning.md 6 as far as it applies, on a server started as users start it: embedded
// PostgreSQL, durable commits, forced RLS, records and audit on; load generator, server and database share the machine.
// Writes docs/benchmarks.md. Options: --seconds 10 --customers 50000 --offers-large 10000 --connections 64
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, release, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import pg from 'pg';
import { type BenchTarget, loadCatalogue, post } from './bench-catalogue.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    customers: { type: 'string', default: '50000' },
    'offers-large': { type: 'string', default: '10000' },
    connections: { type: 'string', default: '64' },
    write: { type: 'boolean', default: true },
  },
  allowNegative: true,
});
const seconds = Number(values.seconds);
const customers = Number(values.customers);
const largeOffers = Number(values['offers-large']);
const connections = Number(values.connections);

interface Measured {
  readonly requests: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  readonly statuses: Readonly<Record<string, number>>;
}

/** As `npm start` does. */
const flags = ['--max-semi-space-size=8', '--max-old-space-size=1024'];
const children: ChildProcess[] = [];
const folder = mkdtempSync(join(tmpdir(), 'arbiter-bench-'));
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

function start(
  script: string,
  args: readonly string[],
  env: Record<string, string>,
  ready: RegExp,
): Promise<[ChildProcess, RegExpMatchArray]> {
  const child = spawn(process.execPath, [...flags, join(root, script), ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  return new Promise((resolve, reject) => {
    let seen = '';
    child.stdout!.on('data', (chunk: Buffer) => {
      if (seen.length > 100_000) return;
      seen += chunk.toString();
      const match = seen.match(ready);
      if (match) resolve([child, match]);
    });
    child.once('exit', (code) => reject(new Error(`${script} ended with ${code}: ${seen.slice(-2000)}`)));
  });
}

/**
 * Runs the load generator and waits for it without blocking: the server's output must be read meanwhile, or what it logs
 * piles up in its memory.
 */
async function load(
  port: number,
  key: string,
  flow: string,
  options: { seconds: number; connections: number; rate?: number; extra?: object },
): Promise<Measured> {
  const plan = {
    port,
    path: '/api/v1/recommend',
    headers: { authorization: `Bearer ${key}`, 'x-requested-with': 'bench' },
    body: JSON.stringify({
      customerId: '%CUSTOMER%',
      channel: 'email',
      limit: 3,
      decisionFlowKey: flow,
      ...options.extra,
    }),
    customers: { prefix: 'B-', count: customers, digits: 7 },
    seconds: options.seconds,
    connections: options.connections,
    rate: options.rate ?? 0,
  };
  const generator = [join(root, 'test/load/generator.ts'), JSON.stringify(plan)];
  const { stdout } = await promisify(execFile)(process.execPath, generator, { encoding: 'utf8' });
  const measured = JSON.parse(stdout) as Measured;
  const failed = Object.entries(measured.statuses).filter(([status]) => status !== '200');
  if (failed.length > 0) console.log(`  answers other than 200: ${JSON.stringify(failed)}`);
  return measured;
}

const median = (numbers: readonly number[]): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
const rssMb = (child: ChildProcess): number =>
  Number(readFileSync(`/proc/${child.pid}/status`, 'utf8').match(/VmRSS:\s+(\d+)/)?.[1] ?? 0) / 1024;
const say = (line: string): void => console.log(line);
const n0 = (value: number): string => Math.round(value).toLocaleString('en');

// ---------------------------------------------------------------- start as a user does
const key = `krn_${randomBytes(24).toString('hex')}`;
const largeKey = `krn_${randomBytes(24).toString('hex')}`;
const bootstrap = join(folder, 'bootstrap.json');
writeFileSync(
  bootstrap,
  JSON.stringify({
    tenants: [
      { name: 'Bench', apiKeys: [{ name: 'bench', key }] },
      { name: 'Large', apiKeys: [{ name: 'bench', key: largeKey }] },
    ],
  }),
);
const env = { DATA_DIR: join(folder, 'data'), BOOTSTRAP_FILE: bootstrap, PORT: '0', LOG_LEVEL: 'info' };
const coldAt = performance.now();
const [server, readyLine] = await start(
  'packages/cli/bin/arbiter.js',
  ['serve'],
  env,
  /arbiter ready url=http:\/\/[^:]+:(\d+)/,
);
const coldStartMs = performance.now() - coldAt;
server.stdout!.resume();
const port = Number(readyLine[1]);
const target: BenchTarget = { url: `http://127.0.0.1:${port}`, key };
say(`started in ${(coldStartMs / 1000).toFixed(1)} s (new database), RSS ${rssMb(server).toFixed(0)} MB`);

const catalogue = await loadCatalogue(target, { offers: 200, customers });
say(`loaded 200 offers, 20 policies, 10 rules, ${n0(customers)} customers`);
const sample = await post(target, 'recommend', {
  customerId: 'B-0000001',
  channel: 'email',
  limit: 3,
  decisionFlowKey: catalogue.flowKey,
  dryRun: true,
});
const sampleFile = join(folder, 'answer.json');
writeFileSync(sampleFile, JSON.stringify(sample));
const [, rawLine] = await start('test/load/raw-ceiling.ts', [sampleFile], {}, /^(\d+)/m);
const rawPort = Number(rawLine[1]);

// ---------------------------------------------------------------- side by side: raw, ours, ours without effects
await load(port, key, catalogue.flowKey, { seconds: Math.max(5, seconds / 2), connections });
const raw: number[] = [];
const ours: Measured[] = [];
const dry: number[] = [];
const rounds = 3;
for (let round = 0; round < rounds; round++) {
  raw.push((await load(rawPort, key, catalogue.flowKey, { seconds: seconds / 2, connections })).perSecond);
  ours.push(await load(port, key, catalogue.flowKey, { seconds, connections }));
  dry.push(
    (await load(port, key, catalogue.flowKey, { seconds: seconds / 2, connections, extra: { dryRun: true } }))
      .perSecond,
  );
  say(
    `round ${round + 1}: raw ${n0(raw.at(-1)!)}/s, decisions ${n0(ours.at(-1)!.perSecond)}/s, dry runs ${n0(dry.at(-1)!)}/s`,
  );
}
const peak = median(ours.map((m) => m.perSecond));
const closed = ours.find((m) => m.perSecond === peak)!;
const paced = await load(port, key, catalogue.flowKey, {
  seconds: seconds * 1.5,
  connections,
  rate: Math.floor(peak * 0.8),
});
say(`at 80 % of the peak: p50 ${paced.p50Ms.toFixed(1)} ms, p99 ${paced.p99Ms.toFixed(1)} ms`);
const lone = await load(port, key, catalogue.flowKey, { seconds: seconds / 2, connections: 1 });
const rssSmall = rssMb(server);

// ---------------------------------------------------------------- 10,000 offers
await loadCatalogue({ url: target.url, key: largeKey }, { offers: 20, customers: Math.min(customers, 10_000) });
await multiplyOffers(largeOffers);
await post({ url: target.url, key: largeKey }, 'categories', { name: 'Raises the catalogue version' });
await load(port, largeKey, 'bench-20', { seconds: Math.max(5, seconds / 2), connections: 8 });
const large = await load(port, largeKey, 'bench-20', { seconds, connections: 8 });
const largePaced = await load(port, largeKey, 'bench-20', {
  seconds,
  connections: 8,
  rate: Math.max(1, Math.floor(large.perSecond * 0.5)),
});
const rssLarge = rssMb(server);
say(
  `${n0(largeOffers)} offers: ${n0(large.perSecond)}/s, p99 ${largePaced.p99Ms.toFixed(1)} ms at half the peak, RSS ${rssLarge.toFixed(0)} MB`,
);

// ---------------------------------------------------------------- the engine alone
const engine = execFileSync(process.execPath, [join(root, 'test/load/engine-bench.ts')], { encoding: 'utf8' }).trim();
say(engine);

const stopAt = performance.now();
server.removeAllListeners('exit');
const stopped = new Promise((resolve) => server.once('exit', resolve));
server.kill('SIGTERM');
await stopped;
const stopMs = performance.now() - stopAt;
const warmAt = performance.now();
const [again] = await start('packages/cli/bin/arbiter.js', ['serve'], env, /arbiter ready url=/);
const warmStartMs = performance.now() - warmAt;
again.removeAllListeners('exit');
again.kill('SIGTERM');

const share = peak / median(raw);
const mark = (ok: boolean): string => (ok ? 'yes' : '**no**');
const engineUs = Number(engine.match(/exponents 1, 30 contact lanes\s+([\d.]+) us/)?.[1] ?? Number.NaN);
const costRatio = peak / large.perSecond;
const report = `# Benchmarks

Written by \`npm run bench\` on ${new Date().toISOString().slice(0, 10)}. One machine carries load generator, server and PostgreSQL; a figure
means little without the raw ceiling of the same run beside it. Never gated in CI.

Machine: ${cpus().length} x ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GB, Linux ${release()}, Node ${process.version}, embedded PostgreSQL 18, \`fsync\` and
\`synchronous_commit\` on. ${connections} connections, ${seconds} s a measurement, ${rounds} rounds, medians. ${n0(customers)} customers in random order, 3 items an answer,
200 offers on 2 channels, 20 contact policies, 10 rules, formula score; forced row-level security, sealed records and audit on.

| measure | bar | measured | met |
|---|---|---|---|
| decisions/s, one process, HTTP on loopback, durable | at least 5,000 | ${n0(peak)} (${ours.map((m) => n0(m.perSecond)).join(', ')}) | ${mark(peak >= 5000)} |
| p99 at 80 % of the peak (open loop, ${n0(peak * 0.8)}/s) | at most 25 ms | ${paced.p99Ms.toFixed(1)} ms (p50 ${paced.p50Ms.toFixed(1)}) | ${mark(paced.p99Ms <= 25)} |
| share of the raw ceiling (${n0(median(raw))}/s: same framework and answer, no database, no engine) | at least 30 % | ${(share * 100).toFixed(0)} % | ${mark(share >= 0.3)} |
| engine alone, 200 candidates, formula score, 20 policies | at most 60 µs | ${engineUs.toFixed(1)} µs | ${mark(engineUs <= 60)} |
| ${n0(largeOffers)} offers: p99 at half of their peak | at most 50 ms | ${largePaced.p99Ms.toFixed(1)} ms (${n0(large.perSecond)}/s) | ${mark(largePaced.p99Ms <= 50)} |
| ${n0(largeOffers)} offers against 200: cost a decision | at most 40 times | ${costRatio.toFixed(1)} times | ${mark(costRatio <= 40)} |
| caps and record on against off (dry runs ${n0(median(dry))}/s) | at least 75 % | ${((peak / median(dry)) * 100).toFixed(0)} % | ${mark(peak / median(dry) >= 0.75)} |
| RSS of the server after the load, 200 offers | at most 300 MB | ${rssSmall.toFixed(0)} MB | ${mark(rssSmall <= 300)} |
| RSS with ${n0(largeOffers)} offers | at most 300 MB | ${rssLarge.toFixed(0)} MB | ${mark(rssLarge <= 300)} |
| cold start to ready, new database | at most 20 s | ${(coldStartMs / 1000).toFixed(1)} s | ${mark(coldStartMs <= 20_000)} |
| cold start to ready, existing database | at most 5 s | ${(warmStartMs / 1000).toFixed(1)} s | ${mark(warmStartMs <= 5_000)} |

Closed loop at ${connections} connections: p50 ${closed.p50Ms.toFixed(1)} ms, p99 ${closed.p99Ms.toFixed(1)} ms. One connection alone: p50 ${lone.p50Ms.toFixed(1)} ms,
${n0(lone.perSecond)} decisions/s. Graceful stop after the load: ${(stopMs / 1000).toFixed(1)} s.

The engine alone (\`node test/load/engine-bench.ts\`):

\`\`\`
${engine}
\`\`\`
`;
const notesAt = '<!-- notes: kept by npm run bench -->';
const file = join(root, 'docs/benchmarks.md');
if (values.write) {
  let notes = '';
  try {
    const before = readFileSync(file, 'utf8');
    const at = before.indexOf(notesAt);
    if (at >= 0) notes = before.slice(at + notesAt.length);
  } catch {
    // The first run: there is nothing to keep.
  }
  writeFileSync(file, `${report}\n${notesAt}${notes || '\n'}`);
}
console.log(report);
process.exit(0);

/** Copies the offers of tenant Large past the API, whose limit of 2,000 offers a minute would take minutes. */
async function multiplyOffers(count: number): Promise<void> {
  const admin = new pg.Client({ connectionString: adminUrl() });
  await admin.connect();
  const columns = async (table: string): Promise<string[]> =>
    (
      await admin.query<{ name: string }>(
        `select quote_ident(attname) as name from pg_attribute where attrelid = 'arbiter.${table}'::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`,
      )
    ).rows.map((r) => r.name);
  const copy = async (table: string, replaced: Record<string, string>): Promise<void> => {
    const names = await columns(table);
    await admin.query(
      `insert into arbiter.${table} (${names.join(', ')})
       select ${names.map((name) => replaced[name] ?? `t.${name}`).join(', ')}
       from arbiter.${table} t join arbiter.tenants x on x.id = t.tenant_id and x.name = 'Large', generate_series(1, ${Math.ceil(count / 20) - 1}) g`,
    );
  };
  const shifted = (column: string): string =>
    `(substr(t.${column}::text, 1, 19) || lpad(to_hex(g), 4, '0') || substr(t.${column}::text, 24))::uuid`;
  await copy('offers', { id: shifted('id'), name: `t.name || ' ' || g`, priority: '(t.priority + g) % 100' });
  await copy('creatives', { id: shifted('id'), offer_id: shifted('offer_id'), name: `t.name || ' ' || g` });
  await admin.end();
}

/** The embedded server notes where its socket is. */
function adminUrl(): string {
  const owner = readFileSync(join(env.DATA_DIR, 'postgres', 'owner.json'), 'utf8');
  const { sockets } = JSON.parse(owner) as { sockets: string };
  return `postgresql://arbiter_admin@localhost/arbiter?host=${encodeURIComponent(sockets)}`;
}
