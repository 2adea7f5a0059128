// The row design of the hot path, measured before anything was built on it (docs/adr/0011-rows-of-the-hot-path.md).
// One "decision" = read the customer's state under its lock, decode, count one contact, encode, seal 700 bytes of inputs,
// write state, one sealed record, one history row; one outbox row per batch. Forced RLS, restricted role, durable.
//   PGHOST=/path/to/socket node test/load/row-design-bench.ts
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { cpus } from 'node:os';
import pg from 'pg';
import { addContact, emptyState, laneOf } from '../../packages/server/src/features/customer-states/customer-state.ts';
import { decodeState, encodeState } from '../../packages/server/src/features/customer-states/customer-state-codec.ts';

const seconds = Number(process.env.SECONDS_PER_CASE ?? 4);
const batchSize = 25;
const inFlight = 3;
const tenant = '0190a000-0000-7000-8000-0000000000aa';
const host = process.env.PGHOST;
if (!host) throw new Error('set PGHOST to the socket folder of a PostgreSQL whose superuser is postgres');

const admin = new pg.Client({ host, user: 'postgres', database: 'postgres' });
await admin.connect();
await admin.query(`
  drop schema if exists bench cascade; create schema bench;
  do $$ begin create role bench_app login; exception when duplicate_object then null; end $$;
  grant usage on schema bench to bench_app;
  create table bench.state_bytes (tenant_id uuid not null, customer_id text not null, ref uuid not null, wrapped_key bytea not null,
    state bytea not null, primary key (tenant_id, customer_id)) with (fillfactor = 70);
  create table bench.state_json (tenant_id uuid not null, customer_id text not null, ref uuid not null, wrapped_key bytea not null,
    state jsonb not null, primary key (tenant_id, customer_id)) with (fillfactor = 70);
  create table bench.counters (tenant_id uuid not null, customer_id text not null, scope text not null, period text not null, n int not null,
    last_at timestamptz not null, primary key (tenant_id, customer_id, scope, period)) with (fillfactor = 70);
  create table bench.records (tenant_id uuid not null, id uuid not null, customer_ref uuid not null, plan_hash bytea not null,
    result_hash bytea not null, body bytea not null, primary key (tenant_id, id)) partition by range (id);
  create table bench.records_1 partition of bench.records default;
  alter table bench.records_1 alter body set storage external;
  create table bench.history (tenant_id uuid not null, id uuid not null, customer_id text not null, kind smallint not null, offer_id uuid not null,
    creative_id uuid, channel_id uuid, placement_id uuid, recommendation_id uuid, rank smallint, context jsonb,
    occurred_at timestamptz not null, primary key (tenant_id, id)) partition by range (id);
  create table bench.history_1 partition of bench.history default;
  create index on bench.history_1 (tenant_id, customer_id, id);
  create table bench.outbox (tenant_id uuid not null, id bigint generated always as identity, topic text not null, payload text not null,
    primary key (tenant_id, id));
  do $$ declare t text; begin
    foreach t in array array['state_bytes','state_json','counters','records','records_1','history','history_1','outbox'] loop
      execute format('alter table bench.%I enable row level security; alter table bench.%I force row level security;
        create policy tenant_isolation on bench.%I using (tenant_id = (select nullif(current_setting(''app.tenant'', true), '''')::uuid))
        with check (tenant_id = (select nullif(current_setting(''app.tenant'', true), '''')::uuid));
        grant select, insert, update on bench.%I to bench_app', t, t, t, t);
    end loop; end $$;
`);

const uuid7 = (): string => {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(Date.now(), 0, 6);
  bytes[6] = (bytes[6]! & 15) | 112;
  bytes[8] = (bytes[8]! & 63) | 128;
  const h = bytes.toString('hex');
  return `${h.slice(0, 8)}-${h.slice(8, 12)}-${h.slice(12, 16)}-${h.slice(16, 20)}-${h.slice(20)}`;
};
const offers = Array.from({ length: 200 }, uuid7);
const creatives = Array.from({ length: 200 }, uuid7);
const channels = Array.from({ length: 3 }, uuid7);
const masterKey = randomBytes(32);
const inputs = JSON.stringify({
  profile: Object.fromEntries(Array.from({ length: 18 }, (_, i) => [`attribute_${i}`, `value ${i}`])),
  counts: Array.from({ length: 30 }, (_, i) => [i, i % 3, i % 5]),
});

const wrap = (): Buffer => {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', masterKey, iv);
  return Buffer.concat([iv, cipher.update(randomBytes(32)), cipher.final(), cipher.getAuthTag()]);
};
const unwrap = (wrapped: Buffer): Buffer => {
  const open = createDecipheriv('aes-256-gcm', masterKey, wrapped.subarray(0, 12));
  open.setAuthTag(wrapped.subarray(44));
  return Buffer.concat([open.update(wrapped.subarray(12, 44)), open.final()]);
};
const seal = (key: Buffer, text: string): Buffer => {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  return Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
};
const stateWith = (contacts: number) => {
  const state = emptyState();
  const now = Date.now();
  for (let i = 0; i < contacts; i++) {
    const n = (i * 7) % 200;
    const lane = laneOf(state, {
      offerId: offers[n]!,
      creativeId: creatives[n]!,
      channelId: channels[i % 3]!,
      campaignId: null,
    });
    addContact(state, lane, now - (contacts - i) * 400_000);
  }
  return state;
};

const customers = 4000;
async function fill(table: 'state_bytes' | 'state_json', contacts: number): Promise<void> {
  const state = stateWith(contacts);
  const value = table === 'state_bytes' ? encodeState(state) : JSON.stringify(state);
  await admin.query(`truncate bench.${table}, bench.records, bench.history, bench.outbox, bench.counters`);
  const key = wrap();
  await admin.query(
    `insert into bench.${table} select $1, 'C-' || n, $2, $3, $4 from generate_series(1, ${customers}) n`,
    [tenant, uuid7(), key, value],
  );
  await admin.query('checkpoint');
}

type Case = {
  name: string;
  load: string;
  save: string;
  decode(v: never): ReturnType<typeof emptyState>;
  encode(s: ReturnType<typeof emptyState>): unknown;
};
const cases: Record<string, Case> = {
  bytes: {
    name: 'one wide row, binary state',
    load: `select customer_id, ref, wrapped_key, state from bench.state_bytes where tenant_id = $2 and customer_id = any($1) order by customer_id for update skip locked`,
    save: `update bench.state_bytes set state = ($2::bytea[])[array_position($1::text[], customer_id)] where tenant_id = $3 and customer_id = any($1::text[])`,
    decode: (v: Buffer) => decodeState(v),
    encode: encodeState,
  } as Case,
  json: {
    name: 'one wide row, jsonb state',
    load: `select customer_id, ref, wrapped_key, state::text as state from bench.state_json where tenant_id = $2 and customer_id = any($1) order by customer_id for update skip locked`,
    save: `update bench.state_json set state = ($2::text[])[array_position($1::text[], customer_id)]::jsonb where tenant_id = $3 and customer_id = any($1::text[])`,
    decode: (v: string) => JSON.parse(v) as ReturnType<typeof emptyState>,
    encode: (s) => JSON.stringify(s),
  } as Case,
};

const insertRecords = `insert into bench.records select $1, u.id, u.ref, $2, u.hash, u.body from unnest($3::uuid[], $4::uuid[], $5::bytea[], $6::bytea[]) as u(id, ref, hash, body)`;
const insertHistory = `insert into bench.history (tenant_id, id, customer_id, kind, offer_id, creative_id, channel_id, recommendation_id, rank, occurred_at)
  select $1, u.id, u.c, 1, u.o, u.cr, u.ch, u.r, 1, $2 from unnest($3::uuid[], $4::text[], $5::uuid[], $6::uuid[], $7::uuid[], $8::uuid[]) as u(id, c, o, cr, ch, r)`;
const insertOutbox = `insert into bench.outbox (tenant_id, topic, payload) values ($1, 'decision.made.v1', $2)`;
const hash = randomBytes(32);

async function run(c: Case, options: { counters?: boolean } = {}): Promise<{ perSecond: number; bytes: number }> {
  const clients = await Promise.all(
    Array.from({ length: inFlight }, async () => {
      const client = new pg.Client({
        host,
        user: 'bench_app',
        database: 'postgres',
        pipeline: true,
        options:
          '-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c plan_cache_mode=force_generic_plan',
      } as pg.ClientConfig);
      await client.connect();
      return client;
    }),
  );
  let decided = 0;
  let next = 0;
  const wal = async () =>
    Number((await admin.query<{ n: string }>(`select pg_current_wal_lsn() - '0/0'::pg_lsn as n`)).rows[0]!.n);
  const walBefore = await wal();
  const until = Date.now() + seconds * 1000;
  await Promise.all(
    clients.map(async (client, worker) => {
      while (Date.now() < until) {
        const ids = Array.from({ length: batchSize }, () => `C-${((next++ * 17 + worker) % customers) + 1}`);
        const unique = [...new Set(ids)];
        const [, , loaded] = await Promise.all([
          client.query('begin'),
          client.query({ name: 'tenant', text: `select set_config('app.tenant', $1, true)`, values: [tenant] }),
          client.query<{ customer_id: string; ref: string; wrapped_key: Buffer; state: never }>({
            name: 'load',
            text: c.load,
            values: [unique, tenant],
          }),
        ]);
        const n = loaded.rows.length;
        const a = {
          id: [] as string[],
          ref: [] as string[],
          hash: [] as Buffer[],
          body: [] as Buffer[],
          customer: [] as string[],
          state: [] as unknown[],
          offer: [] as string[],
          creative: [] as string[],
          channel: [] as string[],
          item: [] as string[],
        };
        const now = Date.now();
        const events: unknown[] = [];
        for (const row of loaded.rows) {
          const state = c.decode(row.state);
          const i = decided++ % 200;
          addContact(
            state,
            laneOf(state, {
              offerId: offers[i]!,
              creativeId: creatives[i]!,
              channelId: channels[0]!,
              campaignId: null,
            }),
            now,
          );
          const id = uuid7();
          a.id.push(id);
          a.item.push(uuid7());
          a.ref.push(row.ref);
          a.hash.push(hash);
          a.body.push(seal(unwrap(row.wrapped_key), inputs));
          a.customer.push(row.customer_id);
          a.state.push(c.encode(state));
          a.offer.push(offers[i]!);
          a.creative.push(creatives[i]!);
          a.channel.push(channels[0]!);
          events.push({
            customerId: row.customer_id,
            recommendationId: id,
            items: [{ offerId: offers[i], rank: 1, score: 0.5 }],
          });
        }
        if (n === 0) {
          await client.query('rollback');
          continue;
        }
        const saves = [
          client.query({ name: 'records', text: insertRecords, values: [tenant, hash, a.id, a.ref, a.hash, a.body] }),
          client.query({
            name: 'history',
            text: insertHistory,
            values: [tenant, new Date(now), a.item, a.customer, a.offer, a.creative, a.channel, a.id],
          }),
          client.query({ name: 'outbox', text: insertOutbox, values: [tenant, JSON.stringify(events)] }),
          options.counters
            ? client.query({
                name: 'counters',
                text: `insert into bench.counters as t select $1, u.c, s.scope || u.o, s.period, 1, $2 from unnest($3::text[], $4::text[]) u(c, o), (values ('global:', 'd'), ('global:', 'w'), ('global:', 'm'), ('offer:', 'd'), ('offer:', 'all'), ('channel:', 'd')) s(scope, period) order by 2, 3, 4 on conflict (tenant_id, customer_id, scope, period) do update set n = t.n + 1, last_at = excluded.last_at`,
                values: [tenant, new Date(now), a.customer, a.offer],
              })
            : client.query({ name: 'save', text: c.save, values: [a.customer, a.state, tenant] }),
          client.query('commit'),
        ];
        await Promise.all(saves);
      }
    }),
  );
  const walAfter = await wal();
  await Promise.all(clients.map((client) => client.end()));
  return { perSecond: decided / seconds, bytes: (walAfter - walBefore) / decided };
}

console.log(
  `row design: ${cpus().length} x ${cpus()[0]?.model}, batches of ${batchSize}, ${inFlight} in flight, ${seconds} s a case`,
);
// The first run of a connection pays for everybody's start: tables that grow, statements that are planned.
await fill('state_bytes', 0);
await run(cases.bytes!);
console.log('| rows | contacts | decisions/s | WAL bytes a decision |\n|---|---|---|---|');
for (const contacts of [0, 30, 5000]) {
  for (const key of ['bytes', 'json'] as const) {
    await fill(key === 'bytes' ? 'state_bytes' : 'state_json', contacts);
    const r = await run(cases[key]!);
    console.log(`| ${cases[key]!.name} | ${contacts} | ${r.perSecond.toFixed(0)} | ${r.bytes.toFixed(0)} |`);
  }
}
await fill('state_bytes', 0);
const r = await run(cases.bytes!, { counters: true });
console.log(
  `| lock row and a counter row per scope and period | 0 | ${r.perSecond.toFixed(0)} | ${r.bytes.toFixed(0)} |`,
);
await admin.query('drop schema bench cascade');
await admin.end();
