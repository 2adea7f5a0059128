import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { createEnvelope, deriveKey, hmac, keyOf, SealError, sameSecret } from './crypto.ts';

const place = { tenantId: 'a', recordId: 'r', field: 'secret' };
const key = () => randomBytes(32).toString('base64');

test('T5: a blank secret makes no key and never matches', () => {
  for (const blank of [null, '', ' ', '\n']) assert.equal(keyOf(blank), null);
  for (const expected of [null, undefined, '', ' ']) {
    for (const given of [null, undefined, '', ' ', 'undefined', 'null'])
      assert.equal(sameSecret(expected, given), false);
  }
  assert.equal(sameSecret('s3cret', 's3cret'), true);
  for (const given of ['s3cre', 's3cret ', 'S3cret', '']) assert.equal(sameSecret('s3cret', given), false);
});

test('hmac is HMAC-SHA256, with a separate key per purpose', () => {
  const root = keyOf('a pepper of some length')!;
  assert.deepEqual(hmac(root, 'x'), createHmac('sha256', 'a pepper of some length').update('x').digest());
  const [access, session] = [deriveKey(root, 'access'), deriveKey(root, 'session')];
  assert.notDeepEqual(hmac(access, 'x'), hmac(session, 'x'));
  assert.deepEqual(hmac(access, 'x'), hmac(deriveKey(root, 'access'), 'x'));
});

test('T18: a sealed value opens only in its place', () => {
  const envelope = createEnvelope(key());
  const sealed = envelope.seal(place, 'grüße');
  assert.equal(envelope.open(place, sealed).toString(), 'grüße');
  assert.equal(envelope.open(place, envelope.seal(place, '')).length, 0);
  assert.notDeepEqual(envelope.seal(place, 'grüße'), sealed);
  for (const other of [{ tenantId: 'b' }, { recordId: 's' }, { field: 'name' }]) {
    assert.throws(() => envelope.open({ ...place, ...other }, sealed), SealError);
  }
  assert.throws(() => envelope.open({ tenantId: 'a', recordId: '', field: 'r' }, sealed), SealError);
});

test('T18: every flipped bit and every truncation is a clean error', () => {
  const envelope = createEnvelope(key());
  const sealed = envelope.seal(place, 'secret');
  for (let bit = 0; bit < sealed.length * 8; bit++) {
    const changed = Buffer.from(sealed);
    changed[bit >> 3]! ^= 1 << (bit & 7);
    assert.throws(() => envelope.open(place, changed), SealError);
  }
  for (let length = 0; length < sealed.length; length++) {
    assert.throws(() => envelope.open(place, sealed.subarray(0, length)), SealError);
  }
});

test("after a rotation the old key still opens, and says it's old", () => {
  const [before, now] = [key(), key()];
  const sealed = createEnvelope(before).seal(place, 'secret');
  const rotated = createEnvelope(now, [before]);
  assert.equal(rotated.open(place, sealed).toString(), 'secret');
  assert.equal(rotated.isOutdated(sealed), true);
  assert.equal(rotated.isOutdated(rotated.seal(place, 'secret')), false);
  assert.throws(() => createEnvelope(now).open(place, sealed), SealError);
});
