import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { systemActor, type Tx } from '../../../../db/index.ts';
import { createTestDatabase, type TestDatabase } from '../../../../db/test-database.ts';
import { firstIdAt, newId } from '../../../../platform/ids.ts';
import { customerNumbers } from '../../customer-states/index.ts';
import { expireReservations } from '../../interactions/reservations.service.ts';
import { expireRequests, expireResponseKeys } from '../key-expiry.store.ts';

const hourMs = 3_600_000;
let db: TestDatabase;
before(async () => {
  db = await createTestDatabase();
});
after(() => db.close());

/** Repeats a step until nothing is left. Returns the number of transactions. */
async function untilDone(tenantId: string, step: (tx: Tx) => Promise<boolean>): Promise<number> {
  for (let turns = 1; ; turns++) if (!(await db.database.withTenant(tenantId, systemActor('test'), step))) return turns;
}

const count = async (table: string, tenantId: string, where = 'true'): Promise<number> =>
  Number(
    (
      await db.ownerQuery<{ n: number }>(
        `select count(*) as n from arbiter.${table} where tenant_id = $1 and ${where}`,
        [tenantId],
      )
    )[0]!.n,
  );

test("deletes keys of responses after 7 days, in slices, and no other tenant's", async () => {
  const [tenant, other] = [newId(), newId()];
  for (const id of [tenant, other]) {
    await db.ownerQuery(
      `insert into arbiter.response_keys (tenant_id, key_hash, payload_hash, customer_id, answer, created_at)
       select $1, sha256(convert_to(age || '-' || n, 'UTF8')), '', 'C-1', '{}', now() - make_interval(hours => age)
       from (select 170 as age, n from generate_series(1, 1500) n union all select 168, 0 union all select 0, 0) rows`,
      [id],
    );
  }
  assert.equal(await untilDone(tenant, expireResponseKeys), 2);
  assert.equal(await count('response_keys', tenant), 2, 'younger than 7 days and an hour');
  assert.equal(await count('response_keys', other), 1502);
});

test('the response stored for a requestId lives as long as its sealed record', async () => {
  const [tenant, other] = [newId(), newId()];
  const kept = newId();
  await db.ownerQuery(
    `insert into arbiter.decisions (tenant_id, id, customer_ref, source, decided_at, flow_id, plan_hash, config_version,
       evidence_number, engine_version, item_count, result_hash, body)
     values ($1, $2, $2, 'recommend', now(), $2, '', 1, 0, '1', 0, '', '')`,
    [tenant, kept],
  );
  const insert = (tenantId: string, decisionId: string, ageDays: number) =>
    db.ownerQuery(
      `insert into arbiter.decision_requests (tenant_id, request_id, decision_id, customer_ref, payload_hash, answer, created_at)
       values ($1, $2, $3, $3, '', '', now() - make_interval(days => $4))`,
      [tenantId, newId(), decisionId, ageDays],
    );
  // Whatever its age: a record kept for ten years keeps its requestId.
  await insert(tenant, kept, 3_650);
  for (let i = 0; i < 3; i++) await insert(tenant, newId(), 400 - i);
  await insert(other, newId(), 400);
  assert.equal(await untilDone(tenant, expireRequests), 1);
  const left = await db.ownerQuery<{ decision_id: string }>(
    'select decision_id from arbiter.decision_requests where tenant_id = $1',
    [tenant],
  );
  assert.deepEqual(
    left.map((row) => row.decision_id),
    [kept],
  );
  assert.equal(await count('decision_requests', other), 1);
});

test('marks expired reservations in slices, but not one that is being confirmed', async () => {
  const [tenant, other] = [newId(), newId()];
  const now = Date.now();
  for (const id of [tenant, other]) {
    await db.ownerQuery(
      `insert into arbiter.interactions (tenant_id, id, customer_id, interaction_type, classification, direction, occurred_at,
         created_at, reservation_state, reservation_expires_at)
       select $1, u.id, 'C-1', 'recommendation', 'neutral', 'outbound', $3, $3, 'open', $4 from unnest($2::uuid[]) as u(id)`,
      [
        id,
        Array.from({ length: 600 }, () => firstIdAt(now - hourMs).slice(0, 14) + randomSuffix()),
        new Date(now - hourMs),
        new Date(now - 1_000),
      ],
    );
    await db.ownerQuery(
      `insert into arbiter.interactions (tenant_id, id, customer_id, interaction_type, classification, direction, occurred_at,
         created_at, reservation_state, reservation_expires_at)
       values ($1, $2, 'C-1', 'recommendation', 'neutral', 'outbound', $3, $3, 'open', $4)`,
      [id, newId(), new Date(now), new Date(now + hourMs)],
    );
  }
  const sweep = (tx: Tx) => expireReservations(tx, customerNumbers, 2 * 24 * hourMs);
  const [held] = await db.ownerQuery<{ id: string }>(
    `select id from arbiter.interactions where tenant_id = $1 and reservation_expires_at <= $2 order by id limit 1`,
    [tenant, new Date(now)],
  );
  await db.database.withTenant(tenant, systemActor('test'), async (tx) => {
    await tx.query(`update interactions set reservation_state = 'confirmed' where tenant_id = $1 and id = $2`, [
      tenant,
      held!.id,
    ]);
    assert.equal(await untilDone(tenant, sweep), 2);
  });
  assert.equal(await count('interactions', tenant, `reservation_state = 'expired'`), 599);
  assert.equal(await count('interactions', tenant, `reservation_state = 'confirmed'`), 1);
  assert.equal(await count('interactions', tenant, `reservation_state = 'open'`), 1);
  assert.equal(await count('interactions', other, `reservation_state = 'open'`), 601);
});

/** The random part of a UUID behind its version digit. */
const randomSuffix = (): string => {
  const hex = randomBytes(10).toString('hex');
  return `7${hex.slice(0, 3)}-8${hex.slice(3, 6)}-${hex.slice(6, 18)}`;
};
