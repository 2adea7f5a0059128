import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Choice, Weighed, WeighedPlace } from '@arbiter/engine';
import { differs, loggedChances, placeRows, type RecordedItem } from './weighed-places.ts';

const choice = (offerId: string, probability: number): Choice => ({
  ...{ offerId, creativeId: `${offerId}-web`, otherCreatives: null, channelId: 'web' },
  ...{ probability, propensity: 0.1 },
});
const place = (probability: number, more: Partial<WeighedPlace> = {}): WeighedPlace => ({
  ...{ probability, method: 'exact', hits: null, creativeShare: 1, isDelivered: true, choice: 0 },
  choices: [choice('a', probability), choice('b', 1 - probability)],
  ...more,
});
const weighed = (places: readonly WeighedPlace[], next: readonly Choice[] = []): Weighed => ({
  ...{ places, next, unknown: null, controlGroup: false },
});
const item = (probability: number, more: Partial<RecordedItem> = {}): RecordedItem => ({
  ...{ offerId: 'a', creativeId: 'a-web', placementId: null, mandatory: false, rank: 1 },
  ...{ probability, estimated: false, creativeShare: 1, channelId: 'web', propensity: 0.1 },
  ...more,
});

test('a doubled probability differs, a rounding error does not', () => {
  assert.equal(differs([item(0.1)], weighed([place(0.1)])), false);
  assert.equal(differs([item(0.1 + 1e-12)], weighed([place(0.1)])), false);
  assert.equal(differs([item(0.2)], weighed([place(0.1)])), true);
  assert.equal(differs([item(0.1)], weighed([])), true);
});

test('an estimate differs beyond its noise', () => {
  const estimated = { estimated: true, draws: 1_000 };
  assert.equal(differs([item(0.11, estimated)], weighed([place(0.1, { method: 'integral' })])), false);
  assert.equal(differs([item(0.2, estimated)], weighed([place(0.1, { method: 'integral' })])), true);
});

test('equal probabilities give a ratio of exactly 1, including creatives', () => {
  const items = [item(0.3, { creativeShare: 0.7 })];
  const own = weighed([place(0.3, { creativeShare: 0.7 })]);
  const [row] = placeRows(items, loggedChances(items, own)!, [1], own, own);
  assert.deepEqual([row?.ratio, row?.reward, row?.supported], [1, 1, 1]);
});

test('another share of the creative weighs as much as another probability', () => {
  const items = [item(0.5, { creativeShare: 0.25 })];
  const own = weighed([place(0.5, { creativeShare: 0.5 })]);
  assert.equal(placeRows(items, loggedChances(items, null)!, [0], own, null)[0]?.ratio, 2);
});

test('offers that the draft shows instead, or after the response, have no weight and no support', () => {
  const items = [item(0.5), item(0.5, { offerId: 'b', creativeId: 'b-web', rank: 2 })];
  const live = weighed([place(0.5), place(0.5)]);
  const departs = placeRows(items, loggedChances(items, live)!, [1, 1], weighed([place(0.5)], [choice('c', 1)]), live);
  assert.deepEqual(
    departs.map(({ ratio, reward, supported }) => [ratio, reward, supported]),
    [
      [1, 1, 1],
      [0, 1, 0],
    ],
  );
  const longer = placeRows(items, loggedChances(items, live)!, [1, 1], weighed(live.places, [choice('c', 1)]), live);
  assert.deepEqual([longer.length, longer[2]?.item, longer[2]?.ratio, longer[2]?.supported], [3, null, 0, 0]);
});

test('weighing replaces estimates, and rare picks stay unknown', () => {
  const items = [item(0.02, { estimated: true, draws: 1_000 })];
  const counted = (hits: number) => weighed([place(0.01, { method: 'repetitions', hits })]);
  assert.equal(loggedChances(items, counted(200))?.[0]?.probability, 0.01);
  assert.equal(loggedChances(items, counted(19)), null);
  assert.equal(loggedChances(items, null), null);
  const sure = [item(0.5)];
  assert.equal(placeRows(sure, loggedChances(sure, null)!, [1], counted(19), null)[0]?.ratio, 0);
});
