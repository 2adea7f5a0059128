import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPages, ownPath } from './pages.ts';

test('returnTo leads to this server and nowhere else', () => {
  for (const path of ['/', '/offers?page=2#top', '/a/b//c', '/offers/%C3%A9', '/logins', '/login-help'])
    assert.equal(ownPath(path), path);
  const elsewhere = ['', 'offers', '//evil.example', '/\\evil.example', '\\/evil', 'https://evil.example', '/a\\b'];
  const odd = ['/\t/evil.example', '/a\r\nSet-Cookie: x=1', '/é', ' /a', '/a b', `/${'a'.repeat(2_000)}`];
  const signIn = ['/login', '/login?returnTo=/login', '/login/', '/login#x'];
  for (const path of [...elsewhere, ...odd, ...signIn, null, undefined]) assert.equal(ownPath(path), '/', String(path));
});

test('paths of a server below a path start with it, once', () => {
  const pages = createPages('https://example.com/arbiter/');
  assert.equal(pages.login({ error: 'sso' }), '/arbiter/login?error=sso');
  assert.equal(pages.own('/offers'), '/arbiter/offers');
  assert.equal(createPages('https://example.com').login(), '/login');
});
