import assert from 'node:assert/strict';
import { test } from 'node:test';
import { style } from './page-style.ts';

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

const themes = [...style.matchAll(/:root\{([^}]+)\}/g)].map(([, text = '']) =>
  Object.fromEntries([...text.matchAll(/--([\w-]+):(#[0-9a-f]+)/g)].map(([, name, value]) => [name, value])),
);

test('text reaches contrast AA on every background, in both themes; edges of fields reach 3:1', () => {
  assert.equal(themes.length, 2);
  for (const [index, theme] of themes.entries()) {
    const check = (front: string, back: string, least: number) => {
      const found = contrast(theme[front] ?? '', theme[back] ?? '');
      assert.ok(found >= least, `theme ${index}: ${front} on ${back} is ${found.toFixed(2)}`);
    };
    for (const back of ['bg', 'panel', 'code']) {
      for (const front of ['ink', 'soft', 'accent', 'get', 'post', 'put', 'delete']) check(front, back, 4.5);
    }
    check('on-button', 'button', 4.5);
    check('edge', 'panel', 3);
  }
});
