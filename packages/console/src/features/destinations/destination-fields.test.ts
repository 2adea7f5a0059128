import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KindOfProvider } from '@arbiter/contract/operations/notifications';
import { configFields, configToSend, secretsOf } from './destination-fields.ts';

const webhook: KindOfProvider = {
  kind: 'webhook',
  displayName: 'Webhook',
  fields: [
    { name: 'url', label: 'URL', type: 'url', required: true, secret: false },
    { name: 'secret', label: 'Signing secret', type: 'text', required: false, secret: true },
    { name: 'headers', label: 'Headers', type: 'headers', required: false, secret: true },
  ],
};

test('edits each value of a config by its type', () => {
  assert.deepEqual(
    configFields(webhook).map(({ path, kind, isRequired }) => [path, kind, isRequired]),
    [
      ['/config/url', 'text', true],
      ['/config/secret', 'secret', false],
      ['/config/headers', 'map', false],
    ],
  );
  assert.deepEqual(secretsOf(webhook), ['/config/secret', '/config/headers']);
});

test('sends null for removed values, and nothing left from another kind', () => {
  const stored = { url: 'https://a.example', secret: '••••••••' };
  assert.deepEqual(configToSend(webhook, { url: 'https://b.example', secret: undefined }, stored), {
    url: 'https://b.example',
    secret: null,
  });
  assert.deepEqual(configToSend(webhook, { url: 'https://b.example', webhookUrl: 'x', secret: '' }, {}), {
    url: 'https://b.example',
  });
});
