import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBreaker, lookingAt } from './breaker.ts';

test('five failures in a row open it for the pause; then one probe decides', () => {
  let at = 1000;
  const moves: string[] = [];
  const breaker = createBreaker({ failures: 5, pauseMs: 60_000, now: () => at, onMove: (to) => void moves.push(to) });
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
  breaker.succeeded('a');
  assert.deepEqual(moves, ['open', 'half_open', 'open', 'half_open', 'closed']);
});

test('checking alone uses no probe', () => {
  let at = 1000;
  const breaker = createBreaker({ failures: 2, pauseMs: 60_000, now: () => at });
  const looker = lookingAt(breaker);
  assert.equal(looker.isOpen('a'), false);
  breaker.failed('a');
  assert.equal(looker.isOpen('a'), false);
  breaker.failed('a');
  assert.equal(looker.isOpen('a'), true);
  at += 60_000;
  assert.deepEqual([looker.isOpen('a'), looker.isOpen('a')], [false, false], 'it would be asked');
  assert.equal(breaker.isOpen('a'), false, 'the probe is still there');
  assert.equal(looker.isOpen('a'), true, 'and now it is under way');
  breaker.succeeded('a');
  assert.equal(looker.isOpen('a'), false);
});

test('of very many failing keys, forgets the one failing longest, and no other', () => {
  const breaker = createBreaker({ failures: 1, pauseMs: 60_000, now: () => 0 });
  for (let key = 0; key < 10_000; key += 1) breaker.failed(String(key));
  assert.deepEqual([breaker.isOpen('0'), breaker.isOpen('9999')], [true, true]);
  breaker.failed('one more');
  assert.deepEqual([breaker.isOpen('0'), breaker.isOpen('1'), breaker.isOpen('one more')], [false, true, true]);
});
