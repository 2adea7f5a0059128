import assert from 'node:assert/strict';
import { test } from 'node:test';
import { showTraining } from './show-training.ts';
import type { ShownTraining } from './trainings.store.ts';

const at = new Date('2026-11-29T12:00:00Z');
const completed: ShownTraining = {
  ...{ id: 't', modelId: 'm', status: 'completed', progress: 1, error: null, trainedVersion: 2 },
  ...{ metrics: null, samples: '800', createdAt: at, finishedAt: at },
};

test('a training is completed once the trained version is shown', () => {
  const before = showTraining(completed, 1);
  assert.deepEqual([before?.status, before?.finishedAt], ['running', null]);
  const after = showTraining(completed, 2);
  assert.deepEqual([after?.status, after?.finishedAt], ['completed', at.toISOString()]);
  assert.equal(showTraining({ ...completed, status: 'failed', trainedVersion: null }, 1)?.status, 'failed');
});
