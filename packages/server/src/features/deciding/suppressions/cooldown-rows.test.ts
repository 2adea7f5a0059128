import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SnapshotPolicy } from '@arbiter/engine';
import { runningCooldowns } from './cooldown-rows.ts';

const hour = 3_600_000;
const now = 1000 * hour;
const policy = (
  id: string,
  config: SnapshotPolicy['config'],
  scopes: SnapshotPolicy['scopes'],
  ruleType = 'cooldown',
): SnapshotPolicy => ({ id, name: id, ruleType, config, scopes, priority: 50, createdAt: 0 });
const global = [{ scope: 'global', scopeId: null }];
const contact = (offerId: string, hoursAgo: number) => ({ lane: { offerId }, at: now - hoursAgo * hour });
const categories: Readonly<Record<string, string>> = { a: 'cards', b: 'cards', c: 'loans' };
const rowsOf = (policies: SnapshotPolicy[], ...contacts: ReturnType<typeof contact>[]) =>
  runningCooldowns(policies, contacts, (id) => categories[id] ?? null, now)
    .map(({ policyId, scope, scopeId, createdAt, expiresAt }) => [
      policyId,
      scope,
      scopeId,
      (now - createdAt) / hour,
      (expiresAt - now) / hour,
    ])
    .sort();

test('a cooldown runs from the latest contact of its scope, for its length at most', () => {
  const p = policy('p', { cooldownHours: 24 }, global);
  assert.deepEqual(rowsOf([p], contact('a', 5), contact('b', 2)), [['p', 'global', 'all', 2, 22]]);
  assert.deepEqual(rowsOf([p], contact('a', 24)), [], 'exactly that long ago passes');
  assert.deepEqual(rowsOf([policy('p', { maxPerDay: 1 }, global, 'frequency_cap')], contact('a', 1)), []);
});

test('the row names what the policy blocks: offers, categories or everything; channels and creatives have none', () => {
  const config = { cooldownHours: 10 };
  const contacts = [contact('a', 1), contact('c', 3)];
  assert.deepEqual(rowsOf([policy('p', config, [{ scope: 'offer', scopeId: 'a' }])], ...contacts), [
    ['p', 'offer', 'a', 1, 9],
  ]);
  assert.deepEqual(rowsOf([policy('p', config, [{ scope: 'category', scopeId: 'cards' }])], ...contacts), [
    ['p', 'category', 'cards', 1, 9],
  ]);
  assert.deepEqual(rowsOf([policy('p', { ...config, per: 'offer' }, global)], ...contacts), [
    ['p', 'offer', 'a', 1, 9],
    ['p', 'offer', 'c', 3, 7],
  ]);
  assert.deepEqual(rowsOf([policy('p', { ...config, per: 'category' }, global)], ...contacts, contact('x', 1)), [
    ['p', 'category', 'cards', 1, 9],
    ['p', 'category', 'loans', 3, 7],
  ]);
  for (const per of ['creative', 'channel']) {
    assert.deepEqual(rowsOf([policy('p', { ...config, per }, global)], ...contacts), []);
  }
  const elsewhere = [
    { scope: 'channel', scopeId: 'web' },
    { scope: 'category', scopeId: 'cars' },
  ];
  assert.deepEqual(rowsOf([policy('p', config, elsewhere)], ...contacts), []);
});

test('rows have their own positions, in the order of their contacts', () => {
  const per = policy('p', { cooldownHours: 10, per: 'offer' }, global);
  const rows = runningCooldowns([per], [contact('a', 1), contact('b', 1), contact('c', 3)], () => null, now);
  const places = rows.map(({ position }) => position);
  assert.equal(new Set(places).size, 3);
  assert.ok(places.every((place) => /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/.test(place)));
  assert.ok(places[2]! < places[0]! && places[2]! < places[1]!);
});
