import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { AppError } from '../../platform/app-error.ts';
import { errorPage, formPage, formStyle, pageHeaders } from './form-page.ts';
import { contrastOf, themesOf } from './test-contrast.ts';

const themes = themesOf(formStyle);

test('text has AA contrast on its background, in both themes; edges of fields have 3:1', () => {
  assert.equal(themes.length, 2);
  for (const [index, theme] of themes.entries()) {
    const check = (front: string, back: string, least: number) => {
      const found = contrastOf(theme[front] ?? '', theme[back] ?? '');
      assert.ok(found >= least, `theme ${index}: ${front} on ${back} is ${found.toFixed(2)}`);
    };
    for (const back of ['canvas', 'surface', 'sunken']) check('ink', back, 4.5);
    for (const front of ['soft', 'link', 'block']) check(front, 'surface', 4.5);
    check('on', 'accent', 4.5);
    check('on', 'press', 4.5);
    check('pass', 'pass-soft', 4.5);
    check('block', 'block-soft', 4.5);
    for (const front of ['edge', 'accent', 'block']) check(front, 'surface', 3);
  }
});

test('an error page reveals nothing internal, and escapes what it shows', () => {
  const refused = errorPage(new AppError('csrf_header_required', { detail: 'From <b>there</b>.' }), 'request-1');
  assert.ok(refused.includes('From &lt;b&gt;there&lt;/b&gt;.'));
  const failed = errorPage(new AppError('internal', { detail: 'relation "users"' }), 'request-2');
  assert.equal(failed.includes('relation'), false);
  assert.ok(failed.includes('request-2'));
  const unset = errorPage(new AppError('not_configured', { detail: 'SOME_SECRET is not set.' }), 'request-3');
  assert.match(unset, /SOME_SECRET is not set\. Ask the operator of this server to change that\./);
  assert.doesNotMatch(unset, /in a moment/);
  const limited = errorPage(new AppError('rate_limited', { retryAfterSeconds: 125 }), 'r');
  assert.ok(limited.includes('Try again in 3 minutes.'), limited);
});

test('a form includes its font and logo, and the policy names each of its styles', () => {
  const page = formPage({ heading: 'Sign in', body: '' });
  const styles = [...page.matchAll(/<style>([^<]*)<\/style>/g)].map(([, style = '']) => style);
  assert.equal(styles.length, 2);
  for (const style of styles) {
    const hash = createHash('sha256').update(style).digest('base64');
    assert.ok(pageHeaders['content-security-policy']?.includes(`'sha256-${hash}'`), style.slice(0, 80));
  }
  assert.match(page, /src:url\(data:font\/woff2;base64,[A-Za-z0-9+/=]{40000,}\)/);
  assert.match(page, /<p class="brand"><svg aria-hidden="true"/);
  assert.doesNotMatch(page, /https?:|<link|src="/);
  const refused = errorPage(new AppError('overloaded'), 'r');
  assert.ok(refused.length < 10_000, 'a busy server sends no font');
});
