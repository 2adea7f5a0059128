// The forms in which history and events may be written, side by side (docs/adr/0021): batches of 25
// decisions with three items each, durable or not as the cluster is, forced row-level security, the restricted role.
// Interleaved rounds; medians of the backend's processor time and of the WAL per decision.
//   node test/load/history-bench.ts [rounds = 7] [batches = 120]
import { readFileSync } from 'node:fs';
import {
  createHotPath,
  type HotStatement,
  numberArray,
  textArray,
  uuidArray,
} from '../../packages/server/src/db/index.ts';
import { createTestDatabase } from '../../packages/server/src/db/test-database.ts';
import {
  type DecidedItem,
  insertShown,
} from '../../packages/server/src/features/deciding/interactions/shown-decisions.store.ts';
import { createDecisionEvents } from '../../packages/server/src/features/operations/stream/decision-events.ts';
import { insertOutbox } from '../../packages/server/src/features/operations/stream/outbox.store.ts';
import { newId } from '../../packages/server/src/platform/ids.ts';

const rounds = Number(process.argv[2] ?? 7);
const batches = Number(process.argv[3] ?? 120);
const perBatch = 25;
const db = await createTestDatabase();
const path = createHotPath({ url: db.url, connections: 1 });
const tenant = newId();
const offers = Array.from({ length: 200 }, () => ({ id: newId(), creative: newId(), category: newId() }));
const channel = newId();

interface Shown {
  readonly id: string;
  readonly customerId: string;
  readonly customerSeq: number;
  readonly context: null;
  readonly items: readonly (DecidedItem & { readonly score: number })[];
}
const pick = () => offers[Math.floor(Math.random() * offers.length)]!;
const decide = (): Shown => {
  const id = `${newId().slice(0, 34)}00`;
  const items = [1, 2, 3].map((rank) => {
    const offer = pick();
    return {
      id: `${id.slice(0, 34)}0${rank}`,
      rank,
      offerId: offer.id,
      creativeId: offer.creative,
      channelId: channel,
      placementId: null,
      categoryId: offer.category,
      reservedUntil: null,
      score: Math.random(),
    };
  });
  return { id, customerId: `C-${Math.floor(Math.random() * 20_000)}`, customerSeq: 1, context: null, items };
};

function rowPerItem(at: Date, shown: readonly Shown[]): HotStatement[] {
  const rows = shown.flatMap((decision) => decision.items.map((item) => ({ ...item, decision })));
  const ids = (name: 'id' | 'offerId' | 'creativeId' | 'channelId' | 'categoryId') =>
    uuidArray(rows.map((r) => r[name]));
  return [
    {
      name: 'bench.rows',
      text: `insert into interactions (tenant_id, id, customer_id, interaction_type, outcome_key, classification, direction, offer_id,
          creative_id, channel_id, category_id, recommendation_id, rank, occurred_at, created_at)
        select $1, u.id, u.customer_id, 'impression', 'impression', 'neutral', 'outbound', u.offer_id, u.creative_id, u.channel_id,
          u.category_id, u.recommendation_id, u.rank, $2, $2
        from unnest($3::uuid[], $4::text[], $5::uuid[], $6::uuid[], $7::uuid[], $8::uuid[], $9::uuid[], $10::smallint[])
          as u(id, customer_id, offer_id, creative_id, channel_id, category_id, recommendation_id, rank)`,
      values: [
        tenant,
        at,
        ids('id'),
        textArray(rows.map((r) => r.decision.customerId)),
        ids('offerId'),
        ids('creativeId'),
        ids('channelId'),
        ids('categoryId'),
        uuidArray(rows.map((r) => r.decision.id)),
        numberArray(rows.map((r) => r.rank)),
      ],
    },
  ];
}

function eventTexts(at: Date, shown: readonly Shown[]): HotStatement[] {
  const events = shown.map((decision) => ({
    id: newId(),
    type: 'decision.made.v1',
    tenantId: tenant,
    timestamp: at.toISOString(),
    payload: {
      requestId: decision.id,
      recommendationId: decision.id,
      customerId: decision.customerId,
      decisionFlowKey: 'main',
      configVersion: 12,
      channel: 'email',
      placement: null,
      offersReturned: 3,
      items: decision.items.map(({ offerId, rank, score, creativeId, channelId }) => ({
        offerId,
        rank,
        score,
        selectionProbability: 1,
        creativeId,
        channelId,
        impression: true,
      })),
    },
  }));
  const itemIds = uuidArray(shown.flatMap((decision) => decision.items.map((item) => item.id)));
  return [
    {
      name: 'bench.texts',
      text: `insert into texts (tenant_id, events, item_ids, created_at) values ($1, $2, $3, $4)`,
      values: [tenant, JSON.stringify(events), itemIds, at],
    },
  ];
}

function packedEvents(at: Date, shown: readonly Shown[], table = 'outbox'): HotStatement[] {
  const events = createDecisionEvents();
  for (const { id, customerId, items } of shown) {
    events.add({
      id,
      requestId: id,
      customerId,
      decisionFlowKey: 'main',
      configVersion: 12,
      channel: 'email',
      placement: null,
      items: items.map((item) => ({ ...item, selection: { probability: 1 }, effect: 'impress' as const })),
    });
  }
  const packed = events.packed();
  const statement = insertOutbox(tenant, packed.events, packed.lanes, at);
  return table === 'outbox'
    ? [statement]
    : [{ ...statement, name: `bench.${table}`, text: statement.text.replace('outbox', table) }];
}

const forms: readonly (readonly [string, (at: Date, shown: readonly Shown[]) => HotStatement[]])[] = [
  ['nothing', () => [{ name: 'bench.nothing', text: 'select $1::uuid', values: [tenant] }]],
  ['history: a row per item', rowPerItem],
  ['history: a row per decision', (at, shown) => insertShown(tenant, at, shown)],
  ['events: whole texts, ids of items', eventTexts],
  ['events: packed, lanes', packedEvents],
  ['events: packed, lanes, compressed', (at, shown) => packedEvents(at, shown, 'compressed')],
];
await db.ownerQuery(`
  set role arbiter_owner;
  create table arbiter.texts (tenant_id uuid not null, id bigint generated always as identity, events text not null, created_at timestamptz not null,
    item_ids uuid[] not null, position bigint, primary key (tenant_id, id));
  alter table arbiter.texts alter column item_ids set storage external;
  create index on arbiter.texts (tenant_id, id) where position is null;
  create table arbiter.compressed (like arbiter.outbox including all);
  alter table arbiter.compressed alter column events set storage extended;
  select arbiter.protect_table('arbiter.texts'), arbiter.protect_table('arbiter.compressed');
  reset role`);

/** Processor time of the one connection's backend, in us: a tick is 10 ms, so a round must have many. */
const [backend] = await path.run(tenant, (tx) =>
  tx.send([{ name: 'bench.pid', text: 'select pg_backend_pid() as pid', values: [] }]),
);
function cpuUs(): number {
  const text = readFileSync(`/proc/${Number(backend![0]!.pid)}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}
const wal = async (): Promise<number> =>
  Number((await db.ownerQuery<{ n: string }>(`select pg_current_wal_lsn() - '0/0'::pg_lsn as n`))[0]!.n);

const measured = forms.map(() => ({ cpu: [] as number[], wal: [] as number[] }));
for (let round = -1; round < rounds; round++) {
  for (const [i, [, statements]] of forms.entries()) {
    const decided = Array.from({ length: batches }, () => Array.from({ length: perBatch }, decide));
    const before = [cpuUs(), await wal()] as const;
    for (const shown of decided) await path.run(tenant, (tx) => tx.commit(statements(new Date(), shown)));
    const n = batches * perBatch;
    if (round < 0) continue;
    measured[i]!.cpu.push((cpuUs() - before[0]) / n);
    measured[i]!.wal.push(((await wal()) - before[1]) / n);
  }
}
const median = (list: readonly number[]): number => list.toSorted((a, b) => a - b)[list.length >> 1] ?? 0;
console.log(`| form | PostgreSQL, us a decision | WAL bytes a decision |\n|---|---|---|`);
for (const [i, [name]] of forms.entries()) {
  console.log(`| ${name} | ${median(measured[i]!.cpu).toFixed(1)} | ${median(measured[i]!.wal).toFixed(0)} |`);
}
await path.close();
await db.close();
