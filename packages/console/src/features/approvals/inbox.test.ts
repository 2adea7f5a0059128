import assert from 'node:assert/strict';
import { test } from 'node:test';
import { areAlike, requestsOf, rivalsOf, whyNotDecide } from './inbox.ts';

const request = (id: string, changes: object = {}) => ({
  ...{ id, status: 'pending' as const, requesterId: 'eve', currentStage: 1, entityType: 'offer', entityId: 'o1' },
  action: 'update' as const,
  stages: [
    {
      ...{ id: 's1', ordinal: 1, stageName: 'Business', requiredRole: 'admin' as const, status: 'pending' as const },
      ...{ decidedBy: null, decidedByName: null, comments: null, decidedAt: null },
    },
  ],
  ...changes,
});
const admin = { userId: 'ada', role: 'admin', fourEyes: true } as const;
const reviewer = (userId: string, role: 'viewer' | 'editor' | 'admin', fourEyes = true) => ({ userId, role, fourEyes });

test('with four eyes, nobody decides their own request; nobody decides a closed one, or a stage above their role', () => {
  assert.equal(whyNotDecide(request('a'), admin), null);
  assert.equal(whyNotDecide(request('a'), reviewer('eve', 'admin')), 'own');
  assert.equal(whyNotDecide(request('a'), reviewer('eve', 'admin', false)), null, 'the tenant allows it');
  assert.equal(whyNotDecide(request('a'), reviewer('ned', 'editor')), 'role');
  assert.equal(whyNotDecide(request('a', { status: 'rejected' }), admin), 'closed');
  const [stage] = request('a').stages;
  const forViewers = request('a', { stages: [{ ...stage, requiredRole: 'viewer' }] });
  assert.equal(whyNotDecide(forViewers, reviewer('vic', 'viewer')), 'role');
  const earlier = { ...stage, ordinal: 0, status: 'approved' as const, decidedBy: 'ada' };
  const second = request('a', { stages: [earlier, stage] });
  assert.equal(whyNotDecide(second, admin), 'decided');
  assert.equal(whyNotDecide(second, { ...admin, fourEyes: false }), null);
});

test('sorts requests into their tabs', () => {
  const all = [request('a'), request('b', { requesterId: 'ada' }), request('c', { status: 'approved' })];
  const idsOf = (tab: 'waiting' | 'mine' | 'done') => requestsOf(tab, all, admin).map(({ id }) => id);
  assert.deepEqual(idsOf('waiting'), ['a']);
  assert.deepEqual(idsOf('mine'), ['b']);
  assert.deepEqual(idsOf('done'), ['c']);
});

test('finds conflicts between open requests for the same record', () => {
  const all = [request('a'), request('b'), request('c', { status: 'approved' }), request('d', { entityId: 'o2' })];
  assert.deepEqual(
    rivalsOf(request('a'), all).map(({ id }) => id),
    ['b'],
  );
  assert.deepEqual(rivalsOf(request('a', { action: 'create' }), all), []);
});

test('approves requests of one kind and action together, and publishing separately', () => {
  const one = { entityType: 'decisionFlow', action: 'update' as const, payload: { name: 'A' } };
  assert.ok(areAlike(one, { ...one, payload: null }));
  assert.ok(!areAlike(one, { ...one, payload: { publish: true } }));
  assert.ok(!areAlike(one, { ...one, entityType: 'offer' }));
  assert.ok(!areAlike(one, { ...one, action: 'delete' }));
});
