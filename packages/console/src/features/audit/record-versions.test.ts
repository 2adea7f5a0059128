import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operations } from '@arbiter/contract';
import { versionsOf } from './record-versions.ts';
import { versionedResources } from './versioned-resources.generated.ts';

test('knows every record type with versions by its address in the contract', () => {
  const contract = Object.values(operations).filter(({ id }) => id.endsWith('.version') && !id.startsWith('system'));
  const known = Object.keys(versionedResources).map((entityType) => versionsOf(entityType)!.version);
  assert.deepEqual(
    known.map(({ id, path }) => `${id} ${path}`).toSorted(),
    contract.map(({ id, path }) => `${id} ${path}`).toSorted(),
  );
  assert.equal(versionsOf('apiKey'), null);
  assert.equal(versionsOf('constructor'), null);
});
