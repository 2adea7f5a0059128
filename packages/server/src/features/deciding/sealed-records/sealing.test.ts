import assert from 'node:assert/strict';
import { createSecretKey, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { createCustomerKeys } from '../customer-states/customer-keys.ts';
import { createSeal, SealBroken, unseal } from './sealing.ts';

const seal = createSeal();

test('a sealed body, short or long, opens only with its key and in its place', () => {
  const key = createSecretKey(randomBytes(32));
  for (const text of ['', '{"a":1}', 'ü'.repeat(5_000)]) {
    const sealed = seal(key, 'tenant:id:decision', text);
    assert.equal(unseal(key, 'tenant:id:decision', sealed), text);
    assert.throws(() => unseal(createSecretKey(randomBytes(32)), 'tenant:id:decision', sealed), SealBroken);
    assert.throws(() => unseal(key, 'other:id:decision', sealed), SealBroken);
    const flipped = Buffer.from(sealed);
    flipped[flipped.length - 1]! ^= 1;
    assert.throws(() => unseal(key, 'tenant:id:decision', flipped), SealBroken);
  }
  assert.ok(seal(key, 'x', 'a'.repeat(5_000)).length < 200, 'long bodies are compressed');
});

test('a key depends on tenant and random part, survives a rotation, and is lost with its master key', () => {
  const [old, fresh] = [randomBytes(32), randomBytes(32)];
  const before = createCustomerKeys([old]);
  const stored = before.create('tenant-a');
  const key = before.open('tenant-a', stored);
  assert.equal(key.symmetricKeySize, 32);
  assert.ok(!before.open('tenant-b', stored).equals(key));
  assert.ok(!before.open('tenant-a', before.create('tenant-a')).equals(key));
  const rotated = createCustomerKeys([fresh, old]);
  assert.ok(rotated.open('tenant-a', stored).equals(key));
  assert.notDeepEqual(
    rotated.create('tenant-a').subarray(0, 4),
    stored.subarray(0, 4),
    'new keys come from the new one',
  );
  assert.throws(() => createCustomerKeys([fresh]).open('tenant-a', stored), { code: 'not_configured' });
  assert.throws(() => createCustomerKeys([]).create('tenant-a'), { code: 'not_configured' });
});
