import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LiveRoute } from './flow-routes.store.ts';
import { type RouteRequest, routeTable } from './route-table.ts';

const places = {
  channels: [
    { id: 'web', channelType: 'web' },
    { id: 'web2', channelType: 'web' },
    { id: 'mail', channelType: 'email' },
  ],
  placements: [
    { id: 'hero', channelId: 'web', key: 'hero', name: 'Hero', slotType: 'banner' },
    { id: 'hero2', channelId: 'web2', key: 'hero', name: 'Hero', slotType: 'banner' },
    { id: 'inbox', channelId: 'mail', key: 'inbox', name: 'Inbox', slotType: 'list' },
  ],
  inactivePlacements: [{ id: 'old', channelId: 'gone' }],
};

let age = 0;
const route = (
  decisionFlowId: string,
  channelId: string | null = null,
  placementId: string | null = null,
  priority = 0,
): LiveRoute => ({ id: decisionFlowId, decisionFlowId, channelId, placementId, priority, createdAt: ++age });

const ask = (request: Partial<RouteRequest>): RouteRequest => ({
  channel: null,
  channelId: null,
  placement: null,
  placements: null,
  ...request,
});
const slots = (...ids: string[]) => ids.map((placementId) => ({ placementId, limit: null }));

test('the most specific route decides: placement, then channel, then catch-all (docs/design/api-decisioning.md 5)', () => {
  const table = routeTable(
    [route('all', null, null, 1000), route('web', 'web', null, 500), route('hero', 'web', 'hero')],
    places,
    () => true,
  );
  const flow = (request: Partial<RouteRequest>) => table.flowFor(ask(request));
  assert.equal(flow({}), 'all');
  assert.equal(flow({ channelId: 'mail' }), 'all');
  assert.equal(flow({ channelId: 'web' }), 'web');
  assert.equal(flow({ channel: 'web' }), 'web', 'all active channels of the type are named');
  assert.equal(flow({ channelId: 'web', placement: 'hero' }), 'hero');
  assert.equal(flow({ placement: 'banner' }), 'hero', 'the slot type names the hero too');
  assert.equal(flow({ channelId: 'web2', placement: 'hero' }), 'all', 'the hero of another channel');
  assert.equal(flow({ placement: 'nowhere', channelId: 'web' }), 'web');
  assert.equal(flow({ placements: slots('hero', 'inbox') }), 'hero');
  assert.equal(flow({ placements: slots('inbox', 'hero') }), 'all', 'the first placement decides');
  assert.equal(flow({ placements: slots('unknown') }), 'all');
});

test('among equally specific routes, the highest priority wins, then the oldest', () => {
  const flow = (routes: LiveRoute[], request: Partial<RouteRequest>) =>
    routeTable(routes, places, () => true).flowFor(ask(request));
  const older = route('older', 'web', null, 5);
  const newer = route('newer', 'web2', null, 5);
  assert.equal(flow([newer, older], { channel: 'web' }), 'older');
  assert.equal(flow([older, { ...newer, priority: 6 }], { channel: 'web' }), 'newer');
  assert.equal(flow([route('b', 'web2', 'hero2', 1), route('a', 'web', 'hero', 0)], { placement: 'Hero' }), 'b');
});

test("skips routes to flows that can't run; inactive channels and placements still have routes", () => {
  const table = routeTable(
    [route('draft', 'web', 'hero', 9), route('web', 'web'), route('old', 'gone', 'old'), route('gone', 'gone')],
    places,
    (id) => id !== 'draft',
  );
  assert.equal(table.flowFor(ask({ placements: slots('hero') })), 'web');
  assert.equal(table.flowFor(ask({ placements: slots('old') })), 'old');
  assert.equal(table.flowFor(ask({ channelId: 'gone' })), 'gone');
  assert.equal(table.flowFor(ask({})), null);
  assert.equal(routeTable([], places, () => true).flowFor(ask({ channelId: 'web' })), null);
});
