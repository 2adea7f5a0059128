import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cutTo, paintOf } from './picture-paint.ts';

test('converts a computed color to one that every viewer supports', () => {
  assert.deepEqual(paintOf('rgb(107, 161, 255)'), { color: '#6ba1ff', opacity: 1 });
  assert.deepEqual(paintOf('rgba(0, 0, 0, 0.4)'), { color: '#000000', opacity: 0.4 });
  assert.deepEqual(paintOf('color(srgb 1 0.5 0 / 0.5)'), { color: '#ff8000', opacity: 0.5 });
  assert.equal(paintOf('rgba(0, 0, 0, 0)').opacity, 0);
  for (const unknown of ['none', '', 'url("#gradient")', 'var(--ink)', 'rgb(a, b, c)']) {
    assert.equal(paintOf(unknown).opacity, 0, unknown);
  }
});

test('cuts a text where the browser cut it', () => {
  assert.equal(cutTo('Gold Birthday Drink', 200, 130), 'Gold Birthday Drink');
  assert.equal(cutTo('Gold Birthday Drink', 65, 130), 'Gold Bir…');
  assert.equal(cutTo('Gold', 2, 30), '');
});
