import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createHotPath, type HotPath } from '../../db/index.ts';
import { createTestDatabase, type TestDatabase } from '../../db/test-database.ts';
import { newId } from '../../platform/ids.ts';
import { zoneClock } from '../../platform/zones.ts';
import { createOutboxDispatcher, type OutboxDispatcher } from './outbox.ts';

const zone = 'America/New_York';
/** Ten minutes into a local day: the contacts of the last minutes belong to yesterday and to today. */
const now = Date.parse('2026-11-20T05:10:00Z');

let db: TestDatabase;
let path: HotPath;
before(async () => {
  db = await createTestDatabase();
  path = createHotPath({ url: db.url, connections: 2 });
});
after(async () => {
  await path.close();
  await db.close();
});

const dispatcher = (): OutboxDispatcher =>
  createOutboxDispatcher(db.database, path, {
    zoneOf: async () => zone,
    zoneClock,
    now: () => now,
    pause: async () => undefined,
    stopped: () => false,
  });

interface Row {
  readonly id: string;
  readonly customerId: string;
  readonly type: 'recommendation' | 'impression' | 'response';
  readonly outcome: string | null;
  readonly classification: 'positive' | 'negative' | 'neutral';
  readonly direction: 'inbound' | 'outbound';
  readonly isConversion: boolean;
  readonly offerId: string | null;
  readonly creativeId: string | null;
  readonly channelId: string | null;
  readonly value: number | null;
  readonly at: number;
}

const contact = (change: Partial<Row> = {}): Row => ({
  id: newId(),
  customerId: 'C-1',
  type: 'impression',
  outcome: 'impression',
  classification: 'neutral',
  direction: 'outbound',
  isConversion: false,
  offerId: offers[0]!,
  creativeId: null,
  channelId: null,
  value: null,
  at: now,
  ...change,
});
const response = (outcome: string, change: Partial<Row> = {}): Row =>
  contact({ type: 'response', outcome, classification: 'positive', direction: 'inbound', ...change });

const offers = [newId(), newId(), newId()];

/** Writes history rows and one outbox row that names them, as a batch does. */
async function write(tenantId: string, rows: readonly Row[]): Promise<void> {
  for (const row of rows) {
    await db.ownerQuery(
      `insert into arbiter.interactions (tenant_id, id, customer_id, interaction_type, outcome_key, classification, direction,
         is_conversion, offer_id, creative_id, channel_id, conversion_value, occurred_at, created_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $13)`,
      [
        tenantId,
        row.id,
        row.customerId,
        row.type,
        row.outcome,
        row.classification,
        row.direction,
        row.isConversion,
        row.offerId,
        row.creativeId,
        row.channelId,
        row.value,
        new Date(row.at),
      ],
    );
  }
  await db.ownerQuery(
    `insert into arbiter.outbox (tenant_id, events, item_ids, created_at) values ($1, '[]', $2::uuid[], $3)`,
    [tenantId, rows.map((row) => row.id), new Date(now)],
  );
}

const summariesOf = (tenantId: string) =>
  db.ownerQuery<Record<string, unknown>>(
    `select customer_id, day::text, offer_id, creative_id, channel_id, direction, impressions, positive, negative, neutral,
       converts, total_value::float8, last_contact_at, last_outcome_key, last_outcome_at
     from arbiter.interaction_summaries where tenant_id = $1
     order by customer_id, day, offer_id, creative_id nulls first, channel_id nulls first, direction`,
    [tenantId],
  );

/** The same by hand. */
function folded(rows: readonly Row[]): Record<string, unknown>[] {
  const key = (row: Row): string =>
    [
      row.customerId,
      zoneClock(zone, row.at).date,
      row.offerId,
      row.creativeId ?? '',
      row.channelId ?? '',
      row.direction,
    ].join();
  const counted = rows.filter((row) => row.type !== 'recommendation' && row.offerId !== null);
  return [...Map.groupBy(counted, key)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, group]) => {
      const first = group[0]!;
      const contacts = group.filter((row) => row.type === 'impression');
      const responses = group.filter((row) => row.type === 'response');
      const latest = responses.reduce<Row | null>(
        (best, row) =>
          best === null || row.at > best.at || (row.at === best.at && row.outcome! > best.outcome!) ? row : best,
        null,
      );
      const count = (classification: string): number =>
        responses.filter((row) => row.classification === classification).length;
      return {
        customer_id: first.customerId,
        day: zoneClock(zone, first.at).date,
        offer_id: first.offerId,
        creative_id: first.creativeId,
        channel_id: first.channelId,
        direction: first.direction,
        impressions: contacts.length,
        positive: count('positive'),
        negative: count('negative'),
        neutral: count('neutral'),
        converts: responses.filter((row) => row.isConversion).length,
        total_value: responses.reduce((sum, row) => sum + (row.value ?? 0), 0),
        last_contact_at: contacts.length === 0 ? null : new Date(Math.max(...contacts.map((row) => row.at))),
        last_outcome_key: latest?.outcome ?? null,
        last_outcome_at: latest === null ? null : new Date(latest.at),
      };
    });
}

test("days are the zone's, whatever the age of what is reported", async () => {
  const tenant = newId();
  const rows = [
    contact(),
    contact({ at: now - 20 * 60_000 }),
    contact({ at: now + 24 * 3_600_000 }),
    response('click', { at: now - 40 * 86_400_000 }),
    response('convert', { at: 0, isConversion: true, value: 12.5 }),
    contact({ type: 'recommendation', outcome: null }),
    contact({ offerId: null }),
  ];
  await write(tenant, rows);
  assert.equal(await dispatcher().drain(), 1);
  const found = await summariesOf(tenant);
  assert.deepEqual(found, folded(rows));
  assert.deepEqual(
    found.map((row) => row.day),
    ['1969-12-31', '2026-10-11', '2026-11-19', '2026-11-20', '2026-11-21'],
  );
});

test('summaries are the same however history is cut, and whatever comes first', async () => {
  const random = newRandom(20261120);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const creatives = [null, newId(), newId()];
  const channels = [null, newId()];
  const rows = Array.from({ length: 1_500 }, () => {
    const where = {
      customerId: pick(['C-1', 'C-2', 'c"2,{}\\', 'Zoë']),
      offerId: pick(offers),
      creativeId: pick(creatives),
      channelId: pick(channels),
      at: now - Math.floor(random() * 5) * 300_000 - pick([0, 0, 0, 9 * 86_400_000]),
    };
    if (random() < 0.5) return contact(where);
    return response(pick(['click', 'dismiss', 'accept']), {
      ...where,
      classification: pick(['positive', 'negative', 'neutral']),
      direction: pick(['inbound', 'outbound']),
      isConversion: random() < 0.3,
      value: random() < 0.5 ? Math.floor(random() * 100) / 4 : null,
    });
  });
  const [inOrder, backwards] = [newId(), newId()];
  for (const [tenant, list] of [
    [inOrder, rows],
    [backwards, rows.toReversed()],
  ] as const) {
    let at = 0;
    while (at < list.length) {
      const size = 1 + Math.floor(random() * 60);
      await write(
        tenant,
        list.slice(at, at + size).map((row) => ({ ...row, id: newId() })),
      );
      at += size;
    }
  }
  // Two nodes at once: a tenant's rows are taken by one of them.
  await Promise.all([dispatcher().drain(), dispatcher().drain()]);
  await dispatcher().drain();
  const expected = folded(rows);
  assert.deepEqual(await summariesOf(inOrder), expected);
  assert.deepEqual(await summariesOf(backwards), expected);
  const positions = await db.ownerQuery<{ position: number | null }>(
    'select position from arbiter.outbox where tenant_id = $1 order by id',
    [inOrder],
  );
  assert.deepEqual(
    positions.map((row) => row.position),
    positions.map((_row, i) => i + 1),
  );
});

test('a tenant with a backlog keeps no other waiting', async () => {
  const [busy, quiet] = [newId(), newId()];
  await db.ownerQuery(
    `insert into arbiter.outbox (tenant_id, events, created_at) select $1, '[]', now() from generate_series(1, 500)`,
    [busy],
  );
  await db.ownerQuery(`insert into arbiter.outbox (tenant_id, events, created_at) values ($1, '[]', now())`, [quiet]);
  const turns: string[] = [];
  const rows = await createOutboxDispatcher(db.database, path, {
    zoneOf: async (tenantId) => {
      turns.push(tenantId);
      return zone;
    },
    zoneClock,
    now: () => now,
    pause: async () => undefined,
    stopped: () => false,
  }).drain();
  assert.equal(rows, 501);
  assert.deepEqual(turns.slice(0, 3), [busy, quiet, busy]);
});

test('history rows are looked up by key, also in a partition that was never analysed', async () => {
  const tenant = newId();
  const lookUps = 200;
  const ids = Array.from({ length: 4_000 }, () => newId());
  await db.ownerQuery(
    `insert into arbiter.interactions (tenant_id, id, customer_id, interaction_type, outcome_key, classification, direction,
       offer_id, occurred_at, created_at)
     select $1, u.id, 'C-' || u.n, 'impression', 'impression', 'neutral', 'outbound', $3, $4, $4
     from unnest($2::uuid[]) with ordinality as u(id, n)`,
    [tenant, ids, offers[0], new Date(now)],
  );
  const scans = async () => {
    const [row] = await db.ownerQuery<{ scans: number; rows: number }>(
      `select coalesce(sum(idx_scan), 0)::int as scans, coalesce(sum(idx_tup_read), 0)::int as rows
       from pg_stat_user_indexes where schemaname = 'arbiter' and relname like 'interactions%'`,
    );
    return row!;
  };
  await sleep(1_500);
  const before = await scans();
  await db.ownerQuery(
    `insert into arbiter.outbox (tenant_id, events, item_ids, created_at) values ($1, '[]', $2::uuid[], now())`,
    [tenant, ids.slice(0, lookUps)],
  );
  await dispatcher().drain();
  // The server's processes report what they did now and then.
  const until = performance.now() + 20_000;
  let used = before;
  while (used.scans - before.scans < lookUps && performance.now() < until) {
    await sleep(200);
    used = await scans();
  }
  const rows = used.rows - before.rows;
  assert.ok(used.scans - before.scans >= lookUps, 'no look-up by key for each row');
  // What the tests before read may be reported late; the whole partition would be 4,000 rows for each.
  assert.ok(rows <= 100 * lookUps, `${rows} rows read for ${lookUps}`);
});

/** Numbers in [0,1) that every run draws alike. */
function newRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
