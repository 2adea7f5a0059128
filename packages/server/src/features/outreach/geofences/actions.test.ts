import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Geofence, GeofenceCheckAnswer, Problem } from '@arbiter/contract';
import { says } from '../../operations/notifications/test-destination.ts';
import { startTriggerServer, type TriggerServer } from '../triggers/test-triggers.ts';

/** What geofences do when they fire (docs/design/api-catalogue.md 16). */

let world: TriggerServer;
before(async () => {
  world = await startTriggerServer();
});
after(() => world?.close());

let latitude = 0;
const create = (action: object) =>
  world.server.createRecord<Geofence>('geofences', { name: 'Store', latitude: ++latitude, longitude: 0, action });

/** Sees a customer at the geofence. Returns the id of its firing. */
async function visit({ id, latitude, longitude }: Geofence, customerId: string): Promise<string> {
  const body = { latitude, longitude, track: true, customerId };
  const { body: answer } = await world.server.call<GeofenceCheckAnswer>('POST', '/api/v1/geofences/check', { body });
  assert.equal(answer.matches[0]?.triggered, true, JSON.stringify(answer));
  const events = await world.server.call<{ data: { id: string }[] }>('GET', `/api/v1/geofences/${id}/events`);
  return events.body.data[0]!.id;
}
const facts = { jobId: '1', attempt: 1, dueAt: null, signal: new AbortController().signal };
const dispatch = (eventId: string) =>
  world.server.jobs.get('geofence.dispatch')!.run({ eventId }, facts, world.server.tenants[0].id);
const isOpen = async (eventId: string) => {
  const [row] = await world.server.testDatabase.ownerQuery<{ isOpen: boolean }>(
    'select dispatched_at is null as "isOpen" from arbiter.geofence_events where id = $1',
    [eventId],
  );
  return row?.isOpen;
};

describe('a webhook', () => {
  test("is called under the firing's ID until it responds, at its current address", async () => {
    const { peer, server } = world;
    peer.on('/closed', says(500));
    const geofence = await create({ type: 'webhook', url: peer.url('/closed') });
    const eventId = await visit(geofence, 'walker');
    await assert.rejects(dispatch(eventId), /responded with 500/);
    assert.equal(await isOpen(eventId), true);
    const action = { type: 'webhook', url: peer.url('/open') };
    await server.call('PUT', `/api/v1/geofences/${geofence.id}`, { body: { action } });
    await dispatch(eventId);
    await dispatch(eventId);
    assert.deepEqual(
      [...peer.got('/closed'), ...peer.got('/open')].map(({ headers }) => headers['webhook-id']),
      [eventId, eventId],
    );
    const { type, title, data } = JSON.parse(peer.got('/open')[0]!.text);
    assert.deepEqual([type, title], ['geofence', 'Store']);
    const { occurredAt, ...rest } = data;
    assert.deepEqual(rest, { geofenceId: geofence.id, customerId: 'walker', event: 'enter', distance: 0 });
    assert.equal(new Date(occurredAt).toISOString(), occurredAt);
    assert.equal(JSON.stringify(data).includes('atitude'), false);
  });

  test('goes to a notification destination with its secret', async () => {
    const { peer, server } = world;
    const providerId = await server.create('notifications/providers', {
      ...{ name: 'Hook', kind: 'webhook', config: { url: peer.url('/signed'), secret: 'x'.repeat(20) } },
    });
    const eventId = await visit(await create({ type: 'webhook', providerId: providerId.toUpperCase() }), 'runner');
    await dispatch(eventId);
    const [call] = peer.got('/signed');
    assert.deepEqual([call?.headers['webhook-id'], typeof call?.headers['webhook-signature']], [eventId, 'string']);
  });
});

test('a decision is made once', async () => {
  const geofence = await create({ type: 'fire_recommend', decisionFlowKey: 'main' });
  const eventId = await visit(geofence, 'shopper');
  await dispatch(eventId);
  await dispatch(eventId);
  const rows = await world.server.testDatabase.ownerQuery(
    `select source from arbiter.decisions where source = 'trigger' and source_id = $1`,
    [geofence.id],
  );
  assert.equal(rows.length, 1);
});

test('does nothing once geofences are off, and drops what waits', async () => {
  const { peer, server } = world;
  const eventId = await visit(await create({ type: 'webhook', url: peer.url('/off') }), 'late');
  const set = (enableGeofences: boolean) =>
    server.call('PUT', '/api/v1/tenant-settings', { body: { enableGeofences } });
  await set(false);
  await dispatch(eventId);
  await set(true);
  await dispatch(eventId);
  assert.deepEqual([await isOpen(eventId), peer.got('/off').length], [false, 0]);
});

describe('is rejected', () => {
  const missing = '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a00';
  for (const [words, action, path] of [
    ['a journey that does not exist', () => ({ type: 'journey_enroll', journeyId: missing }), 'journeyId'],
    ['a flow by an unknown key', () => ({ type: 'recommend', decisionFlowKey: 'mian' }), 'decisionFlowKey'],
    [
      'a flow by key and id',
      () => ({ type: 'recommend', decisionFlowKey: 'main', decisionFlowId: world.ids.flow }),
      'decisionFlowKey',
    ],
    [
      'a channel by type and id',
      () => ({ type: 'recommend', decisionFlowKey: 'main', channel: 'email', channelId: world.ids.batchChannel }),
      'channelId',
    ],
    ['delivery', () => ({ type: 'recommend', decisionFlowKey: 'main', deliver: true }), 'deliver'],
    ['a webhook without an address', () => ({ type: 'webhook' }), 'url'],
    ['a webhook within the network', () => ({ type: 'webhook', url: 'http://169.254.169.254/' }), 'url'],
    ['a secret of its own', () => ({ type: 'webhook', url: world.peer.url('/'), secret: 'x'.repeat(20) }), 'secret'],
    ['a destination that does not exist', () => ({ type: 'webhook', providerId: missing }), 'providerId'],
  ] as const) {
    test(words, async () => {
      const body = { name: 'Store', latitude: 0, longitude: 0, action: action() };
      const answer = await world.server.call<Problem>('POST', '/api/v1/geofences', { body });
      assert.deepEqual([answer.status, answer.body.errors?.[0]?.path], [400, `/action/${path}`], answer.text);
    });
  }
});
