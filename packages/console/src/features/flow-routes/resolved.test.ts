import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resolveRoute, routeOf } from './resolved.ts';

const route = (id: string, channelId: string | null, placementId: string | null, flow: string, priority = 0) => ({
  ...{ id, channelId, placementId, decisionFlowId: flow, priority },
  createdAt: `2026-01-0${id.length}T00:00:00.000Z`,
});
const routes = [route('a', null, null, 'base'), route('b', 'email', null, 'mail'), route('c', 'email', 'hero', 'hero')];
const anyFlow = () => true;

test('prefers placement to channel, and channel to every request', () => {
  const flowAt = (channelId: string | null, placementId: string | null) => {
    const { reason, route: found } = resolveRoute(routes, { channelId, placementId }, anyFlow);
    return [reason, found?.decisionFlowId ?? null];
  };
  assert.deepEqual(flowAt('email', 'hero'), ['placement', 'hero']);
  assert.deepEqual(flowAt('email', 'footer'), ['channel', 'mail']);
  assert.deepEqual(flowAt('email', null), ['channel', 'mail']);
  assert.deepEqual(flowAt('web', null), ['catchAll', 'base']);
  assert.deepEqual(flowAt(null, null), ['catchAll', 'base']);
});

test('skips routes to flows that cannot run, and names them', () => {
  const { reason, skipped } = resolveRoute(
    routes,
    { channelId: 'email', placementId: 'hero' },
    (flow) => flow === 'base',
  );
  assert.equal(reason, 'catchAll');
  assert.deepEqual(
    skipped.map(({ id }) => id),
    ['c', 'b'],
  );
  assert.deepEqual(resolveRoute([], { channelId: 'email', placementId: null }, anyFlow), {
    reason: 'fallback',
    route: null,
    skipped: [],
  });
});

test('orders equally specific routes by priority, then by age', () => {
  const two = [route('aa', null, null, 'young', 5), route('a', null, null, 'old', 5), route('b', null, null, 'low', 1)];
  assert.equal(resolveRoute(two, { channelId: null, placementId: null }, anyFlow).route?.decisionFlowId, 'old');
});

test("finds a place's own route", () => {
  assert.equal(routeOf(routes, { channelId: 'email', placementId: 'hero' })?.id, 'c');
  assert.equal(routeOf(routes, { channelId: 'email', placementId: 'footer' }), null);
  assert.equal(routeOf(routes, { channelId: 'email', placementId: null })?.id, 'b');
  assert.equal(routeOf(routes, { channelId: null, placementId: null })?.id, 'a');
});
