import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Actor, Tx } from '../../../db/index.ts';
import { systemActor } from '../../../db/index.ts';
import { createTestDatabase, type TestDatabase } from '../../../db/test-database.ts';
import { newId } from '../../../platform/ids.ts';
import { recordCalls } from '../catalogue-records/test-record-calls.ts';
import { createOffer, deleteOffer } from '../offers/index.ts';
import { creativeRoutes } from './creatives.routes.ts';
import { deleteCreative, deleteCreativesOfOffer } from './creatives.service.ts';

const {
  create: createCreative,
  update: updateCreative,
  read: readCreative,
  list: listCreatives,
} = recordCalls(creativeRoutes({ creativeCounts: async () => [], tellChange: () => {} }));

const editor: Actor = { id: 'apikey:1', name: 'editor', role: 'editor' };

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
const as = <T>(tenantId: string, work: (tx: Tx) => Promise<T>) => db.database.withTenant(tenantId, editor, work);
const plantChannel = async (tenantId: string, schema: unknown = null) => {
  const [channelId, placementId] = [newId(), newId()];
  await db.ownerQuery(
    `insert into arbiter.channels (tenant_id, id, name, key, channel_type, version, created_at, updated_at)
     values ($1, $2, $3, $3, 'email', 1, now(), now())`,
    [tenantId, channelId, `c${channelId}`],
  );
  await db.ownerQuery(
    `insert into arbiter.placements (tenant_id, id, channel_id, name, key, schema, version, created_at, updated_at)
     values ($1, $2, $3, 'Hero', 'hero', $4::jsonb, 1, now(), now())`,
    [tenantId, placementId, channelId, schema === null ? null : JSON.stringify(schema)],
  );
  return { channelId, placementId };
};
const auditOf = (tenantId: string, entityId: string) =>
  db.ownerQuery<{ action: string; before: unknown; after: unknown }>(
    'select action, before, after from arbiter.audit_logs where tenant_id = $1 and entity_id = $2 order by sequence',
    [tenantId, entityId],
  );
/** Deletion of an offer as `main` plugs it. */
const deleteWithCreatives = (tenantId: string, id: string) =>
  as(tenantId, (tx) => deleteOffer(tx, id, 'query', { deleteWithOffer: deleteCreativesOfOffer }, () => {}));

describe('creatives', () => {
  it('carry their relations and defaults', async () => {
    const tenantId = await makeTenant();
    const { channelId, placementId } = await plantChannel(tenantId);
    const offer = await as(tenantId, (tx) => createOffer(tx, { name: 'Offer' }, () => {}));
    const creative = await as(tenantId, (tx) =>
      createCreative(tx, {
        name: 'Mail',
        offerId: offer.id,
        channelId,
        placementId,
        templateType: 'call_script',
        content: { subject: 'Hi {job}' },
        personalization: [{ variable: 'job', source: 'customer.job', fallback: 'you' }],
        constraints: { frequencyCapPerDay: 0, priorityOverride: 90 },
      }),
    );
    assert.deepEqual(
      [creative.status, creative.weight, creative.version, creative.abTestVariant, creative.metrics],
      ['draft', 100, 1, null, { impressions: 0, clicks: 0, conversions: 0, positive: 0, negative: 0, ctr: 0, cvr: 0 }],
    );
    assert.deepEqual(creative.offer, { id: offer.id, name: 'Offer', status: 'draft' });
    assert.equal(creative.channel?.channelType, 'email');
    assert.equal(creative.placement?.key, 'hero');
    assert.deepEqual(await as(tenantId, (tx) => readCreative(tx, creative.id)), creative);
    const listed = await as(tenantId, (tx) => listCreatives(tx, { offerId: offer.id }));
    assert.deepEqual(listed.data, [creative]);
    assert.equal((await as(tenantId, (tx) => listCreatives(tx, { offerId: 'nonsense' }))).pagination.total, 0);
  });

  it('reject placements of another channel and unknown references', async () => {
    const tenantId = await makeTenant();
    const mine = await plantChannel(tenantId);
    const other = await plantChannel(tenantId);
    const foreign = await plantChannel(await makeTenant());
    const offer = await as(tenantId, (tx) => createOffer(tx, { name: 'Offer' }, () => {}));
    const good = { offerId: offer.id, channelId: mine.channelId };
    const create = (body: Partial<Parameters<typeof createCreative>[1]>) =>
      as(tenantId, (tx) => createCreative(tx, { name: newId(), ...good, ...body }));
    await assert.rejects(create({ placementId: other.placementId }), { code: 'validation_failed' });
    for (const body of [
      { offerId: newId() },
      { channelId: foreign.channelId },
      { placementId: foreign.placementId },
      { contentItemId: newId() },
    ]) {
      await assert.rejects(create(body), { code: 'reference_not_found' }, JSON.stringify(body));
    }
    const creative = await create({ placementId: mine.placementId });
    const update = (body: Partial<Parameters<typeof updateCreative>[1]>) =>
      as(tenantId, (tx) => updateCreative(tx, { id: creative.id, ...body }));
    await assert.rejects(update({ channelId: other.channelId }), { code: 'validation_failed' });
    const moved = await update({ channelId: other.channelId, placementId: other.placementId });
    assert.equal(moved.version, 2);
    assert.equal((await update({ placementId: null })).placement, null);
  });

  it('follow the content rules of their placement when active', async () => {
    const tenantId = await makeTenant();
    const { channelId, placementId } = await plantChannel(tenantId, {
      requiredFields: ['headline'],
      maxLength: { headline: 5 },
    });
    const offer = await as(tenantId, (tx) => createOffer(tx, { name: 'Offer' }, () => {}));
    const creative = await as(tenantId, (tx) =>
      createCreative(tx, { name: 'x', offerId: offer.id, channelId, placementId }),
    );
    const update = (body: Partial<Parameters<typeof updateCreative>[1]>) =>
      as(tenantId, (tx) => updateCreative(tx, { id: creative.id, ...body }));
    await assert.rejects(update({ status: 'active' }), { code: 'validation_failed' });
    await assert.rejects(update({ status: 'active', content: { headline: 'too long' } }), {
      code: 'validation_failed',
    });
    await update({ status: 'active', content: { headline: 'short' } });
    await assert.rejects(update({ content: {} }), { code: 'validation_failed' });
  });

  it('are deleted with their offer, each with version and audit row (E13)', async () => {
    const tenantId = await makeTenant();
    const { channelId } = await plantChannel(tenantId);
    const offer = await as(tenantId, (tx) => createOffer(tx, { name: 'Offer' }, () => {}));
    const made = await Promise.all(
      [1, 2, 3, 4].map((n) =>
        as(tenantId, (tx) => createCreative(tx, { name: `c${n}`, offerId: offer.id, channelId })),
      ),
    );
    const [early] = made;
    await as(tenantId, (tx) => deleteCreative(tx, early?.id ?? '', 'query'));
    const before = await auditOf(tenantId, early?.id ?? '');
    const answer = await deleteWithCreatives(tenantId, offer.id);
    assert.deepEqual(answer, { success: true, id: offer.id, cascaded: 3 });
    assert.deepEqual(await auditOf(tenantId, early?.id ?? ''), before);
    for (const creative of made.slice(1)) {
      const rows = await auditOf(tenantId, creative.id);
      assert.deepEqual(
        rows.map((row) => row.action),
        ['create', 'soft_delete'],
      );
      assert.deepEqual(rows[1]?.before, rows[0]?.after);
    }
    const { data } = await as(tenantId, (tx) => listCreatives(tx, { includeDeleted: true }));
    assert.deepEqual(
      data.map((row) => row.version),
      [2, 2, 2, 2],
    );
    assert.ok(data.every((row) => row.deletedAt !== null));
  });

  it('created while their offer is being deleted are deleted with it or rejected', async () => {
    const tenantId = await makeTenant();
    const { channelId } = await plantChannel(tenantId);
    for (let round = 0; round < 5; round++) {
      const offer = await as(tenantId, (tx) => createOffer(tx, { name: `Offer ${round}` }, () => {}));
      const existing = await as(tenantId, (tx) =>
        createCreative(tx, { name: `c${round}`, offerId: offer.id, channelId }),
      );
      const outcomes = await Promise.allSettled([
        ...Array.from({ length: 6 }, (_, n) =>
          as(tenantId, (tx) => createCreative(tx, { name: `c${round}.${n}`, offerId: offer.id, channelId })),
        ),
        deleteWithCreatives(tenantId, offer.id),
        as(tenantId, (tx) => updateCreative(tx, { id: existing.id, offerId: offer.id, weight: 1 })),
      ]);
      for (const outcome of outcomes) {
        if (outcome.status === 'fulfilled') continue;
        assert.ok(['reference_not_found', 'not_found'].includes(outcome.reason.code), outcome.reason);
      }
      const alive = await db.ownerQuery('select id from arbiter.creatives where offer_id = $1 and deleted_at is null', [
        offer.id,
      ]);
      assert.deepEqual(alive, []);
    }
  });
});
