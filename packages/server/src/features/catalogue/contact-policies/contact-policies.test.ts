import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Actor, Tx } from '../../../db/index.ts';
import { systemActor } from '../../../db/index.ts';
import { createTestDatabase, type TestDatabase } from '../../../db/test-database.ts';
import { newId } from '../../../platform/ids.ts';
import { recordCalls } from '../catalogue-records/test-record-calls.ts';
import { contactPolicyRoutes } from './contact-policies.routes.ts';
import { deleteContactPolicy } from './contact-policies.service.ts';
import { snapshotPolicies } from './contact-policies.store.ts';

const {
  create: createContactPolicy,
  update: updateContactPolicy,
  read: readContactPolicy,
  list: listContactPolicies,
} = recordCalls(contactPolicyRoutes({ referrers: { flowsNaming: async () => [] } }));

const admin: Actor = { id: 'apikey:1', name: 'admin', role: 'admin' };

let db: TestDatabase;
before(async () => {
  db = await createTestDatabase();
});
after(() => db.close());

async function makeTenant(): Promise<string> {
  const id = newId();
  await db.database.withTenant(id, systemActor('test'), (tx) =>
    tx.query('insert into arbiter.tenants (id, name) values ($1, $2)', [id, 'T']),
  );
  return id;
}
const as = <T>(tenantId: string, work: (tx: Tx) => Promise<T>) => db.database.withTenant(tenantId, admin, work);
const plantOffer = async (tenantId: string) => {
  const id = newId();
  await db.ownerQuery(
    'insert into arbiter.offers (tenant_id, id, name, version, created_at, updated_at) values ($1, $2, $3, 1, now(), now())',
    [tenantId, id, id],
  );
  return id;
};
type NewPolicy = Parameters<typeof createContactPolicy>[1];
const cap: Pick<NewPolicy, 'ruleType' | 'config'> = { ruleType: 'frequency_cap', config: { maxPerDay: 3 } };

describe('contact policies', () => {
  it('have defaults, and show their assignments both ways', async () => {
    const tenantId = await makeTenant();
    const offerId = await plantOffer(tenantId);
    const policy = await as(tenantId, (tx) => createContactPolicy(tx, { name: 'Cap', ...cap, scopeId: offerId }));
    const { id, scopes, createdAt, updatedAt, ...rest } = policy;
    assert.deepEqual(rest, {
      tenantId,
      name: 'Cap',
      description: '',
      status: 'active',
      scope: 'offer',
      scopeId: offerId,
      ruleType: 'frequency_cap',
      config: { maxPerDay: 3 },
      priority: 50,
      version: 1,
      rowVersion: 1,
      deletedAt: null,
    });
    assert.deepEqual(
      scopes.map((row) => [row.contactPolicyId, row.scope, row.scopeId]),
      [[id, 'offer', offerId]],
    );
    assert.equal(createdAt, updatedAt);
    const global = await as(tenantId, (tx) => updateContactPolicy(tx, { id, scope: 'global', rowVersion: 1 }));
    assert.deepEqual([global.scope, global.scopeId, global.rowVersion], ['global', null, 2]);
    const both = await as(tenantId, (tx) =>
      updateContactPolicy(tx, { id, scopes: [{ scope: 'global' }, { scope: 'offer', scopeId: offerId }] }),
    );
    assert.equal(both.scopes[0]?.id, global.scopes[0]?.id, 'an assignment that stays keeps its id');
    assert.deepEqual(await as(tenantId, (tx) => readContactPolicy(tx, id)), both);
    assert.deepEqual(
      (await as(tenantId, (tx) => snapshotPolicies(tx))).map(({ scopes: s, createdAt: c }) => [s, c]),
      [
        [
          [
            { scope: 'global', scopeId: null },
            { scope: 'offer', scopeId: offerId },
          ],
          Date.parse(both.createdAt),
        ],
      ],
    );
  });

  it("reject invalid configs (8.4), unknown targets and types that don't exist", async () => {
    const tenantId = await makeTenant();
    const foreign = await plantOffer(await makeTenant());
    const create = (body: Partial<NewPolicy>) =>
      as(tenantId, (tx) => createContactPolicy(tx, { name: newId(), scope: 'global', ...cap, ...body }));
    const bad: (Omit<Partial<NewPolicy>, 'config'> & { readonly config?: Record<string, unknown> })[] = [
      { config: { maxPerDay: -1 } },
      { config: { maxPerDay: '3' } },
      { config: { windows: [{ max: 1 }] } },
      { config: { per: 'planet' } },
      { config: { bypassable: 'no' } },
      { ruleType: 'cooldown', config: {} },
      { ruleType: 'cooldown', config: { cooldownHours: 87_601 } },
      { ruleType: 'budget_exhausted', config: { budgetField: 'money', threshold: 1 } },
      { scope: 'offer' },
      { scope: 'channel', scopeId: null },
    ];
    for (const body of bad) await assert.rejects(create(body), { code: 'validation_failed' }, JSON.stringify(body));
    for (const scopeId of [newId(), foreign]) {
      await assert.rejects(create({ scope: 'offer', scopeId }), { code: 'reference_not_found' });
      await assert.rejects(create({ scopes: [{ scope: 'global' }, { scope: 'offer', scopeId }] }), {
        code: 'reference_not_found',
        errors: [{ path: '/scopes/1/scopeId', message: 'must be the ID of an existing offer' }],
      });
    }
    const good: Partial<NewPolicy>[] = [
      { config: {} },
      { config: { maxPerDay: 0, unknown: 'kept' } },
      { ruleType: 'cooldown', config: { cooldownHours: 24, per: 'offer' } },
      { ruleType: 'do_not_contact', config: { dncSource: 'list' } },
      { ruleType: 'allow_override', config: {} },
      { ruleType: 'time_window', config: { startHour: 22, endHour: 6, daysOfWeek: [6], timezone: 'Asia/Tokyo' } },
      { ruleType: 'time_window', config: { startHour: 24, endHour: 0, zonePath: 'customer.tz' } },
      { ruleType: 'mutual_exclusion', config: { excludeOfferIds: [newId()], lookbackDays: 0 } },
      { ruleType: 'cross_channel_cap', config: { maxTotal: 0, windows: [{ max: 1, days: 365 }] } },
      { ruleType: 'customer_total_cap', config: { maxTotal: 1_000_000, periodType: 'alltime' } },
      { ruleType: 'offer_category_cap', config: { targetCategory: 'Cards', maxTotal: 2, filterByCategory: true } },
    ];
    for (const body of good) await create(body);
    const upper = newId().toUpperCase();
    const { config } = await create({ ruleType: 'mutual_exclusion', config: { excludeOfferIds: [upper] } });
    assert.deepEqual(config, { excludeOfferIds: [upper.toLowerCase()] }, 'ids are compared as text by decisions');
    const condition = { all: [{ field: 'customer.age', operator: '<', value: 18 }] };
    assert.deepEqual((await create({ ruleType: 'do_not_contact', config: { condition } })).config, {
      condition: { logic: 'and', conditions: [{ field: 'customer.age', operator: 'lt', value: 18 }] },
    });
    const policy = await create({ config: { maxPerDay: 1 } });
    await assert.rejects(
      as(tenantId, (tx) => updateContactPolicy(tx, { id: policy.id, ruleType: 'cooldown' })),
      {
        code: 'validation_failed',
      },
    );
    const renamed = await as(tenantId, (tx) =>
      updateContactPolicy(tx, { id: policy.id, ruleType: 'cooldown', config: { cooldownHours: 1 } }),
    );
    assert.equal(renamed.ruleType, 'cooldown');
  });

  it('list by priority, then newest, through changing cursors (E15)', async () => {
    const tenantId = await makeTenant();
    const made: { id: string; priority: number }[] = [];
    for (const priority of [50, 80, 50, 10, 80]) {
      const body = { name: newId(), scope: 'global' as const, ...cap, priority };
      made.push(await as(tenantId, (tx) => createContactPolicy(tx, body)));
    }
    const expected = made.toSorted((a, b) => b.priority - a.priority || (a.id < b.id ? 1 : -1)).map((row) => row.id);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await as(tenantId, (tx) =>
        listContactPolicies(tx, { limit: 2, ...(cursor === undefined ? {} : { cursor }) }),
      );
      assert.equal(page.pagination.total, 5);
      assert.equal(page.pagination.cursor, page.pagination.nextCursor);
      seen.push(...page.data.map((row) => row.id));
      cursor = page.pagination.nextCursor ?? undefined;
    } while (cursor !== undefined);
    assert.deepEqual(seen, expected);
    const first = await as(tenantId, (tx) => listContactPolicies(tx, { limit: 2 }));
    const stranger = await makeTenant();
    for (const bad of ['garbage', newId(), 'e30', first.pagination.nextCursor ?? '']) {
      const where = bad === first.pagination.nextCursor ? stranger : tenantId;
      await assert.rejects(
        as(where, (tx) => listContactPolicies(tx, { cursor: bad })),
        { code: 'invalid_cursor' },
      );
    }
  });

  it('filter by one assignment', async () => {
    const tenantId = await makeTenant();
    const [a, b] = [await plantOffer(tenantId), await plantOffer(tenantId)];
    const policy = await as(tenantId, (tx) =>
      createContactPolicy(tx, { name: 'x', ...cap, scopes: [{ scope: 'offer', scopeId: a }, { scope: 'global' }] }),
    );
    const count = async (filters: Parameters<typeof listContactPolicies>[1]) =>
      (await as(tenantId, (tx) => listContactPolicies(tx, filters))).data.map((row) => row.id);
    assert.deepEqual(await count({ scope: 'offer', scopeId: a }), [policy.id]);
    assert.deepEqual(await count({ scopeId: a }), [policy.id]);
    assert.deepEqual(await count({ scope: 'global' }), [policy.id]);
    assert.deepEqual(await count({ scope: 'offer', scopeId: b }), []);
    assert.deepEqual(await count({ scopeId: "x' or true" }), []);
  });

  it('keep assignments whose target is gone, and go with warnings', async () => {
    const tenantId = await makeTenant();
    const offerId = await plantOffer(tenantId);
    const policy = await as(tenantId, (tx) =>
      createContactPolicy(tx, { name: 'x', ...cap, scope: 'offer', scopeId: offerId }),
    );
    await db.ownerQuery('update arbiter.offers set deleted_at = now() where id = $1', [offerId]);
    const echoed = await as(tenantId, (tx) => {
      const { scope, scopeId, scopes } = policy;
      return updateContactPolicy(tx, { id: policy.id, scope, scopeId, scopes });
    });
    assert.deepEqual(echoed.scopes, policy.scopes);
    const answer = await as(tenantId, (tx) =>
      deleteContactPolicy(tx, policy.id, 'query', { flowsNaming: async () => [{ name: 'Mail', key: 'mail' }] }),
    );
    assert.deepEqual(answer, { deleted: true, warnings: ['Used by decision flow "Mail" (mail)'] });
    await assert.rejects(
      as(tenantId, (tx) => deleteContactPolicy(tx, policy.id, 'query', { flowsNaming: async () => [] })),
      { code: 'already_deleted' },
    );
  });
});
