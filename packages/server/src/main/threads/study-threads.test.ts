import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callSignalMemory } from '../../features/deciding/decisions/index.ts';
import { createStudyThreads } from './study-threads.ts';

test('each lane has its own turn', async () => {
  const threads = createStudyThreads({
    ...{ url: 'postgres://nowhere', pooled: false, isCluster: false, masterKeys: [], count: 1 },
    callMemory: callSignalMemory(),
    isPressed: () => false,
    onError: () => assert.fail('no thread should fail'),
  });
  const release = threads.claim('a', 'records');
  assert.notEqual(release, null);
  assert.equal(threads.claim('a', 'records'), null);
  assert.notEqual(threads.claim('a', 'check'), null);
  assert.equal(threads.claim('b', 'check'), null);
  release!();
  assert.notEqual(threads.claim('a', 'records'), null);
  await threads.close();
});
