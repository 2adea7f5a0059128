import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createIds, instantOfId } from '../ids.ts';
import { createFollowingClock, instantFrom } from './clock.ts';

const hourMs = 3_600_000;
const noon = Date.parse('2026-11-20T12:00:00Z');

test("a clock uses the machine's time until the database's is known, and then follows the database", () => {
  let own = noon + 25 * hourMs;
  let elapsed = 1_000;
  const clock = createFollowingClock(
    () => own,
    () => elapsed,
  );
  assert.deepEqual([clock.now(), clock.follows()], [own, false]);
  elapsed += 10;
  clock.follow(noon, elapsed - 10);
  assert.equal(clock.follows(), true);
  assert.ok(Math.abs(clock.now() - noon) <= 10);
  const told = clock.now();
  own -= 30 * hourMs;
  elapsed += 60_000;
  assert.equal(clock.now(), told + 60_000, 'a step of the machine’s clock doesn’t reach it');
});

test("a slow trip doesn't move a correct clock; a step of the database's clock does", () => {
  let elapsed = 0;
  const clock = createFollowingClock(
    () => 0,
    () => elapsed,
  );
  elapsed = 2;
  clock.follow(noon, 0);
  const offset = clock.now() - elapsed;
  elapsed = 3_002;
  clock.follow(noon + 1_500, 2);
  assert.equal(clock.now() - elapsed, offset);
  elapsed = 3_004;
  clock.follow(noon - hourMs, 3_002);
  assert.ok(Math.abs(clock.now() - (noon - hourMs)) <= 2);
});

test("a clock set by hand replaces the database's", () => {
  assert.equal(instantFrom({ now: () => noon }, new Date(noon + hourMs), 0), noon);
});

test("IDs from before the clock was set don't hold later ones back", () => {
  let now = noon + 25 * hourMs;
  let isSet = false;
  const ids = createIds(
    () => now,
    () => isSet,
  );
  assert.equal(instantOfId(ids.newId()), now);
  now = noon;
  isSet = true;
  const first = ids.newId();
  assert.equal(instantOfId(first), noon);
  now = noon - hourMs;
  assert.ok(ids.newId() > first, 'from then on they only grow');
});
