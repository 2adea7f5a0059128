import assert from 'node:assert/strict';
import { test } from 'node:test';
import { behindDraft, isForMe } from './needs.ts';

test('shows a request to those who can decide its open stage', () => {
  const request = {
    requesterId: 'lee',
    currentStage: 2,
    stages: [
      { ordinal: 1, requiredRole: 'viewer', decidedBy: 'kim' },
      { ordinal: 2, requiredRole: 'admin', decidedBy: null },
    ],
  } as const;
  const ask = (role: 'viewer' | 'editor' | 'admin', userId = 'me', fourEyes = false, currentStage: number | null = 2) =>
    isForMe({ ...request, currentStage }, { userId, role }, fourEyes);
  assert.equal(ask('admin'), true);
  assert.equal(ask('editor'), false);
  assert.equal(ask('editor', 'me', false, 1), true, 'a stage for viewers is decided by editors at least');
  assert.equal(ask('viewer', 'me', false, 1), false);
  assert.equal(ask('admin', 'lee'), true, 'the own request, where the tenant allows it');
  assert.equal(ask('admin', 'lee', true), false);
  assert.equal(ask('admin', 'kim', true), false, 'they decided an earlier stage');
  assert.equal(ask('admin', 'kim'), true);
  assert.equal(ask('admin', 'me', true), true);
  assert.equal(ask('admin', 'me', false, null), false, 'no stage is open');
});

test('recognizes a draft saved after the live version', () => {
  const flow = (updatedAt: string, status = 'active') => ({
    status,
    updatedAt,
    publishedVersions: [{ version: 3, publishedAt: '2026-11-23T02:00:00.000Z' }],
  });
  assert.equal(behindDraft(flow('2026-11-23T02:00:00.500Z')), null);
  assert.equal(behindDraft(flow('2026-11-23T02:00:01.000Z')), null);
  assert.equal(behindDraft(flow('2026-11-23T02:00:01.001Z')), 3);
  assert.equal(behindDraft(flow('2026-11-24T02:00:00.000Z', 'archived')), null);
  assert.equal(behindDraft({ ...flow('2026-11-24T02:00:00.000Z'), publishedVersions: [] }), null, 'nothing is live');
});
