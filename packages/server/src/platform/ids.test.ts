import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createIds, firstIdAt, idAt, instantOfId, isCanonicalUuid, isUuid, newId } from './ids.ts';
import { systemClock } from './time/clock.ts';

test('IDs are UUIDv7, distinct and increasing', () => {
  // Servers in this process may have set its clock by their database's.
  const started = systemClock.now();
  const ids = Array.from({ length: 20_000 }, () => newId());
  for (let i = 0; i < ids.length; i++) {
    assert.match(ids[i]!, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    if (i > 0) assert.ok(ids[i]! > ids[i - 1]!);
  }
  assert.ok(instantOfId(ids[0]!) >= started);
  // 20,000 ids in one go borrow at most a few milliseconds from the future.
  assert.ok(instantOfId(ids.at(-1)!) <= systemClock.now() + 20);
});

test('IDs increase when the clock steps back', (t) => {
  const before = newId();
  t.mock.method(Date, 'now', () => instantOfId(before) - 300_000);
  const after = newId();
  assert.ok(after > before);
});

test('an ID of an instant is between the bounds of its millisecond', () => {
  const at = Date.UTC(2026, 10, 1);
  assert.equal(firstIdAt(at), '01a19467-e800-7000-8000-000000000000');
  for (let i = 0; i < 100; i++) {
    const id = idAt(at);
    assert.equal(instantOfId(id), at);
    assert.ok(id >= firstIdAt(at) && id < firstIdAt(at + 1));
  }
  assert.throws(() => firstIdAt(-1), RangeError);
  assert.throws(() => idAt(1.5), RangeError);
});

test('isUuid accepts the usual form only, in either case', () => {
  assert.ok(isUuid(newId()));
  assert.ok(isUuid(newId().toUpperCase()));
  for (const bad of ['', 'x', `${newId()} `, `${newId()}\n`, newId().replaceAll('-', '')]) {
    assert.ok(!isUuid(bad), bad);
  }
});

test('isCanonicalUuid accepts lowercase only', () => {
  assert.ok(isCanonicalUuid(newId()));
  assert.ok(!isCanonicalUuid('0190A1B2-c3d4-7e5f-8a9b-0c1d2e3f4a00'));
  assert.ok(!isCanonicalUuid(''));
});

test('IDs increase while the clock stands still and when it steps back', () => {
  const clock = { now: 1_000_000 };
  const { newId: next } = createIds(() => clock.now);
  const made = [next()];
  // More than the counter holds within one millisecond.
  for (let index = 0; index < 5_000; index += 1) made.push(next());
  clock.now -= 60_000;
  for (let index = 0; index < 10; index += 1) made.push(next());
  assert.deepEqual(made.toSorted(), made);
  assert.equal(new Set(made).size, made.length);
});
