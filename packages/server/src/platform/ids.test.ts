import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstIdAt, idAt, instantOfId, isUuid, newId } from './ids.ts';

test('ids are UUIDv7, distinct and only grow', () => {
  const started = Date.now();
  const ids = Array.from({ length: 20_000 }, () => newId());
  for (let i = 0; i < ids.length; i++) {
    assert.match(ids[i]!, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    if (i > 0) assert.ok(ids[i]! > ids[i - 1]!);
  }
  assert.ok(instantOfId(ids[0]!) >= started);
  // 20,000 ids in one go borrow at most a few milliseconds from the future.
  assert.ok(instantOfId(ids.at(-1)!) <= Date.now() + 20);
});

test('ids keep growing when the clock steps back', (t) => {
  const before = newId();
  t.mock.method(Date, 'now', () => instantOfId(before) - 300_000);
  const after = newId();
  assert.ok(after > before);
});

test('an id of an instant lies between the bounds of its millisecond', () => {
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

test('isUuid takes the usual form only, in either case', () => {
  assert.ok(isUuid(newId()));
  assert.ok(isUuid(newId().toUpperCase()));
  for (const bad of ['', 'x', `${newId()} `, `${newId()}\n`, newId().replaceAll('-', '')]) {
    assert.ok(!isUuid(bad), bad);
  }
});
