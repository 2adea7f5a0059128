// What one decision of three items leaves in PostgreSQL: rows and index entries per table, bytes of WAL, processor time of
// the database; then the same for publishing and counting it afterwards. Through the product, without HTTP's sockets.
//   node test/load/database/decision-writes.ts [rounds = 5] [decisions = 3000]
import { readdirSync, readFileSync } from 'node:fs';
import { createHotPath } from '../../../packages/server/src/db/index.ts';
import { createOutboxDispatcher } from '../../../packages/server/src/features/operations/stream/index.ts';
import { startTestServer } from '../../../packages/server/src/main/test-server.ts';

const rounds = Number(process.argv[2] ?? 5);
const decisions = Number(process.argv[3] ?? 3_000);
const inFlight = 64;
const offers = 200;

const server = await startTestServer({ checkResponses: false });
const { ownerQuery } = server.testDatabase;
const post = async <Body = { id: string }>(path: string, body: object): Promise<Body> => {
  const answer = await server.call<Body>('POST', `/api/v1/${path}`, { body });
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`);
  return answer.body;
};
const category = await post('categories', { name: 'All' });
const email = await post('channels', { name: 'Email', channelType: 'email', impressionMode: 'implicit' });
for (let i = 0; i < offers; i++) {
  const offer = await post('offers', { name: `Offer ${i}`, status: 'active', categoryId: category.id, priority: 50 });
  await post('creatives', { name: `Creative ${i}`, offerId: offer.id, channelId: email.id, status: 'active' });
}
// Each offer once a day and customer, so a customer's decisions show different offers, and a batch many of them.
await post('contact-policies', {
  name: 'Once a day',
  ruleType: 'frequency_cap',
  scope: 'global',
  config: { maxPerDay: 1, per: 'offer' },
});
const flow = await post('decision-flows', { key: 'main', name: 'Main' });
const nodes = [
  { id: 'i', type: 'inventory', config: {} },
  { id: 'm', type: 'match_creatives', config: {} },
  { id: 'p', type: 'contact_policy', config: {} },
  { id: 's', type: 'score', config: { method: 'priority_weighted' } },
];
const draftConfig = { version: 2, nodes, flowConfig: {} };
const drafted = await server.call('PUT', '/api/v1/decision-flows', { body: { id: flow.id, draftConfig } });
if (drafted.status !== 200) throw new Error(drafted.text);
await post('decision-flows/publish', { id: flow.id });

const path = createHotPath({ url: server.testDatabase.url, connections: 1 });
const dispatcher = createOutboxDispatcher(server.database, path, {
  zoneOf: async () => 'Europe/Berlin',
  pause: async () => undefined,
  stopped: () => false,
});

interface Counted {
  readonly cpuUs: number;
  readonly wal: number;
  readonly rows: ReadonlyMap<string, readonly number[]>;
}
const [{ pid: postmaster = 0 } = {}] = (await ownerQuery<{ pid: number }>('select pg_backend_pid() as pid')).map(
  ({ pid }) => ({ pid: Number(statOf(pid)[1]) }),
);

/** Fields of /proc/<pid>/stat behind the name: state, parent, ... */
function statOf(pid: number): string[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}
const ticksOf = (fields: readonly string[], from: number, to: number): number =>
  fields.slice(from, to).reduce((sum, field) => sum + Number(field), 0);

/** Processor time of the whole database so far: the processes that run and those that have ended. */
function cpuUs(): number {
  let ticks = ticksOf(statOf(postmaster), 11, 15);
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const fields = statOf(Number(name));
      if (Number(fields[1]) === postmaster) ticks += ticksOf(fields, 11, 13);
    } catch {
      // It ended in the meantime.
    }
  }
  return ticks * 10_000;
}

async function count(): Promise<Counted> {
  await ownerQuery('select pg_stat_force_next_flush()');
  await new Promise((done) => setTimeout(done, 1_200));
  const tables = await ownerQuery<Record<string, string>>(
    `select regexp_replace(s.relname, '_y\\d+m\\d+$', '') as name, sum(n_tup_ins) as ins, sum(n_tup_upd) as upd, sum(n_tup_hot_upd) as hot,
       sum(n_tup_ins * i.indexes + (n_tup_upd - n_tup_hot_upd) * i.indexes) as entries
     from pg_stat_user_tables s cross join lateral (
       select count(*) as indexes from pg_index where indrelid = s.relid and indpred is null) i
     where schemaname = 'arbiter' group by 1 having sum(n_tup_ins + n_tup_upd) > 0 order by 1`,
  );
  const [lsn] = await ownerQuery<{ n: string }>(`select pg_current_wal_lsn() - '0/0'::pg_lsn as n`);
  return {
    cpuUs: cpuUs(),
    wal: Number(lsn!.n),
    rows: new Map(tables.map((t) => [t.name!, [Number(t.ins), Number(t.upd), Number(t.hot), Number(t.entries)]])),
  };
}

const customers = 1_000;
async function load(n: number): Promise<void> {
  let left = n;
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (left-- > 0) {
        const answer = await server.call<{ count: number }>('POST', '/api/v1/recommend', {
          body: {
            customerId: `C-${Math.floor(Math.random() * customers)}`,
            channel: 'email',
            limit: 3,
            decisionFlowKey: 'main',
          },
        });
        if (answer.status !== 200 || answer.body.count !== 3) throw new Error(`${answer.status} ${answer.text}`);
      }
    }),
  );
}

const median = (list: readonly number[]): number => list.toSorted((a, b) => a - b)[list.length >> 1] ?? 0;
const per = (a: Counted, b: Counted) => ({ cpu: (b.cpuUs - a.cpuUs) / decisions, wal: (b.wal - a.wal) / decisions });
/** Rows of all decisions so far. A backend tells of its work ten seconds after it ended at the latest. */
async function tellRows(made: number): Promise<void> {
  await new Promise((done) => setTimeout(done, 11_000));
  console.log('per decision: rows inserted / updated / of these in place (HOT) / index entries');
  for (const [name, all] of (await count()).rows) {
    const [ins, upd, hot, entries] = all.map((value) => (value / made).toFixed(2));
    if (Number(ins) + Number(upd) >= 0.01) console.log(`  ${name}: ${ins} / ${upd} / ${hot} / ${entries}`);
  }
}

const warmUp = 4_000;
await load(warmUp);
await dispatcher.drain();
const made: ReturnType<typeof per>[] = [];
const published: ReturnType<typeof per>[] = [];
for (let round = 0; round < rounds; round++) {
  const a = await count();
  await load(decisions);
  const b = await count();
  await dispatcher.drain();
  const c = await count();
  made.push(per(a, b));
  published.push(per(b, c));
}
for (const [title, list] of [
  ['decided', made],
  ['published', published],
] as const) {
  const cpu = list.map((each) => each.cpu);
  console.log(
    `${title}: PostgreSQL ${median(cpu).toFixed(1)} us (${Math.min(...cpu).toFixed(1)} to ${Math.max(...cpu).toFixed(1)}), ` +
      `WAL ${median(list.map((each) => each.wal)).toFixed(0)} bytes`,
  );
}
await tellRows(warmUp + rounds * decisions);
await path.close();
await server.close();
