import assert from 'node:assert/strict';
import { afterEach, beforeEach, suite, test } from 'node:test';
import { forgetAll } from '../data/storage.ts';
import { MemoryStorage, setGlobals, signIn, signOut } from '../data/test-browser.ts';
import {
  addRecent,
  markDeleted,
  maxPins,
  maxRecents,
  onSavedRecords,
  pin,
  savedRecords,
  unpin,
} from './saved-records.ts';

const local = new MemoryStorage();
const { kept: items } = local;
let restore: () => void;
/** Listeners of the window, which hear what other tabs write. */
const hearers = new Set<() => void>();

suite('saved records', () => {
  beforeEach(() => {
    items.clear();
    restore = setGlobals({
      localStorage: local,
      addEventListener: (_: string, hear: () => void) => hearers.add(hear),
      removeEventListener: (_: string, hear: () => void) => hearers.delete(hear),
    });
    signIn('ada', 'engines');
    forgetAll();
  });
  afterEach(() => {
    restore();
    signOut();
  });

  const offer = { kind: 'offer', id: 'o1', name: 'Gold Birthday Drink' } as const;
  const stored = () => [...items.values()].join();
  const names = (records: readonly { readonly name: string | null; readonly id: string }[]) =>
    records.map(({ name, id }) => name ?? id);

  test('lists recent records newest first, each once, up to the limit', () => {
    addRecent(offer, 1);
    addRecent({ kind: 'segment', id: 's1', name: 'Lapsed' }, 2);
    addRecent({ ...offer, name: 'Platinum Birthday Drink' }, 3);
    assert.deepEqual(names(savedRecords().recents), ['Platinum Birthday Drink', 'Lapsed']);
    for (let at = 0; at < 30; at += 1) addRecent({ kind: 'offer', id: `x${at}`, name: `Offer ${at}` }, 10 + at);
    assert.equal(savedRecords().recents.length, maxRecents);
    assert.equal(savedRecords().recents[0]?.name, 'Offer 29');
  });

  test('updates the name of a pin in its place, and rejects pins beyond the limit', () => {
    assert.equal(pin(offer, 1), 'pinned');
    assert.equal(pin({ kind: 'offer', id: 'o2', name: 'Oat Milk Week' }, 2), 'pinned');
    addRecent({ ...offer, name: 'Platinum Birthday Drink' }, 3);
    assert.deepEqual(names(savedRecords().pins), ['Oat Milk Week', 'Platinum Birthday Drink']);
    for (let at = 2; at < maxPins; at += 1)
      assert.equal(pin({ kind: 'segment', id: `s${at}`, name: 'S' }, at), 'pinned');
    assert.equal(pin({ kind: 'offer', id: 'o3', name: 'One too many' }, 99), 'full');
    // Pinned again is no other pin.
    assert.equal(pin(offer, 100), 'pinned');
    unpin(offer);
    assert.ok(!savedRecords().pins.some(({ id }) => id === 'o1'));
  });

  test('reports blocked browser storage', () => {
    const none = { ...local, setItem: () => assert.fail('full') };
    setGlobals({ localStorage: none });
    assert.equal(pin(offer, 1), 'not-stored');
    // What stays in the page needs no store.
    assert.equal(pin({ kind: 'customer', id: 'CM-000001', name: null }, 1), 'pinned');
  });

  test('stores neither customers nor names of decisions', () => {
    addRecent({ kind: 'customer', id: 'CM-000001', name: 'Mia' }, 1);
    pin({ kind: 'customer', id: 'CM-000002', name: 'Ben' }, 2);
    pin({ kind: 'decision', id: 'd1', name: 'Decision for CM-000003' }, 3);
    addRecent({ kind: 'decision', id: 'd1', name: 'Decision for CM-000003' }, 4);
    assert.doesNotMatch(stored(), /CM-|Mia|Ben/);
    assert.match(stored(), /"d1"/);
    // While the page stays loaded they are there.
    assert.deepEqual(names(savedRecords().recents), ['d1', 'CM-000001']);
    assert.deepEqual(names(savedRecords().pins), ['d1', 'CM-000002']);
    forgetAll();
    signOut();
    signIn('ada', 'engines');
    assert.deepEqual(savedRecords(), { pins: [], recents: [] });
  });

  test('removes deleted records from the recent ones, and marks their pins', () => {
    pin(offer, 1);
    addRecent(offer, 2);
    markDeleted(offer);
    assert.deepEqual(savedRecords().recents, []);
    assert.deepEqual([savedRecords().pins[0]?.isDeleted, savedRecords().pins[0]?.name], [true, 'Gold Birthday Drink']);
    addRecent(offer, 3);
    assert.equal(savedRecords().pins[0]?.isDeleted, undefined);
  });

  test('stores records per user and tenant, and follows other tabs', () => {
    pin(offer, 1);
    signIn('ben', 'engines');
    assert.deepEqual(savedRecords().pins, []);
    signIn('ada', 'looms');
    assert.deepEqual(savedRecords().pins, []);
    signIn('ada', 'engines');
    assert.equal(savedRecords().pins.length, 1);
    let calls = 0;
    const end = onSavedRecords(() => {
      calls += 1;
    });
    assert.equal(savedRecords(), savedRecords(), 'the same until something changes');
    items.clear();
    for (const hear of hearers) hear();
    assert.deepEqual([calls, savedRecords().pins.length], [1, 0]);
    end();
    assert.equal(hearers.size, 0);
  });

  test('skips invalid stored records', () => {
    items.set(
      'arbiter:engines:ada:pins',
      JSON.stringify([
        { ...offer, at: 1, pinnedAt: 1 },
        { ...offer, name: 'The same again', at: 0, pinnedAt: 0 },
        { ...offer, id: 'o2', at: 1 },
        { kind: 'customer', id: 'CM-000001', name: null, at: 1, pinnedAt: 1 },
        { kind: 'constructor', id: 'o3', name: 'x', at: 1, pinnedAt: 1 },
        null,
        'x',
      ]),
    );
    items.set('arbiter:engines:ada:recents', '{"kind":"offer"}');
    signIn('ada', 'engines');
    assert.deepEqual(names(savedRecords().pins), ['Gold Birthday Drink']);
    assert.deepEqual(savedRecords().recents, []);
  });
});
