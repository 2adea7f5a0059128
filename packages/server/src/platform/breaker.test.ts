import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBreaker } from './breaker.ts';

const five = () => createBreaker({ failures: 5, pauseMs: 60_000 });

test('it opens after five failures in a row, for one name alone', () => {
  const breaker = five();
  for (let at = 0; at < 4; at++) breaker.failed('a', at);
  assert.equal(breaker.mayCall('a', 10), true);
  breaker.failed('a', 10);
  assert.equal(breaker.mayCall('a', 11), false);
  assert.equal(breaker.mayCall('b', 11), true);
});

test('a success between failures begins the count again', () => {
  const breaker = five();
  for (let at = 0; at < 4; at++) breaker.failed('a', at);
  breaker.succeeded('a');
  for (let at = 0; at < 4; at++) breaker.failed('a', at);
  assert.equal(breaker.mayCall('a', 5), true);
});

test('after the pause one probe goes out; it closes the breaker, or opens it for another pause', () => {
  const breaker = five();
  for (let at = 0; at < 5; at++) breaker.failed('a', 0);
  assert.equal(breaker.mayCall('a', 59_999), false);
  assert.equal(breaker.mayCall('a', 60_000), true);
  assert.equal(breaker.mayCall('a', 60_000), false, 'the others wait for the probe');
  breaker.failed('a', 60_100);
  assert.equal(breaker.mayCall('a', 120_099), false);
  assert.equal(breaker.mayCall('a', 120_100), true);
  breaker.succeeded('a');
  assert.equal(breaker.mayCall('a', 120_101), true);
  assert.equal(breaker.mayCall('a', 120_101), true);
});
