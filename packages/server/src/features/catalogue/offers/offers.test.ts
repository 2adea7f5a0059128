import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { OfferBudget } from '@arbiter/contract';
import type { Actor, Tx } from '../../../db/index.ts';
import { systemActor } from '../../../db/index.ts';
import { createTestDatabase, type TestDatabase } from '../../../db/test-database.ts';
import { newId } from '../../../platform/ids.ts';
import { changeSettings } from '../../identity/settings/index.ts';
import { recordCalls } from '../catalogue-records/test-record-calls.ts';
import { offerRoutes } from './offers.routes.ts';
import { deleteOffer, type OfferDependants } from './offers.service.ts';

const nothing: OfferDependants = { deleteWithOffer: async () => 0 };
const {
  create: createOffer,
  update: updateOffer,
  read: readOffer,
  list: listOffers,
} = recordCalls(offerRoutes({ dependants: nothing, tellChange: () => {} }));

const editor: Actor = { id: 'apikey:1', name: 'editor', role: 'editor' };
const admin: Actor = { id: 'apikey:2', name: 'admin', role: 'admin' };

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
const as = <T>(tenantId: string, actor: Actor, work: (tx: Tx) => Promise<T>) =>
  db.database.withTenant(tenantId, actor, work);
const auditOf = (tenantId: string, entityId: string) =>
  db.ownerQuery<{ action: string; before: Record<string, unknown> | null; after: Record<string, unknown> | null }>(
    'select action, before, after from arbiter.audit_logs where tenant_id = $1 and entity_id = $2 order by sequence',
    [tenantId, entityId],
  );
const plantUser = (tenantId: string, role: string, deactivated = false) => {
  const id = newId();
  return db
    .ownerQuery(
      `insert into arbiter.users (tenant_id, id, email, email_key, name, role, source, deactivated_at, created_at, updated_at)
       values ($1, $2, $3, $3, 'U', $4, 'bootstrap', $5, now(), now())`,
      [tenantId, id, `${id}@example.org`, role, deactivated ? new Date() : null],
    )
    .then(() => id);
};
const plantCategory = async (tenantId: string) => {
  const [categoryId, subCategoryId] = [newId(), newId()];
  await db.ownerQuery(
    `insert into arbiter.categories (tenant_id, id, name, version, created_at, updated_at) values ($1, $2, $3, 1, now(), now())`,
    [tenantId, categoryId, categoryId],
  );
  await db.ownerQuery(
    `insert into arbiter.sub_categories (tenant_id, id, category_id, name, version, created_at, updated_at)
     values ($1, $2, $3, $4, 1, now(), now())`,
    [tenantId, subCategoryId, categoryId, subCategoryId],
  );
  return { categoryId, subCategoryId };
};

describe('offers', () => {
  it('have the defaults of the contract', async () => {
    const tenantId = await makeTenant();
    const offer = await as(tenantId, editor, (tx) => createOffer(tx, { name: 'Term deposit' }));
    const { id, createdAt, updatedAt, ...rest } = offer;
    assert.deepEqual(rest, {
      tenantId,
      name: 'Term deposit',
      status: 'draft',
      categoryId: null,
      subCategoryId: null,
      category: 'engagement',
      group: '',
      priority: 50,
      businessValue: 50,
      mandatory: false,
      mandatoryReason: null,
      mandatoryExpiresAt: null,
      mandatoryApprovedBy: null,
      emergencyExcluded: false,
      description: '',
      shortDesc: '',
      eligibility: {},
      budget: {},
      schedule: {},
      inventory: {},
      frequencyCaps: {},
      metadata: {},
      tags: [],
      productType: null,
      margin: null,
      revenueValue: null,
      version: 1,
      deletedAt: null,
      creatives: [],
      categoryRef: null,
      subCategoryRef: null,
    });
    assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.equal(createdAt, updatedAt);
    assert.deepEqual(await as(tenantId, editor, (tx) => readOffer(tx, id)), offer);
    const [row, ...more] = await auditOf(tenantId, id);
    assert.equal(more.length, 0);
    assert.equal(row?.action, 'create');
    assert.equal(row?.before, null);
    assert.equal(row?.after?.name, 'Term deposit');
  });

  it('change only the given fields, clear with null, and keep conditions in canonical spelling', async () => {
    const tenantId = await makeTenant();
    const { categoryId, subCategoryId } = await plantCategory(tenantId);
    const offer = await as(tenantId, editor, (tx) =>
      createOffer(tx, {
        name: 'A',
        categoryId,
        subCategoryId,
        margin: 3,
        tags: ['a'],
        schedule: { timezone: 'Europe/Berlin' },
      }),
    );
    assert.equal(offer.categoryRef?.id, categoryId);
    assert.equal(offer.subCategoryRef?.id, subCategoryId);
    const changed = await as(tenantId, editor, (tx) =>
      updateOffer(tx, {
        id: offer.id,
        margin: null,
        subCategoryId: null,
        eligibility: { conditions: [{ field: 'age', operator: '>=', value: 18 }] },
        rowVersion: 1,
      }),
    );
    assert.equal(changed.version, 2);
    assert.equal(changed.margin, null);
    assert.equal(changed.subCategoryRef, null);
    assert.deepEqual(changed.tags, ['a']);
    assert.deepEqual(changed.eligibility, {
      conditions: { logic: 'and', conditions: [{ field: 'age', operator: 'gte', value: 18 }] },
    });
    await assert.rejects(
      as(tenantId, editor, (tx) => updateOffer(tx, { id: offer.id, name: 'B', rowVersion: 1 })),
      {
        code: 'row_version_conflict',
      },
    );
    assert.equal((await as(tenantId, editor, (tx) => readOffer(tx, offer.id))).version, 2);
  });

  it('reject a sub-category of another category, foreign references and taken names', async () => {
    const tenantId = await makeTenant();
    const stranger = await makeTenant();
    const mine = await plantCategory(tenantId);
    const other = await plantCategory(tenantId);
    const foreign = await plantCategory(stranger);
    const create = (body: Parameters<typeof createOffer>[1]) => as(tenantId, editor, (tx) => createOffer(tx, body));
    await assert.rejects(create({ name: 'x', categoryId: mine.categoryId, subCategoryId: other.subCategoryId }), {
      code: 'validation_failed',
    });
    await assert.rejects(create({ name: 'x', subCategoryId: mine.subCategoryId }), { code: 'validation_failed' });
    for (const categoryId of [foreign.categoryId, newId()]) {
      await assert.rejects(create({ name: 'x', categoryId }), { code: 'reference_not_found' });
    }
    await create({ name: 'x' });
    await assert.rejects(create({ name: 'x' }), { code: 'duplicate_name' });
    await as(stranger, editor, (tx) => createOffer(tx, { name: 'x' }));
    await create({ name: 'X' });
    const counted = await as(tenantId, editor, (tx) => listOffers(tx, {}));
    assert.equal(counted.pagination.total, 2);
  });

  it('are governed when mandatory (E19)', async () => {
    const tenantId = await makeTenant();
    const approver = await plantUser(tenantId, 'admin');
    const governed = (mandatoryApprovedBy: string, mandatoryExpiresAt = '2099-01-01T00:00:00Z') => ({
      mandatory: true,
      mandatoryReason: 'law',
      mandatoryExpiresAt,
      mandatoryApprovedBy,
    });
    const create = (actor: Actor, body: Omit<Parameters<typeof createOffer>[1], 'name'>) =>
      as(tenantId, actor, (tx) => createOffer(tx, { name: newId(), ...body }));
    await assert.rejects(create(editor, governed(approver)), { code: 'forbidden' });
    await assert.rejects(create(editor, { mandatory: true }), { code: 'forbidden' });
    await assert.rejects(create(editor, { mandatoryReason: 'law' }), { code: 'forbidden' });
    await assert.rejects(create(admin, { mandatory: true }), { code: 'validation_failed' });
    await assert.rejects(create(admin, governed(approver, '2001-01-01T00:00:00Z')), { code: 'validation_failed' });
    const wrong = [
      newId(),
      await plantUser(tenantId, 'editor'),
      await plantUser(tenantId, 'admin', true),
      await plantUser(await makeTenant(), 'admin'),
    ];
    for (const id of wrong) await assert.rejects(create(admin, governed(id)), { code: 'validation_failed' });
    await create(editor, { mandatory: false });

    const offer = await create(admin, governed(approver));
    assert.equal(offer.mandatoryExpiresAt, '2099-01-01T00:00:00.000Z');
    const update = (actor: Actor, body: Omit<Parameters<typeof updateOffer>[1], 'id'>) =>
      as(tenantId, actor, (tx) => updateOffer(tx, { id: offer.id, ...body }));
    await update(editor, { priority: 60, ...governed(approver) });
    for (const body of [
      { mandatory: false },
      { mandatoryReason: 'other' },
      { mandatoryExpiresAt: '2098-01-01T00:00:00Z' },
    ]) {
      await assert.rejects(update(editor, body), { code: 'forbidden' });
    }
    await assert.rejects(update(admin, { mandatoryReason: null }), { code: 'validation_failed' });
    const freed = await update(admin, { mandatory: false, mandatoryReason: null });
    assert.equal(freed.version, 3);
  });

  it('need another approver than the caller where the tenant requires four eyes', async () => {
    const tenantId = await makeTenant();
    const [me, other] = [await plantUser(tenantId, 'admin'), await plantUser(tenantId, 'admin')];
    const create = (mandatoryApprovedBy: string) =>
      as(tenantId, { ...admin, id: me }, (tx) =>
        createOffer(tx, {
          name: newId(),
          mandatory: true,
          mandatoryReason: 'law',
          mandatoryExpiresAt: '2099-01-01T00:00:00Z',
          mandatoryApprovedBy,
        }),
      );
    await create(me);
    await as(tenantId, admin, (tx) =>
      changeSettings(
        tx,
        { fourEyesEnabled: true },
        {
          keepsProfile: async () => false,
          recordableColumns: async () => new Set(),
          recordableSegments: async () => new Set(),
          rebuildRealtime: async () => Promise.resolve(),
          storesSecondFactors: true,
        },
      ),
    );
    await assert.rejects(create(me), { code: 'validation_failed' });
    await create(other);
  });

  it('reject budgets without currency and schedules that no decision could read', async () => {
    const tenantId = await makeTenant();
    const create = (body: Omit<Parameters<typeof createOffer>[1], 'name'>) =>
      as(tenantId, editor, (tx) => createOffer(tx, { name: 'x', ...body }));
    for (const body of [
      { budget: { currency: 'Euro' } },
      { schedule: { startDate: '2026-02-30' } },
      { schedule: { timezone: 'Mars/Olympus' } },
      { schedule: { timezone: 'europe/berlin' } },
      { eligibility: { conditions: [{ field: 'age', operator: 'near', value: 1 }] } },
      { metadata: { a: 'x'.repeat(70_000) } },
    ]) {
      await assert.rejects(create(body), { code: 'validation_failed' }, JSON.stringify(body).slice(0, 100));
    }
    const offer = await create({
      budget: { dailyCapCents: null, currentDailyImpressions: 7 } as OfferBudget,
      inventory: { totalStock: null },
      frequencyCaps: { perCustomer: { daily: 1, weekly: null } },
    });
    assert.deepEqual(
      [offer.budget, offer.inventory, offer.frequencyCaps],
      [{ dailyCapCents: null }, { totalStock: null }, { perCustomer: { daily: 1, weekly: null } }],
    );
  });

  it('write an audit row of their own for each change of the mandate (53)', async () => {
    const tenantId = await makeTenant();
    const approver = await plantUser(tenantId, 'admin');
    const mandate = {
      mandatory: true,
      mandatoryReason: 'law',
      mandatoryExpiresAt: '2099-01-01T00:00:00.000Z',
      mandatoryApprovedBy: approver,
    };
    const offer = await as(tenantId, admin, (tx) => createOffer(tx, { name: 'M', ...mandate }));
    const update = (body: Omit<Parameters<typeof updateOffer>[1], 'id'>) =>
      as(tenantId, admin, (tx) => updateOffer(tx, { id: offer.id, ...body }));
    // The same value in another spelling doesn't change the mandate.
    await update({ priority: 1, mandatoryExpiresAt: '2099-01-01T01:00:00+01:00' });
    const off = await update({ mandatory: false });
    assert.deepEqual(
      [off.mandatoryReason, off.mandatoryExpiresAt, off.mandatoryApprovedBy],
      ['law', mandate.mandatoryExpiresAt, approver],
    );
    await update({ mandatoryReason: null, mandatoryExpiresAt: null, mandatoryApprovedBy: null });
    await assert.rejects(update({ mandatory: true }), { code: 'validation_failed' });
    const rows = await auditOf(tenantId, offer.id);
    assert.deepEqual(
      rows.map((row) => row.action),
      ['create', 'mandatory_override', 'update', 'update', 'mandatory_override', 'update', 'mandatory_override'],
    );
    const none = { mandatory: false, mandatoryReason: null, mandatoryExpiresAt: null, mandatoryApprovedBy: null };
    const steps = [none, mandate, { ...mandate, mandatory: false }, none];
    assert.deepEqual(
      rows.filter((row) => row.action === 'mandatory_override').map((row) => [row.before, row.after]),
      steps.slice(1).map((step, at) => [steps[at], step]),
    );
  });

  it('apply 50 parallel changes in one chain (T23)', async () => {
    const tenantId = await makeTenant();
    const offer = await as(tenantId, editor, (tx) => createOffer(tx, { name: 'hot' }));
    await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        as(tenantId, editor, (tx) => updateOffer(tx, { id: offer.id, priority: n })),
      ),
    );
    const rows = await auditOf(tenantId, offer.id);
    assert.equal(rows.length, 51);
    for (const [index, row] of rows.slice(1).entries()) assert.deepEqual(row.before, rows[index]?.after);
    assert.equal((await as(tenantId, editor, (tx) => readOffer(tx, offer.id))).version, 51);
  });

  it('are deleted once, and free their name', async () => {
    const tenantId = await makeTenant();
    const offer = await as(tenantId, editor, (tx) => createOffer(tx, { name: 'gone' }));
    const remove = (addressed: 'query' | 'path') =>
      as(tenantId, editor, (tx) => deleteOffer(tx, offer.id, addressed, nothing, () => {}));
    assert.deepEqual(await remove('query'), { success: true, id: offer.id, cascaded: 0 });
    await assert.rejects(remove('query'), { code: 'already_deleted' });
    await assert.rejects(remove('path'), { code: 'not_found' });
    await assert.rejects(
      as(tenantId, editor, (tx) => readOffer(tx, offer.id)),
      { code: 'not_found' },
    );
    await as(tenantId, editor, (tx) => createOffer(tx, { name: 'gone' }));
    const listed = await as(tenantId, editor, (tx) => listOffers(tx, { includeDeleted: true }));
    assert.deepEqual(
      listed.data.map((row) => [row.name, row.version, row.deletedAt === null]),
      [
        ['gone', 1, true],
        ['gone', 2, false],
      ],
    );
  });
});
