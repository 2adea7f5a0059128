// What the indexes of `decisions` cost that have an entry for each decision: processor time and WAL of the
// database per decision, with both, without the one by flow, and without either; in turn within one run, over a table of
// some hundred thousand decisions. By hand:  node test/load/database/decision-indexes.ts [rounds = 5] [decisions = 2000] [rows = 200000]
import { readdirSync, readFileSync } from 'node:fs';
import { startTestServer } from '../../../packages/server/src/main/test-server.ts';

const rounds = Number(process.argv[2] ?? 5);
const decisions = Number(process.argv[3] ?? 2_000);
const prefilled = Number(process.argv[4] ?? 200_000);
const callers = 64;

const server = await startTestServer({ checkResponses: false });
const { ownerQuery } = server.testDatabase;
const tenantId = server.tenants[0].id;
async function post(path: string, body: object): Promise<{ id: string }> {
  const answer = await server.call<{ id: string }>('POST', `/api/v1/${path}`, { body });
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`);
  return answer.body;
}
const email = await post('channels', { name: 'Email', channelType: 'email', impressionMode: 'implicit' });
for (let i = 0; i < 20; i++) {
  const offer = await post('offers', { name: `Offer ${i}`, status: 'active', priority: 50 });
  await post('creatives', { name: `Creative ${i}`, offerId: offer.id, channelId: email.id, status: 'active' });
}

let customers = 0;
async function run(count: number): Promise<void> {
  const caller = { tenantId, credentialId: 'bench', ip: '127.0.0.1', userAgent: 'bench', idempotencyKey: null };
  let left = count;
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (left-- > 0) {
        customers = (customers + 1) % 5_000;
        const body = { customerId: `C${customers}`, channelId: email.id, limit: 3 };
        await server.decisions.recommend({ ...caller, until: performance.now() + 60_000 }, body);
      }
    }),
  );
}

const [{ pid = 0 } = {}] = await ownerQuery<{ pid: number }>('select pg_backend_pid() as pid');
const statOf = (process: number): string[] => {
  const text = readFileSync(`/proc/${process}/stat`, 'utf8');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
};
const postmaster = Number(statOf(pid)[1]);

/** Processor time of the database's processes so far, in microseconds; a tick is 10 ms. */
function cpuUs(): number {
  let ticks = 0;
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const fields = statOf(Number(name));
      if (Number(fields[1]) === postmaster) ticks += Number(fields[11]) + Number(fields[12]);
    } catch {
      // It ended in the meantime.
    }
  }
  return ticks * 10_000;
}
const walBytes = async (): Promise<number> =>
  Number((await ownerQuery<{ n: string }>(`select pg_current_wal_lsn() - '0/0'::pg_lsn as n`))[0]!.n);

await run(5_000);
// Other customers of before, in a random order, so that the index by customer is as wide as it would be.
await ownerQuery(
  `insert into arbiter.decisions (tenant_id, id, customer_ref, source, decided_at, flow_id, plan_hash, config_version,
     evidence_number, engine_version, item_count, result_hash, body)
   select d.tenant_id, (substr(d.id::text, 1, 24) || substr(md5(random()::text), 1, 10) || '00')::uuid, gen_random_uuid(),
     d.source, d.decided_at, d.flow_id, d.plan_hash, d.config_version, d.evidence_number, d.engine_version, d.item_count,
     d.result_hash, substr(d.body, 1, 200)
   from (select * from arbiter.decisions order by id limit 1) d, generate_series(1, $1::int)`,
  [prefilled],
);

const byCustomer = 'create index decisions_customer on arbiter.decisions (tenant_id, customer_ref, id)';
const byFlow = 'create index decisions_flow on arbiter.decisions (tenant_id, flow_id, id)';
const states = [
  { name: 'both indexes', indexes: [byCustomer, byFlow] },
  { name: 'without the one by flow', indexes: [byCustomer] },
  { name: 'without the one by customer', indexes: [byFlow] },
  { name: 'without either', indexes: [] },
];
const measured = new Map(states.map(({ name }) => [name, [] as { cpu: number; wal: number }[]]));
for (let round = 0; round < rounds; round++) {
  for (const { name, indexes } of states) {
    await ownerQuery('drop index if exists arbiter.decisions_customer, arbiter.decisions_flow');
    for (const index of indexes) await ownerQuery(index);
    await ownerQuery('checkpoint');
    await run(300);
    const [cpu, wal] = [cpuUs(), await walBytes()];
    await run(decisions);
    measured.get(name)!.push({ cpu: (cpuUs() - cpu) / decisions, wal: ((await walBytes()) - wal) / decisions });
  }
}
const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
const base = measured.get('both indexes')!;
for (const [name, rows] of measured) {
  const ratios = rows.map(({ cpu }, round) => cpu / base[round]!.cpu);
  console.log(
    `${name.padEnd(30)} ${median(rows.map(({ cpu }) => cpu)).toFixed(1)} us  ${median(ratios).toFixed(3)} ` +
      `(${Math.min(...ratios).toFixed(3)} to ${Math.max(...ratios).toFixed(3)})  WAL ${median(rows.map(({ wal }) => wal)).toFixed(0)} bytes`,
  );
}
await server.close();
