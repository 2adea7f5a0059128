import assert from 'node:assert/strict';
import { test } from 'node:test';
import { smsSize } from './sms-segments.ts';

test('counts segments of a text in the plain alphabet', () => {
  assert.deepEqual(smsSize(''), { segments: 0, isPlain: true });
  assert.deepEqual(smsSize('a'.repeat(160)), { segments: 1, isPlain: true });
  assert.deepEqual(smsSize('a'.repeat(161)), { segments: 2, isPlain: true });
  assert.deepEqual(smsSize('a'.repeat(307)), { segments: 3, isPlain: true });
});

test('counts characters that take two places', () => {
  assert.equal(smsSize(`${'a'.repeat(158)}€`).segments, 1);
  assert.equal(smsSize(`${'a'.repeat(159)}€`).segments, 2);
});

test('needs more segments with another alphabet', () => {
  assert.deepEqual(smsSize('ж'.repeat(70)), { segments: 1, isPlain: false });
  assert.deepEqual(smsSize('ж'.repeat(71)), { segments: 2, isPlain: false });
  assert.equal(smsSize(`${'a'.repeat(68)}😀`).segments, 1);
  assert.equal(smsSize(`${'a'.repeat(69)}😀`).segments, 2);
});
