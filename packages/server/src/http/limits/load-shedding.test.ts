import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LoadClass } from '@arbiter/contract';
import { AppError } from '../../platform/app-error.ts';
import { type ClassLimits, createLoadShedder, defaultLimits, eventLoopDelay } from './load-shedding.ts';

const order: readonly LoadClass[] = ['health', 'inbound', 'decision', 'crud', 'heavy'];
const isOverloaded = (error: unknown) => error instanceof AppError && error.code === 'overloaded';

test('sheds classes from the bottom as the loop falls behind', () => {
  let delay = 0;
  const shedder = createLoadShedder(() => delay);
  const admitted = (): LoadClass[] =>
    order.filter((loadClass) => {
      try {
        shedder.enter(loadClass, '');
        shedder.leave(loadClass, '');
        return true;
      } catch (error) {
        assert.ok(isOverloaded(error));
        return false;
      }
    });
  assert.deepEqual(admitted(), order);
  const left = [200, 500, 1_000, 5_000].map((ms) => {
    delay = ms;
    return admitted().length;
  });
  assert.deepEqual(left, [4, 3, 2, 1]);
});

test('the limits decrease from class to class', () => {
  const limits = order.map((loadClass) => defaultLimits[loadClass]);
  for (let i = 1; i < limits.length; i += 1) {
    assert.ok(limits[i]!.total < limits[i - 1]!.total && limits[i]!.delayMs < limits[i - 1]!.delayMs);
  }
});

test('a class has its own limit, within the limit for all', () => {
  const limit = (own: number, total: number): ClassLimits => ({ own, total, perTenant: own, delayMs: Infinity });
  const shedder = createLoadShedder(() => 0, {
    ...defaultLimits,
    decision: limit(3, 10),
    crud: limit(2, 4),
  });
  shedder.enter('crud', '');
  shedder.enter('crud', '');
  assert.throws(() => shedder.enter('crud', ''), isOverloaded);
  shedder.leave('crud', '');
  for (let i = 0; i < 3; i += 1) shedder.enter('decision', '');
  assert.throws(() => shedder.enter('crud', ''), isOverloaded, 'four are in flight in all');
  shedder.leave('decision', '');
  shedder.enter('crud', '');
  assert.equal(shedder.inFlight(), 4);
  for (let i = 0; i < 100; i += 1) shedder.enter('health', '');
});

test("one tenant can't fill a class", () => {
  const shedder = createLoadShedder(() => 0, {
    ...defaultLimits,
    heavy: { own: 4, total: 100, perTenant: 2, delayMs: Infinity },
  });
  shedder.enterTenant('heavy', 'a');
  shedder.enterTenant('heavy', 'a');
  assert.throws(() => shedder.enterTenant('heavy', 'a'), isOverloaded);
  shedder.enterTenant('heavy', 'b');
  shedder.leaveTenant('heavy', 'a');
  shedder.enterTenant('heavy', 'a');
});

test("one credential can't fill a class either, and is recognized before its tenant", () => {
  const shedder = createLoadShedder(() => 0, {
    ...defaultLimits,
    decision: { own: 3, total: 100, perTenant: 2, delayMs: Infinity },
  });
  shedder.enter('decision', 'a');
  shedder.enter('decision', 'a');
  assert.deepEqual([shedder.hasRoom('decision', 'a'), shedder.hasRoom('decision', 'b')], [false, true]);
  assert.throws(() => shedder.enter('decision', 'a'), isOverloaded);
  let told = 0;
  shedder.onRoom(() => {
    told += 1;
  });
  shedder.enter('decision', 'b');
  assert.ok(shedder.isFull('decision'));
  shedder.leave('decision', 'a');
  assert.equal(told, 1);
  shedder.enter('decision', 'a');
  // Without a credential there's no caller to count against.
  shedder.leave('decision', 'b');
  shedder.enter('decision', '');
  assert.equal(shedder.inFlight(), 3);
});

test('detects a stalled loop', async () => {
  const delay = eventLoopDelay();
  await new Promise((resolve) => setTimeout(resolve, 300));
  delay();
  const until = performance.now() + 400;
  while (performance.now() < until);
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.ok(delay() > 20, String(delay()));
});
