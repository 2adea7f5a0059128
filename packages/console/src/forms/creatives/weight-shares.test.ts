import assert from 'node:assert/strict';
import { test } from 'node:test';
import { weightShares } from './weight-shares.ts';

const creative = (id: string, weight: number, placementId: string | null = null, status = 'active') => ({
  ...{ id, weight, placementId, status },
});
const shares = (...input: Parameters<typeof weightShares>) => Object.fromEntries(weightShares(...input));

test('shares a placement by weight, with creatives for any placement', () => {
  const all = [creative('a', 70, 'hero'), creative('b', 30), creative('c', 100, 'card')];
  assert.deepEqual(shares(all, 'hero'), { a: 0.7, b: 0.3 });
  assert.deepEqual(shares(all, null), { b: 1 });
});

test('leaves out creatives that are never chosen', () => {
  assert.deepEqual(shares([creative('a', 0), creative('b', 5), creative('c', 5, null, 'draft')], null), { b: 1 });
  assert.deepEqual(shares([creative('a', 0)], null), {});
});
