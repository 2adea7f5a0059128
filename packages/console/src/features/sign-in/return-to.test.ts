import assert from 'node:assert/strict';
import { test } from 'node:test';
import { returnAddress } from './return-to.ts';

const base = 'https://arbiter.example/desk/';

test('returns to a path of the console, below its base', () => {
  assert.equal(returnAddress('?returnTo=%2Fdecisions%2F1%3Ftab%3Dwhy', base), `${base}decisions/1?tab=why`);
  assert.equal(returnAddress('', base), base);
});

test('rejects every other path', () => {
  for (const path of [
    '//evil.example',
    'https://evil.example',
    '/\\evil.example',
    'javascript:alert(1)',
    '/login',
    '/a b',
  ]) {
    assert.equal(returnAddress(`?returnTo=${encodeURIComponent(path)}`, base), base, path);
  }
});
