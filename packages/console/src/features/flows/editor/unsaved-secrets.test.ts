import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exampleDraft } from '@arbiter/contract/catalogue/decision-flows';
import { editableConfig } from '../../../flow-canvas/editing/flow-config.ts';
import { secretBullets } from '../../../forms/editing/inputs/secret-bullets.ts';
import { withoutTypedSecrets } from './unsaved-secrets.ts';

const base = editableConfig(exampleDraft);
const webhook = (url: string, headers: object) => ({
  base,
  version: 3,
  config: { ...base, nodes: [...base.nodes, { id: 'hook', type: 'extension_point', config: { url, headers } }] },
});

test('stores no header value and no password of a webhook', () => {
  const typed = webhook('https://me:p@ss-typed@a.example/x?y=1', { Authorization: 'Bearer typed', 'X-Key': 'typed' });
  const stored = withoutTypedSecrets(typed);
  assert.doesNotMatch(JSON.stringify(stored), /typed/);
  assert.deepEqual(stored.config.nodes.at(-1)?.config, {
    url: `https://${secretBullets}@a.example/x?y=1`,
    headers: { Authorization: secretBullets, 'X-Key': secretBullets },
  });
  assert.deepEqual([stored.base, stored.version], [base, 3]);
});

test('keeps everything else', () => {
  const plain = webhook('https://a.example/@b', {});
  assert.deepEqual(withoutTypedSecrets(plain), plain);
  assert.deepEqual(withoutTypedSecrets({}), {});
});
