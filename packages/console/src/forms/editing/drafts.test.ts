import assert from 'node:assert/strict';
import { test } from 'node:test';
import { secretsIn } from './field-spec.ts';
import { withoutSecrets } from './use-record-form.ts';

const bullets = '••••••••';
const base = { name: 'Old', config: { url: 'https://a.example', secret: bullets } };
const secrets = ['/config/secret'];

test('stores a draft without the secrets that were typed', () => {
  const changes = { name: 'New', config: { url: 'https://b.example', secret: 'typed' } };
  const stored = withoutSecrets({ base, version: 3, changes }, secrets);
  assert.deepEqual(stored.changes, { name: 'New', config: { url: 'https://b.example', secret: bullets } });
  assert.doesNotMatch(JSON.stringify(stored), /typed/);
  assert.equal(stored.version, 3);
});

test('stores nothing when only a secret was typed', () => {
  assert.deepEqual(withoutSecrets({ base, changes: { config: { ...base.config, secret: 'typed' } } }, secrets), {});
});

test('drops the secret of a new record', () => {
  const stored = withoutSecrets({ base: { config: {} }, changes: { config: { url: 'x', secret: 'typed' } } }, secrets);
  assert.doesNotMatch(JSON.stringify(stored), /typed/);
});

test('stores no values of headers that a form names as secrets', () => {
  const pointers = secretsIn({ kinds: { '/config/apiKey': 'secret' }, secrets: ['/config/headers'] });
  assert.deepEqual(pointers, ['/config/apiKey', '/config/headers']);
  const stored = { config: { url: 'x', headers: { Authorization: bullets } } };
  const changes = { config: { url: 'y', headers: { Authorization: 'Bearer typed', 'X-Key': 'typed' } } };
  assert.deepEqual(withoutSecrets({ base: stored, changes }, pointers).changes, {
    config: { url: 'y', headers: { Authorization: bullets } },
  });
});
