import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applyChange, emptyEvidence, evidenceView } from './evidence.ts';

const change = (number: number, offerId: string) => ({
  number,
  offerId,
  categoryId: 'k',
  channelId: null,
  positives: 1,
  negatives: 0,
});

test('a pair that was handed out stays good until pairsOf is another', () => {
  const state = emptyEvidence();
  const view = evidenceView(state);
  const before = view.pairsOf;
  const none = view.offer('a');
  applyChange(state, change(1, 'a'));
  assert.notEqual(view.pairsOf, before, 'the pair of an offer without evidence is no longer its own');
  assert.deepEqual(none, [0, 0]);
  const first = view.pairsOf;
  const pair = view.offer('a');
  applyChange(state, change(2, 'a'));
  assert.equal(view.pairsOf, first);
  assert.equal(view.offer('a'), pair);
  assert.deepEqual(pair, [2, 0]);
  applyChange(state, change(3, 'b'));
  assert.notEqual(view.pairsOf, first);
});

test('a process that makes all changes itself writes snapshots too, and reads a long way back in pieces', async () => {
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
