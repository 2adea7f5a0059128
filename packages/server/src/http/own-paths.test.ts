import assert from 'node:assert/strict';
import { test } from 'node:test';
import { locationOf, ownPath } from './own-paths.ts';

test('only a path of this server is come back to', () => {
  for (const path of ['/', '/offers', '/offers?id=1#top', '/a//b', '/%2f%2fevil.test'])
    assert.equal(ownPath(path), path);
  for (const path of [
    '//evil.test',
    '/\\evil.test',
    '\\/evil.test',
    'https://evil.test',
    'offers',
    '',
    ' /offers',
    '/a\nb',
    '/a\u0000b',
    '/\t/evil.test',
    'javascript:alert(1)',
    null,
    undefined,
  ]) {
    assert.equal(ownPath(path), '/', String(path));
  }
});

test('the path of the public address stands before it, once', () => {
  assert.equal(locationOf('https://example.test/arbiter/', '/login'), '/arbiter/login');
  assert.equal(locationOf('http://localhost:3000', '/login?error=x'), '/login?error=x');
  assert.equal(locationOf('http://localhost:3000', '/ünï?a=%20b'), '/%C3%BCn%C3%AF?a=%20b');
});
