import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { systemActor } from '../../../db/index.ts';
import { createTestDatabase, type TestDatabase } from '../../../db/test-database.ts';
import { newId } from '../../../platform/ids.ts';
import { appendChanges, rebuildEvidence, snapshotWhenDue } from './evidence.store.ts';
import { applyChange, type EvidenceChange, emptyEvidence, evidenceFromJson, evidenceToJson } from './evidence.ts';
import { createEvidenceKeeper } from './evidence-keeper.ts';

let db: TestDatabase;
before(async () => {
  db = await createTestDatabase();
});
after(() => db.close());

const [offerId, categoryId, channelId] = [newId(), newId(), newId()];
const positive = { offerId, categoryId, channelId, positives: 1, negatives: 0 };
const negative = { offerId, categoryId: null, channelId: null, positives: 0, negatives: 1 };

test('a state counts by offer, category, channel and tenant; any number can be rebuilt', async () => {
  const tenant = newId();
  const numbered = await db.database.withTenant(tenant, systemActor('test'), (tx) =>
    appendChanges(tx, [positive, negative, positive]),
  );
  assert.deepEqual(
    numbered.map((change) => change.number),
    [1, 2, 3],
  );
  const at = (number: number | null) =>
    db.database.withTenant(tenant, systemActor('test'), async (tx) =>
      evidenceToJson(await rebuildEvidence(tx, number)),
    );
  assert.deepEqual(await at(null), {
    offers: [[offerId, 2, 1]],
    categories: [[categoryId, 2, 0]],
    channels: [[channelId, 2, 0]],
    global: [2, 1],
  });
  assert.deepEqual(await at(2), {
    offers: [[offerId, 1, 1]],
    categories: [[categoryId, 1, 0]],
    channels: [[channelId, 1, 0]],
    global: [1, 1],
  });
});

test('a snapshot and later changes equal all changes; reads a snapshot without channels', async () => {
  const tenant = newId();
  const full = emptyEvidence();
  const write = async (n: number) => {
    const changes = Array.from({ length: n }, (_, i) => (i % 3 === 0 ? negative : positive));
    const numbered: EvidenceChange[] = await db.database.withTenant(tenant, systemActor('test'), (tx) =>
      appendChanges(tx, changes),
    );
    for (const change of numbered) applyChange(full, change);
  };
  await write(5_000);
  await db.database.withTenant(tenant, systemActor('test'), (tx) => snapshotWhenDue(tx, full));
  const [kept] = await db.ownerQuery('select number from arbiter.evidence_snapshots where tenant_id = $1', [tenant]);
  assert.equal(Number(kept!.number), 5_000);
  await write(7);
  const rebuilt = await db.database.withTenant(tenant, systemActor('test'), (tx) => rebuildEvidence(tx, null));
  assert.deepEqual(rebuilt, full);
  const { channels: _channels, ...before } = evidenceToJson(full);
  assert.deepEqual(evidenceToJson(evidenceFromJson(5_007, before)).channels, []);
});

test('a keeper fetches commits of other processes', async () => {
  const tenant = newId();
  const keeper = createEvidenceKeeper(db.database, (error) => assert.fail(String(error)));
  assert.equal(keeper.ageMs(tenant), 0);
  assert.equal((await keeper.get(tenant)).number, 0);
  assert.ok(Number.isInteger(keeper.ageMs(tenant)) && keeper.ageMs(tenant) >= 0);
  await db.database.withTenant(tenant, systemActor('test'), (tx) => appendChanges(tx, [positive, negative]));
  keeper.newestIs(tenant, 2);
  await keeper.idle();
  const state = await keeper.get(tenant);
  assert.equal(state.number, 2);
  assert.deepEqual(state.channels.get(channelId), [1, 0]);
});

test('a process that makes all changes itself also writes snapshots, and reads far back in pieces', async () => {
  const tenant = newId();
  const keeper = createEvidenceKeeper(db.database, (error) => assert.fail(String(error)));
  await keeper.get(tenant);
  const list = Array.from({ length: 2_600 }, () => positive);
  const write = () => db.database.withTenant(tenant, systemActor('test'), (tx) => appendChanges(tx, list));
  keeper.committed(tenant, await write());
  keeper.committed(tenant, await write());
  await keeper.idle();
  const snapshots = await db.ownerQuery('select number from arbiter.evidence_snapshots where tenant_id = $1', [tenant]);
  assert.deepEqual(
    snapshots.map((row) => Number(row.number)),
    [5_200],
  );
  await write();
  await write();
  keeper.newestIs(tenant, 10_400);
  await keeper.idle();
  assert.deepEqual((await keeper.get(tenant)).global, [10_400, 0]);
});
