import assert from 'node:assert/strict';
import { test } from 'node:test';
import { style } from './page-style.ts';
import { contrastOf, themesOf } from './test-contrast.ts';

const themes = themesOf(style);

test('text has AA contrast on every background, in both themes; edges of fields have 3:1', () => {
  assert.equal(themes.length, 2);
  for (const [index, theme] of themes.entries()) {
    const check = (front: string, back: string, least: number) => {
      const found = contrastOf(theme[front] ?? '', theme[back] ?? '');
      assert.ok(found >= least, `theme ${index}: ${front} on ${back} is ${found.toFixed(2)}`);
    };
    for (const back of ['bg', 'panel', 'code']) {
      for (const front of ['ink', 'soft', 'accent', 'get', 'post', 'put', 'delete']) check(front, back, 4.5);
    }
    check('on-button', 'button', 4.5);
    check('edge', 'panel', 3);
  }
});
