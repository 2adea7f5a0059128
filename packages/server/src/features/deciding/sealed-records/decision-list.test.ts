import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { systemActor } from '../../../db/index.ts';
import { createTestDatabase, type TestDatabase } from '../../../db/test-database.ts';
import { newId } from '../../../platform/ids.ts';
import type { DecisionFilter } from './decision-filter.ts';
import { decisionsPage } from './decision-list.store.ts';

let db: TestDatabase;
before(async () => {
  db = await createTestDatabase();
});
after(() => db?.close());

const nothing: DecisionFilter = {
  customerId: null,
  flowIds: null,
  version: null,
  channelId: null,
  offerId: null,
  source: null,
  emptyCode: null,
  explored: null,
  from: null,
  to: null,
};

/** How the database answers the page, where reading and sorting the whole table is no choice. */
const planOf = (filter: Partial<DecisionFilter>, after: string | null = null): Promise<string> =>
  db.database.withTenant(newId(), systemActor('test'), async (tx) => {
    for (const way of ['seqscan', 'bitmapscan', 'sort']) await tx.query(`set local enable_${way} = off`);
    const { rest, values } = decisionsPage(tx, { ...nothing, ...filter }, after, 50);
    const lines = await tx.query<Record<string, string>>(`explain select d.id ${rest}`, values);
    return lines.map((line) => line['QUERY PLAN']).join('\n');
  });

test('the usual filters read the newest rows from an index, in order', async () => {
  const cases: [Partial<DecisionFilter>, RegExp][] = [
    [{}, /_pkey on decisions_/],
    [{ from: new Date(Date.now() - 3_600_000), to: new Date() }, /_pkey on decisions_/],
    [{ source: 'recommend', version: 1, channelId: newId(), offerId: newId() }, /_pkey on decisions_/],
    [{ customerId: 'C' }, /tenant_id_customer_ref_id_idx/],
    [{ flowIds: [newId()] }, /tenant_id_flow_id_id_idx/],
    [{ emptyCode: 1 }, /tenant_id_empty_code_id_idx/],
    [{ explored: true }, /tenant_id_id_idx/],
  ];
  for (const [filter, index] of cases) {
    for (const after of [null, newId()]) {
      const plan = await planOf(filter, after);
      assert.match(plan, index, JSON.stringify(filter));
      assert.doesNotMatch(plan, /Sort|Seq Scan on decisions_y/, JSON.stringify(filter));
    }
  }
});
