// The row design of the hot path, measured before anything was built on it (docs/adr/0011).
// One "decision" = read the customer's state under its lock, decode, count one contact, encode, seal 700 bytes of inputs,
// write state, one sealed record, one history row; one outbox row per batch. Forced RLS, restricted role, durable.
// Long states: written whole; split, with the base in the same row (docs/adr/0022); split, with the
// base in a table of its own.
//   node test/load/database/row-design-bench.ts    with a PostgreSQL of its own, or with DATABASE_ADMIN_URL of a superuser
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../../packages/server/src/db/embedded/embedded-postgres.ts';
import { withUser } from '../../../packages/server/src/db/test-database.ts';
import {
  addContact,
  type CustomerState,
  emptyState,
  laneOf,
} from '../../../packages/server/src/features/deciding/customer-states/customer-state.ts';
import {
  decodeState,
  encodeState,
  encodeWhole,
  type StoredState,
} from '../../../packages/server/src/features/deciding/customer-states/customer-state-codec.ts';

const seconds = Number(process.env.SECONDS_PER_CASE ?? 4);
const batchSize = 25;
const inFlight = 3;
const tenant = '0190a000-0000-7000-8000-0000000000aa';
const cases = process.env.CASES?.split(',') ?? ['bytes', 'split', 'apart', 'json', 'counters'];
const folder = await mkdtemp(join(tmpdir(), 'arbiter-rows-'));
const given = process.env.DATABASE_ADMIN_URL;
const own = given === undefined ? await startEmbeddedPostgres({ folder }) : null;
const adminUrl = given ?? own!.adminUrl;
const appUrl = withUser(adminUrl, 'bench_app');

const admin = new pg.Client({ connectionString: adminUrl });
await admin.connect();
await admin.query(`
  drop schema if exists bench cascade; create schema bench;
  do $$ begin create role bench_app login; exception when duplicate_object then null; end $$;
  grant usage on schema bench to bench_app;
  create table bench.state_bytes (tenant_id uuid not null, customer_id text not null, ref uuid not null, wrapped_key bytea not null,
    state bytea not null, base bytea, primary key (tenant_id, customer_id)) with (fillfactor = 70);
  alter table bench.state_bytes alter column state set storage external;
  alter table bench.state_bytes alter column base set storage external;
  create table bench.bases (tenant_id uuid not null, customer_id text not null, base bytea not null, primary key (tenant_id, customer_id));
  alter table bench.bases alter column base set storage external;
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
    foreach t in array array['state_bytes','bases','state_json','counters','records','records_1','history','history_1','outbox'] loop
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
async function fill({ key }: Case, contacts: number): Promise<void> {
  const state = stateWith(contacts);
  await admin.query(
    'truncate bench.state_bytes, bench.state_json, bench.bases, bench.records, bench.history, bench.outbox, bench.counters',
  );
  const wrapped = wrap();
  const rows = `generate_series(1, ${customers}) n`;
  if (key === 'json') {
    const values = [tenant, uuid7(), wrapped, JSON.stringify(state)];
    await admin.query(`insert into bench.state_json select $1, 'C-' || n, $2, $3, $4 from ${rows}`, values);
  } else {
    const stored = key === 'bytes' ? { state: encodeWhole(state, []), base: null } : encodeState(state);
    const inRow = key === 'split' ? stored.base : null;
    const values = [tenant, uuid7(), wrapped, stored.state, inRow];
    await admin.query(`insert into bench.state_bytes select $1, 'C-' || n, $2, $3, $4, $5 from ${rows}`, values);
    if (key === 'apart' && stored.base !== null) {
      await admin.query(`insert into bench.bases select $1, 'C-' || n, $2 from ${rows}`, [tenant, stored.base]);
    }
  }
  // The server vacuums on its own. The state of a table right after filling shouldn't decide.
  await admin.query('vacuum analyze bench.state_bytes, bench.state_json, bench.bases');
  await admin.query('checkpoint');
}

interface Loaded {
  readonly customer_id: string;
  readonly ref: string;
  readonly wrapped_key: Buffer;
  readonly state: Buffer & string;
  readonly base: Buffer | null;
}

interface Case {
  readonly key: string;
  readonly name: string;
  readonly load: string;
  decode(row: Loaded): CustomerState;
  encode(state: CustomerState): StoredState | string;
}

const ofBytes = 'select customer_id, ref, wrapped_key, state, base from bench.state_bytes';
const locked = 'where tenant_id = $2 and customer_id = any($1) order by customer_id for update skip locked';
const bytes: Case = {
  key: 'bytes',
  name: 'one wide row, binary state',
  load: `${ofBytes} ${locked}`,
  decode: ({ state, base }) => decodeState(state, base),
  encode: (state) => ({ state: encodeWhole(state, state.reservations), base: undefined }),
};
const designs: readonly Case[] = [
  bytes,
  { ...bytes, key: 'split', name: 'the same, split: base in a column of its own', encode: encodeState },
  {
    ...bytes,
    key: 'apart',
    name: 'the same, split: base in a table of its own',
    load: `select s.customer_id, ref, wrapped_key, state, b.base from bench.state_bytes s
      left join lateral (select base from bench.bases b where b.tenant_id = s.tenant_id and b.customer_id = s.customer_id limit 1) b
        on true where s.tenant_id = $2 and s.customer_id = any($1) order by s.customer_id for update of s skip locked`,
    encode: encodeState,
  },
  {
    key: 'json',
    name: 'one wide row, jsonb state',
    load: `select customer_id, ref, wrapped_key, state::text as state from bench.state_json ${locked}`,
    decode: ({ state }) => JSON.parse(state) as CustomerState,
    encode: (state) => JSON.stringify(state),
  },
  { ...bytes, key: 'counters', name: 'lock row and a counter row per scope and period' },
];

const byPosition = (parameter: number, type: string) =>
  `($${parameter}::${type}[])[array_position($1::text[], customer_id)]`;
const ofRows = 'where tenant_id = $3 and customer_id = any($1::text[])';

/** The statements that write the states back. */
function saves(client: pg.Client, { key }: Case, ids: readonly string[], states: readonly (StoredState | string)[]) {
  if (key === 'json') {
    const text = `update bench.state_json set state = ${byPosition(2, 'text')}::jsonb ${ofRows}`;
    return [client.query({ name: 'save', text, values: [ids, states, tenant] })];
  }
  const rows = states.flatMap((stored, i) => (typeof stored === 'string' ? [] : [{ id: ids[i]!, ...stored }]));
  const [usual, rebased] = [rows.filter((r) => r.base === undefined), rows.filter((r) => r.base !== undefined)];
  const idsOf = (some: typeof rows) => some.map((row) => row.id);
  const statesOf = (some: typeof rows) => some.map((row) => row.state);
  const save = `update bench.state_bytes set state = ${byPosition(2, 'bytea')} ${ofRows}`;
  const sent: Promise<unknown>[] = [];
  const plain = key === 'apart' ? rows : usual;
  if (plain.length > 0) {
    sent.push(client.query({ name: 'save', text: save, values: [idsOf(plain), statesOf(plain), tenant] }));
  }
  if (rebased.length === 0) return sent;
  const bases = rebased.map((row) => row.base ?? null);
  if (key === 'split') {
    const text = `update bench.state_bytes set state = ${byPosition(2, 'bytea')}, base = ${byPosition(4, 'bytea')} ${ofRows}`;
    sent.push(client.query({ name: 'rebase', text, values: [idsOf(rebased), statesOf(rebased), tenant, bases] }));
  } else if (bases.some((base) => base !== null)) {
    const text = `insert into bench.bases select $1, u.id, u.base from unnest($2::text[], $3::bytea[]) u(id, base)
      on conflict (tenant_id, customer_id) do update set base = excluded.base`;
    sent.push(client.query({ name: 'rebase', text, values: [tenant, idsOf(rebased), bases] }));
  }
  return sent;
}

const insertRecords = `insert into bench.records select $1, u.id, u.ref, $2, u.hash, u.body from unnest($3::uuid[], $4::uuid[], $5::bytea[], $6::bytea[]) as u(id, ref, hash, body)`;
const insertHistory = `insert into bench.history (tenant_id, id, customer_id, kind, offer_id, creative_id, channel_id, recommendation_id, rank, occurred_at)
  select $1, u.id, u.c, 1, u.o, u.cr, u.ch, u.r, 1, $2 from unnest($3::uuid[], $4::text[], $5::uuid[], $6::uuid[], $7::uuid[], $8::uuid[]) as u(id, c, o, cr, ch, r)`;
const insertOutbox = `insert into bench.outbox (tenant_id, topic, payload) values ($1, 'decision.made.v1', $2)`;
const hash = randomBytes(32);

async function run(c: Case, ms = seconds * 1000): Promise<{ perSecond: number; bytes: number }> {
  const clients = await Promise.all(
    Array.from({ length: inFlight }, async () => {
      const client = new pg.Client({
        connectionString: appUrl,
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
  const until = Date.now() + ms;
  await Promise.all(
    clients.map(async (client, worker) => {
      while (Date.now() < until) {
        const ids = Array.from({ length: batchSize }, () => `C-${((next++ * 17 + worker) % customers) + 1}`);
        const unique = [...new Set(ids)];
        const [, , loaded] = await Promise.all([
          client.query('begin'),
          client.query({ name: 'tenant', text: `select set_config('app.tenant', $1, true)`, values: [tenant] }),
          client.query<Loaded>({
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
          state: [] as (StoredState | string)[],
          offer: [] as string[],
          creative: [] as string[],
          channel: [] as string[],
          item: [] as string[],
        };
        const now = Date.now();
        const events: unknown[] = [];
        for (const row of loaded.rows) {
          const state = c.decode(row);
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
        const sent: Promise<unknown>[] = [
          client.query({ name: 'records', text: insertRecords, values: [tenant, hash, a.id, a.ref, a.hash, a.body] }),
          client.query({
            name: 'history',
            text: insertHistory,
            values: [tenant, new Date(now), a.item, a.customer, a.offer, a.creative, a.channel, a.id],
          }),
          client.query({ name: 'outbox', text: insertOutbox, values: [tenant, JSON.stringify(events)] }),
          ...(c.key === 'counters'
            ? [
                client.query({
                  name: 'counters',
                  text: `insert into bench.counters as t select $1, u.c, s.scope || u.o, s.period, 1, $2 from unnest($3::text[], $4::text[]) u(c, o), (values ('global:', 'd'), ('global:', 'w'), ('global:', 'm'), ('offer:', 'd'), ('offer:', 'all'), ('channel:', 'd')) s(scope, period) order by 2, 3, 4 on conflict (tenant_id, customer_id, scope, period) do update set n = t.n + 1, last_at = excluded.last_at`,
                  values: [tenant, new Date(now), a.customer, a.offer],
                }),
              ]
            : saves(client, c, a.customer, a.state)),
          client.query('commit'),
        ];
        await Promise.all(sent);
      }
    }),
  );
  const walAfter = await wal();
  await Promise.all(clients.map((client) => client.end()));
  return { perSecond: (decided * 1000) / ms, bytes: (walAfter - walBefore) / decided };
}

console.log(
  `row design: ${cpus().length} x ${cpus()[0]?.model}, batches of ${batchSize}, ${inFlight} in flight, ${seconds} s a case`,
);
// The first run of a connection pays for everyone's start: tables that grow, statements that are planned.
await fill(bytes, 0);
await run(bytes, 1000);
console.log('| rows | contacts | decisions/s | WAL bytes a decision | HOT |\n|---|---|---|---|---|');
for (const contacts of process.env.CONTACTS?.split(',').map(Number) ?? [0, 30, 5000]) {
  for (const design of designs) {
    if (!cases.includes(design.key) || (design.key === 'counters' && contacts > 0)) continue;
    await fill(design, contacts);
    const before = await hotUpdates();
    const { perSecond, bytes: wal } = await run(design);
    const after = await hotUpdates();
    const hot =
      design.key === 'json' ? '' : `${Math.round((100 * (after.hot - before.hot)) / (after.all - before.all))} %`;
    console.log(`| ${design.name} | ${contacts} | ${perSecond.toFixed(0)} | ${wal.toFixed(0)} | ${hot} |`);
  }
}
await admin.query('drop schema bench cascade');
await admin.end();
await own?.stop();
await rm(folder, { recursive: true, force: true });

/** Updates of the state rows so far, and how many of them stayed on their page. */
async function hotUpdates(): Promise<{ all: number; hot: number }> {
  await admin.query('select pg_stat_force_next_flush(), pg_stat_clear_snapshot()');
  const { rows } = await admin.query<{ all: number; hot: number }>(
    `select n_tup_upd::int as all, n_tup_hot_upd::int as hot from pg_stat_user_tables
     where schemaname = 'bench' and relname = 'state_bytes'`,
  );
  return rows[0]!;
}
