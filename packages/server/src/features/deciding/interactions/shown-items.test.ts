import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createHotPath, type HotPath, systemActor, type Tx } from '../../../db/index.ts';
import { createTestDatabase, type TestDatabase } from '../../../db/test-database.ts';
import { firstIdAt, newId } from '../../../platform/ids.ts';
import { contactsSince } from './interactions.store.ts';
import { expireReservations, type SettlementNumbers } from './reservations.service.ts';
import { settleReservations } from './reservations.store.ts';
import { type DecidedItem, insertShown } from './shown-decisions.store.ts';
import { findShownItem, readShown } from './shown-items.store.ts';
import { itemIdOf } from './test-history.ts';

let db: TestDatabase;
let path: HotPath;
before(async () => {
  db = await createTestDatabase();
  path = createHotPath({ url: db.url, connections: 1 });
});
after(async () => {
  await path.close();
  await db.close();
});

const within = <T>(tenantId: string, work: (tx: Tx) => Promise<T>): Promise<T> =>
  db.database.withTenant(tenantId, systemActor('test'), work);
const ids = Array.from({ length: 6 }, () => newId()) as [string, string, string, string, string, string];
const [a, b, c, d, e, f] = ids;
const at = new Date();
const soon = new Date(at.getTime() + 3_600_000);

const shownBy = async (tx: Tx, id: string) =>
  (await readShown(tx, { itemIds: [], decisionIds: [id] })).byDecision.get(id) ?? [];

const decisionId = () => `${newId().slice(0, 34)}00`;
const itemsOf = (
  id: string,
  items: readonly Partial<DecidedItem>[],
  ranks = items.map((_, i) => i + 1),
): DecidedItem[] =>
  items.map((item, i) => ({
    id: itemIdOf(id, ranks[i]!),
    rank: ranks[i]!,
    offerId: a,
    creativeId: null,
    channelId: null,
    placementId: null,
    categoryId: null,
    reservedUntil: null,
    ...item,
  }));

test('a batch stores one row per decision, which is read item by item', async () => {
  const [tenant, other] = [newId(), newId()];
  const decisions = [
    // One channel and no placement for all; creatives and categories differ or are missing.
    [
      { creativeId: b, channelId: e, categoryId: c },
      { offerId: b, creativeId: null, channelId: e },
      { offerId: c, creativeId: d, channelId: e, categoryId: c },
    ],
    // Only offers.
    [{}, { offerId: b }],
    // Some are reserved: the ranks of the others have gaps.
    [
      { channelId: f, reservedUntil: soon, creativeId: d },
      { offerId: b, channelId: e, placementId: f },
      { offerId: c, channelId: f, reservedUntil: soon },
      { offerId: d, channelId: e },
    ],
    // All are.
    [{ channelId: f, reservedUntil: soon, placementId: c }],
    [],
    [{ creativeId: b, channelId: c, placementId: d, categoryId: e }],
  ].map((items, i) => {
    const id = decisionId();
    const context = i === 0 ? `{"page":"a \\"quoted\\", one"}` : null;
    const customerId = i === 0 ? 'c"2,{}\\' : `C-${i}`;
    const experiments = i % 2 === 0 ? [{ id: b, key: 'x', variant: `v "${i}"`, share: 0.1 * i }] : null;
    return { id, customerSeq: i, customerId, context, experiments, items: itemsOf(id, items) };
  });
  await path.run(tenant, (tx) => tx.commit(insertShown(tenant, at, decisions)));
  const [stored] = await db.ownerQuery<{ packed: number; rows: number }>(
    `select (select count(*) from arbiter.decision_impressions where tenant_id = $1)::int as packed,
       (select count(*) from arbiter.interactions where tenant_id = $1)::int as rows`,
    [tenant],
  );
  assert.deepEqual(stored, { packed: 4, rows: 3 });
  for (const { id, customerId, experiments, items } of decisions) {
    const expected = items.map(({ reservedUntil, ...item }) => ({
      ...item,
      customerId,
      interactionType: reservedUntil === null ? 'impression' : 'recommendation',
      recommendationId: id,
      campaignId: null,
      experiments,
      reservationState: reservedUntil === null ? null : 'open',
      reservationExpiresAt: reservedUntil,
    }));
    const sortKeys = (row: object) => Object.fromEntries(Object.entries(row).sort());
    const found = await within(tenant, (tx) => shownBy(tx, id));
    assert.deepEqual(found.map(sortKeys), expected.map(sortKeys));
    const viewed = await db.ownerQuery<Record<string, unknown>>(
      `select ${viewColumns} from arbiter.interaction_history where tenant_id = $1 and recommendation_id = $2 order by rank`,
      [tenant, id],
    );
    assert.deepEqual(viewed.map(sortKeys), expected.map(sortKeys), 'the view says the same');
    for (const item of found) {
      assert.deepEqual(await within(tenant, (tx) => findShownItem(tx, item.id)), item);
      assert.equal(await within(other, (tx) => findShownItem(tx, item.id)), null);
    }
    assert.equal(await within(tenant, (tx) => findShownItem(tx, id)), null, 'a decision is no item');
    assert.equal(await within(tenant, (tx) => findShownItem(tx, itemIdOf(id, 9))), null);
    assert.deepEqual(await within(other, (tx) => shownBy(tx, id)), []);
  }
  const [page] = await db.ownerQuery<{ context: object; created: boolean }>(
    `select context, created_at = occurred_at and occurred_at = $2 as created from arbiter.interaction_history
     where tenant_id = $1 and context is not null limit 1`,
    [tenant, at],
  );
  assert.deepEqual(page, { context: { page: 'a "quoted", one' }, created: true });
  const contacts = await path.run(tenant, async (tx) => {
    const [rows] = await tx.send([
      contactsSince(tenant, 'C-2', new Date(at.getTime() - 1), firstIdAt(at.getTime() - 1_000)),
    ]);
    return rows!.map((row) => [row.offer_id, row.channel_id]);
  });
  assert.deepEqual(
    contacts,
    [
      [b, e],
      [d, e],
    ],
    'reservations are no contacts',
  );
});

const viewColumns = `id, customer_id as "customerId", interaction_type as "interactionType", offer_id as "offerId",
  creative_id as "creativeId", channel_id as "channelId", placement_id as "placementId", category_id as "categoryId",
  recommendation_id as "recommendationId", rank, campaign_id as "campaignId", reservation_state as "reservationState",
  reservation_expires_at as "reservationExpiresAt", experiments`;

test('finds items and contacts by key, whatever the planner assumes', async () => {
  const tenant = newId();
  const decisions = Array.from({ length: 3_000 }, (_, i) => {
    const id = decisionId();
    return {
      id,
      customerSeq: 1,
      customerId: `C-${i}`,
      context: null,
      items: itemsOf(id, [{}, { offerId: b }, { offerId: c }]),
    };
  });
  await path.run(tenant, (tx) => tx.commit(insertShown(tenant, at, decisions)));
  const plans = await within(tenant, async (tx) => {
    const [one] = decisions;
    const first = firstIdAt(at.getTime() - 86_400_000);
    const texts = [
      `row_id in ('${one!.id}', '${itemIdOf(one!.id, 2)}') and id = '${itemIdOf(one!.id, 2)}'`,
      `row_id between '${one!.id}' and '${itemIdOf(one!.id, 255)}' and recommendation_id = '${one!.id}'`,
      `customer_id = 'C-7' and row_id >= '${first}' and interaction_type = 'impression'`,
    ];
    const lines: string[] = [];
    for (const text of texts) {
      const plan = await tx.query<Record<string, string>>(
        `explain select * from interaction_history where tenant_id = '${tenant}' and ${text}`,
      );
      lines.push(...plan.map((row) => row['QUERY PLAN']!));
    }
    return lines.join('\n');
  });
  assert.doesNotMatch(plans, /Seq Scan/);
  assert.match(plans, /decision_impressions_y\d+m\d+_tenant_id_customer_id_id_idx/);
});

/** Customers without a row, whose settlements have no number. */
const ofErased: SettlementNumbers = {
  lock: async (_tx, ids) => ({ numbers: new Map(), unknown: new Set(ids) }),
  save: async () => undefined,
};

test('the first settlement of a reservation stays', async () => {
  const tenant = newId();
  const id = decisionId();
  const past = new Date(at.getTime() - 60_000);
  const items = itemsOf(id, [{ reservedUntil: soon }, { reservedUntil: past }, { reservedUntil: soon }]);
  await path.run(tenant, (tx) =>
    tx.commit(insertShown(tenant, at, [{ id, customerSeq: 1, customerId: 'C-1', context: null, items }])),
  );
  const settled = async () =>
    (
      await db.ownerQuery<{ state: string; by: string | null; told: boolean }>(
        `select reservation_state as state, reservation_settled_by as by, reservation_settled_at is not null as told
         from arbiter.interactions where tenant_id = $1 order by id`,
        [tenant],
      )
    ).map(({ state, by, told }) => [state, by, told]);
  assert.deepEqual(await settled(), [
    ['open', null, false],
    ['open', null, false],
    ['open', null, false],
  ]);
  await within(tenant, (tx) =>
    settleReservations(tx, new Map([[items[0]!.id, { state: 'released', by: 'not_presented', customerSeq: 2 }]])),
  );
  await within(tenant, (tx) => expireReservations(tx, ofErased, 2 * 86_400_000));
  const first = [
    ['released', 'not_presented', true],
    ['expired', 'sweep', true],
    ['open', null, false],
  ];
  assert.deepEqual(await settled(), first);
  for (const item of items.slice(0, 2))
    await within(tenant, (tx) =>
      settleReservations(tx, new Map([[item.id, { state: 'confirmed', by: 'impression', customerSeq: 9 }]])),
    );
  assert.deepEqual(await settled(), [
    ['confirmed', 'not_presented', true],
    ['confirmed', 'sweep', true],
    ['open', null, false],
  ]);
});
