import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../platform/app-error.ts';
import { errorPage, formStyle } from './form-page.ts';

/** Relative luminance of a colour (WCAG 2.2). */
function luminance(colour: string): number {
  const hex = colour.length === 4 ? colour.replace(/[0-9a-f]/gi, '$&$&') : colour;
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((from) => {
    const share = Number.parseInt(hex.slice(from, from + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

const themes = [...formStyle.matchAll(/:root\{([^}]+)\}/g)].map(([, text = '']) =>
  Object.fromEntries([...text.matchAll(/--([\w-]+):(#[0-9a-f]+)/g)].map(([, name, value]) => [name, value])),
);

test('text reaches contrast AA where it stands, in both themes; edges of fields reach 3:1', () => {
  assert.equal(themes.length, 2);
  for (const [index, theme] of themes.entries()) {
    const check = (front: string, back: string, least: number) => {
      const found = contrast(theme[front] ?? '', theme[back] ?? '');
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

test('a refusal as a page tells nothing of the inside, and escapes what it tells', () => {
  const refused = errorPage(new AppError('csrf_header_required', { detail: 'From <b>there</b>.' }), 'request-1');
  assert.ok(refused.includes('From &lt;b&gt;there&lt;/b&gt;.'));
  const failed = errorPage(new AppError('internal', { detail: 'relation "users"' }), 'request-2');
  assert.equal(failed.includes('relation'), false);
  assert.ok(failed.includes('request-2'));
  const limited = errorPage(new AppError('rate_limited', { retryAfterSeconds: 125 }), 'r');
  assert.ok(limited.includes('Please try again in 3 minutes.'), limited);
});
