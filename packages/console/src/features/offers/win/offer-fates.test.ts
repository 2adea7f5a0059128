import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fatesOf } from './offer-fates.ts';

const row = (fateId: string, decisions: number) => ({ fate: fateId, fateId, decisions, share: 0 });

test('sums up what happened to an offer, most frequent reason first', () => {
  const fates = fatesOf([row('selected', 2), row('qualification', 3), row('suppression', 0), row('capacity', 5)]);
  assert.equal(fates?.all, 10);
  assert.equal(fates?.selected, 2);
  assert.deepEqual(fates?.worst, { fate: 'capacity', decisions: 5 });
  assert.deepEqual(
    fates?.counts.map(({ fate }) => fate),
    ['selected', 'capacity', 'qualification'],
  );
});

test('says nothing about an offer that no decision considered', () => {
  assert.equal(fatesOf([]), null);
  assert.equal(fatesOf([row('selected', 0)]), null);
});

test('has no reason for an offer that always won, and ignores unknown fates', () => {
  assert.equal(fatesOf([row('selected', 4), row('new_fate', 9)])?.worst, null);
});
