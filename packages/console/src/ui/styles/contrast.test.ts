import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const css = readFileSync(join(import.meta.dirname, 'tokens.css'), 'utf8');
const tokens = new Map(
  [...css.matchAll(/--([a-z0-9-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)].map(
    ([, name, light, dark]) => [name ?? '', { light: light ?? '', dark: dark ?? '' }] as const,
  ),
);

/** Relative luminance of `#rrggbb` (WCAG 2.2). */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [high = 0, low = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
}

function pair(front: string, back: string, theme: 'light' | 'dark'): number {
  const [one, other] = [tokens.get(front), tokens.get(back)];
  assert.ok(one && other, `${front} on ${back}: no such token`);
  return contrast(one[theme], other[theme]);
}

const surfaces = ['canvas', 'surface', 'raised', 'sunken', 'hover'];
const soft = ['pass-soft', 'block-soft', 'warn-soft', 'info-soft', 'draft-soft', 'accent-soft'];
const series = [1, 2, 3, 4, 5, 6, 7, 8].map((number) => `chart-${number}`);

/** Every pair that a screen may put together, with the contrast that it owes: 4.5 for text, 3 for lines and marks. */
const pairs: readonly (readonly [front: string, back: string, least: number])[] = [
  ...['ink', 'soft', 'faint', 'accent-ink'].flatMap((front) => surfaces.map((back) => [front, back, 4.5] as const)),
  ...['pass', 'block', 'warn', 'info', 'draft'].flatMap((front) =>
    [...surfaces, `${front}-soft`].map((back) => [front, back, 4.5] as const),
  ),
  ...soft.map((back) => ['ink', back, 4.5] as const),
  ...soft.map((back) => ['soft', back, 4.5] as const),
  ['accent-ink', 'accent-soft', 4.5],
  ['on-accent', 'accent', 4.5],
  ['on-accent', 'accent-hover', 4.5],
  ...['line-strong', 'accent', ...series].flatMap((front) => surfaces.map((back) => [front, back, 3] as const)),
];

for (const theme of ['light', 'dark'] as const) {
  test(`${theme}: every pair of tokens that can meet has its required contrast`, () => {
    const short = pairs
      .map(([front, back, least]) => ({ front, back, least, has: pair(front, back, theme) }))
      .filter(({ has, least }) => has < least)
      .map(({ front, back, least, has }) => `${front} on ${back}: ${has.toFixed(2)} of ${least}`);
    assert.deepEqual(short, []);
  });
}

test('computes the contrast of WCAG', () => {
  assert.equal(contrast('#ffffff', '#000000').toFixed(2), '21.00');
  assert.equal(contrast('#777777', '#ffffff').toFixed(2), '4.48');
});

test('has each color token in both themes', () => {
  assert.equal(tokens.size, 33);
});
