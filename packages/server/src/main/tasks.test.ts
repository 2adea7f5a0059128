import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../db/test-database.ts';
import { newId } from '../platform/ids.ts';
import { tasksOf } from './tasks.ts';

let db: TestDatabase;
before(async () => {
  db = await createTestDatabase();
});
after(() => db.close());

test('stream.expire deletes published rows older than 7 days, of its tenant only', async () => {
  const [tenant, other] = [newId(), newId()];
  for (const id of [tenant, other]) {
    await db.ownerQuery(`insert into arbiter.tenants (id, name) values ($1, 'T')`, [id]);
    await db.ownerQuery(
      `insert into arbiter.outbox (tenant_id, events, created_at, position)
       select $1, '[]', now() - make_interval(days => age), position
         from (select 8 as age, n as position from generate_series(1, 4500) n
               union all values (6, 4501), (0, 4502), (30, null::int)) rows`,
      [id],
    );
  }
  const facts = { jobId: '1', attempt: 1, signal: new AbortController().signal };
  const task = tasksOf(db)['stream.expire']!;
  await task({}, { ...facts, tenantId: tenant });
  const left = async (id: string) =>
    (await db.ownerQuery('select position from arbiter.outbox where tenant_id = $1 order by position', [id])).map(
      (row) => row.position,
    );
  assert.deepEqual(await left(tenant), [4501, 4502, null]);
  assert.equal((await left(other)).length, 4503);
  await assert.rejects(task({}, { ...facts, tenantId: null }), /one tenant/);
});
