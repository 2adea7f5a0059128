import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freeKey, keyFromName } from './keys.rules.ts';

test('derives a key from a name', () => {
  assert.equal(keyFromName('Email Hero', 'channel'), 'email-hero');
  assert.equal(keyFromName('  Push / iOS!  ', 'channel'), 'push-ios');
  assert.equal(keyFromName('_x', 'channel'), 'x');
  assert.equal(keyFromName('電話', 'channel'), 'channel');
  assert.equal(keyFromName('a'.repeat(200), 'channel').length, 63);
  assert.match(keyFromName(`${'a'.repeat(62)} b`, 'channel'), /^[a-z0-9][a-z0-9_-]{0,62}$/);
});

test('numbers a taken key, and keeps it short enough', () => {
  assert.equal(freeKey('hero', new Set()), 'hero');
  assert.equal(freeKey('hero', new Set(['hero', 'hero-2'])), 'hero-3');
  const long = 'a'.repeat(63);
  assert.equal(freeKey(long, new Set([long])), `${'a'.repeat(61)}-2`);
});
