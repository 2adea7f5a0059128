import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createHotPath, type HotPath, systemActor } from '../../../db/index.ts';
import { createTestDatabase, type TestDatabase } from '../../../db/test-database.ts';
import { newId } from '../../../platform/ids.ts';
import { dayOffsets } from '../../../platform/time/day-offsets.ts';
import { readTenantSummaries } from '../../deciding/interactions/index.ts';
import { retainHistory } from '../../deciding/interactions/old-history/retention.store.ts';
import {
  contact,
  newRandom,
  type Row,
  randomHistory,
  response,
  sorted,
  totalsByHand,
  writeHistory,
} from '../../deciding/interactions/test-history.ts';
import { createDecisionEvents } from './decision-events.ts';
import { insertOutbox, recountTotals } from './outbox.store.ts';
import { createOutboxDispatcher, type OutboxDispatcher } from './outbox.ts';

const zone = 'America/New_York';
/** Ten minutes into a local day: the contacts of the last minutes belong to yesterday and to today. */
const now = Date.parse('2026-11-20T05:10:00Z');

let db: TestDatabase;
let path: HotPath;
before(async () => {
  db = await createTestDatabase();
  path = createHotPath({ url: db.url, connections: 2 });
  for (const table of ['interactions', 'decision_impressions']) {
    await db.ownerQuery(`select arbiter.ensure_month_partitions($1::regclass, '2026-06-01', 8)`, [`arbiter.${table}`]);
  }
});
after(async () => {
  await path.close();
  await db.close();
});

const dispatcher = (zoneOf = async () => zone): OutboxDispatcher =>
  createOutboxDispatcher(db.database, path, { zoneOf, pause: async () => undefined, stopped: () => false });

const ids = { offers: [newId(), newId(), newId()], creatives: [newId(), newId()], channels: [newId()] };

/** Writes history and the rows of the outbox that batches leave with it: reports are named, decisions counted by lane. */
async function write(tenantId: string, rows: readonly Row[]): Promise<void> {
  await writeHistory(db, path, tenantId, rows);
  await db.ownerQuery(
    `insert into arbiter.outbox (tenant_id, events, item_ids, created_at) values ($1, '[]', $2::uuid[], $3)`,
    [tenantId, rows.filter(({ decision }) => decision === null).map((row) => row.id), new Date(now)],
  );
  const decided = rows.filter(({ decision }) => decision !== null);
  for (const [at, ofInstant] of Map.groupBy(decided, (row) => row.at)) {
    const events = createDecisionEvents();
    for (const [id, items] of Map.groupBy(ofInstant, ({ decision }) => decision!)) {
      const { customerId } = items[0]!;
      const facts = {
        requestId: id,
        customerId,
        decisionFlowKey: 'main',
        configVersion: 1,
        channel: null,
        placement: null,
      };
      const shown = { score: 1, selection: { probability: 1 }, effect: 'impress' } as const;
      events.add({
        id,
        ...facts,
        items: items.map(({ offerId, creativeId, channelId }, i) => ({
          ...shown,
          offerId: offerId!,
          creativeId,
          channelId,
          rank: i + 1,
        })),
      });
    }
    const { events: text, lanes } = events.packed();
    await path.run(tenantId, (tx) => tx.commit([insertOutbox(tenantId, text, lanes, new Date(at))]));
  }
}

const totalsOf = (tenantId: string) =>
  db.database.withTenant(tenantId, systemActor('test'), (tx) => readTenantSummaries(tx, '1900-01-01', '2100-01-01'));

test("the tenant's days follow the zone, whatever the age of a report", async () => {
  const tenant = newId();
  const [offerId, other] = ids.offers as [string, string];
  const rows = [
    contact({ offerId, at: now }),
    contact({ offerId, at: now - 20 * 60_000 }),
    contact({ offerId, at: now + 24 * 3_600_000 }),
    response('click', { offerId, at: now - 40 * 86_400_000 }),
    response('convert', { offerId: other, at: 0, id: newId(), isConversion: true, value: 12.5 }),
    contact({ offerId, at: now, type: 'recommendation', outcome: null }),
    contact({ offerId: null, at: now }),
  ];
  await write(tenant, rows);
  assert.equal(await dispatcher().drain(), 1);
  const found = await totalsOf(tenant);
  assert.deepEqual(sorted(found), sorted(totalsByHand(rows, zone)));
  assert.deepEqual(
    found.map((row) => row.day),
    ['1969-12-31', '2026-10-11', '2026-11-19', '2026-11-20', '2026-11-21'],
  );
  const two = await db.database.withTenant(tenant, systemActor('test'), (tx) =>
    readTenantSummaries(tx, '2026-11-19', '2026-11-20', ['offerId']),
  );
  assert.deepEqual(two, [
    { offerId, impressions: 2, positive: 0, negative: 0, neutral: 0, clicks: 0, converts: 0, totalValue: 0 },
  ]);
  const all = await db.database.withTenant(tenant, systemActor('test'), (tx) =>
    readTenantSummaries(tx, '1900-01-01', '2100-01-01', []),
  );
  assert.deepEqual(all, [
    { impressions: 3, positive: 2, negative: 0, neutral: 0, clicks: 1, converts: 1, totalValue: 12.5 },
  ]);
});

test("figures don't depend on slices or order of history, or on recounting", async () => {
  const random = newRandom(20261120);
  const rows = randomHistory(random, ids, now, 700);
  const [inOrder, backwards] = [newId(), newId()];
  for (const [tenant, list] of [
    [inOrder, rows],
    [backwards, [...Map.groupBy(rows, (row) => row.decision ?? row.id).values()].toReversed().flat()],
  ] as const) {
    const wholes = [...Map.groupBy(list, (row) => row.decision ?? row.id).values()];
    while (wholes.length > 0) await write(tenant, wholes.splice(0, 1 + Math.floor(random() * 60)).flat());
  }
  // Two nodes at once: a tenant's rows are taken by one of them.
  await Promise.all([dispatcher().drain(), dispatcher().drain()]);
  await dispatcher().drain();
  const expected = sorted(totalsByHand(rows, zone));
  assert.deepEqual(sorted(await totalsOf(inOrder)), expected);
  assert.deepEqual(sorted(await totalsOf(backwards)), expected);
  const positions = await db.ownerQuery<{ position: number | null }>(
    'select position from arbiter.outbox where tenant_id = $1 order by id',
    [inOrder],
  );
  assert.deepEqual(
    positions.map((row) => row.position),
    positions.map((_row, i) => i + 1),
  );

  // A part of history is compacted, and a batch isn't counted yet.
  const actor = systemActor('test');
  await db.database.withTenant(inOrder, actor, (tx) => retainHistory(tx, 30, zone));
  const late = randomHistory(random, ids, now, 60);
  await write(inOrder, late);
  await db.database.withTenant(inOrder, actor, async (tx) => recountTotals(tx, await dayOffsets(zone)));
  assert.deepEqual(sorted(await totalsOf(inOrder)), expected);
  await dispatcher().drain();
  const whole = sorted(totalsByHand([...rows, ...late], zone));
  assert.deepEqual(sorted(await totalsOf(inOrder)), whole);
  await db.database.withTenant(inOrder, actor, async (tx) => recountTotals(tx, await dayOffsets(zone)));
  assert.deepEqual(sorted(await totalsOf(inOrder)), whole);
  assert.deepEqual(sorted(await totalsOf(backwards)), expected, 'the neighbour');
});

test('after a change of zone, new days follow the new one; recounting converts all', async () => {
  const tenant = newId();
  const [offerId] = ids.offers as [string];
  const rows = [contact({ offerId, at: now }), contact({ offerId, at: now })] as const;
  await write(tenant, [rows[0]]);
  await dispatcher(async () => 'America/Los_Angeles').drain();
  await write(tenant, [rows[1]]);
  await dispatcher(async () => 'Asia/Tokyo').drain();
  const days = async () => (await totalsOf(tenant)).map(({ day, impressions }) => [day, impressions]);
  assert.deepEqual(await days(), [
    ['2026-11-19', 1],
    ['2026-11-20', 1],
  ]);
  await db.database.withTenant(tenant, systemActor('test'), async (tx) =>
    recountTotals(tx, await dayOffsets('Asia/Tokyo')),
  );
  assert.deepEqual(await days(), [['2026-11-20', 2]]);
});

test("a tenant with a backlog doesn't delay others", async () => {
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
    pause: async () => undefined,
    stopped: () => false,
  }).drain();
  assert.equal(rows, 501);
  assert.deepEqual(turns.slice(0, 3), [busy, quiet, busy]);
});

test('finds history rows by key, even in a partition that was never analyzed', async () => {
  const tenant = newId();
  const lookUps = 200;
  const ids = Array.from({ length: 4_000 }, () => newId());
  await db.ownerQuery(
    `insert into arbiter.interactions (tenant_id, id, customer_id, interaction_type, outcome_key, classification, direction,
       offer_id, occurred_at, created_at)
     select $1, u.id, 'C-' || u.n, 'impression', 'impression', 'neutral', 'outbound', $3, $4, $4
     from unnest($2::uuid[]) with ordinality as u(id, n)`,
    [tenant, ids, ids[0], new Date()],
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
