import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBreaker } from './breaker.ts';

test('five failures in a row open it for the pause; then one probe decides', () => {
  let at = 1000;
  const breaker = createBreaker({ failures: 5, pauseMs: 60_000, now: () => at });
  for (let failure = 0; failure < 4; failure++) breaker.failed('a');
  assert.equal(breaker.isOpen('a'), false, 'four are not enough');
  breaker.succeeded('a');
  for (let failure = 0; failure < 4; failure++) breaker.failed('a');
  assert.equal(breaker.isOpen('a'), false, 'not in a row');
  breaker.failed('a');
  assert.equal(breaker.isOpen('a'), true);
  assert.equal(breaker.isOpen('b'), false, 'each key by itself');
  at += 59_999;
  assert.equal(breaker.isOpen('a'), true);
  at += 1;
  assert.equal(breaker.isOpen('a'), false, 'the probe');
  assert.equal(breaker.isOpen('a'), true, 'nobody else meanwhile');
  breaker.failed('a');
  assert.equal(breaker.isOpen('a'), true, 'a probe that fails opens it anew');
  at += 60_000;
  assert.equal(breaker.isOpen('a'), false);
  breaker.succeeded('a');
  assert.equal(breaker.isOpen('a'), false);
  assert.equal(breaker.isOpen('a'), false);
});
