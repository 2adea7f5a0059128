import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Geofence, GeofenceCheckAnswer, Problem } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';

/** Geofences over HTTP (docs/design/api-catalogue.md 16). */

let server: TestServer;
before(async () => {
  server = await startTestServer({ tenants: 2 });
});
after(() => server?.close());

const unknown = '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a00';
/** Each test has a place of its own, far from the others. */
let latitude = -80;
const place = () => {
  latitude += 5;
  return { latitude, longitude: 10 };
};

const create = (body: object) => server.createRecord<Geofence>('geofences', { name: 'Place', ...body });
const check = async (body: object) => {
  const answer = await server.call<GeofenceCheckAnswer>('POST', '/api/v1/geofences/check', { body });
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
};
const refusal = async (method: string, path: string, body: unknown, key?: string) => {
  const options = key === undefined ? { body } : { body, key };
  const answer = await server.call<Problem>(method, `/api/v1/geofences${path}`, options);
  return [answer.status, answer.body.code, answer.body.errors?.[0]?.path];
};

test('defaults, changes by both styles, and both styles of DELETE', async () => {
  const { id, tenantId, createdAt, updatedAt, ...rest } = await create({ latitude: 1, longitude: 2 });
  assert.deepEqual(rest, {
    ...{ name: 'Place', description: '', latitude: 1, longitude: 2, radiusMeters: 500, triggerOn: 'enter' },
    ...{ dwellMinutes: null, cooldownMs: 86_400_000, action: {}, status: 'active', version: 1 },
  });
  assert.equal(createdAt, updatedAt);
  assert.equal(tenantId, server.tenants[0].id);
  const put = (body: object) => server.call<Geofence>('PUT', '/api/v1/geofences', { body: { id, ...body } });
  assert.equal((await put({ dwellMinutes: 30 })).body.dwellMinutes, 30);
  assert.equal((await put({ dwellMinutes: null })).body.dwellMinutes, null);
  const theirs = server.tenants[1]!.keys.admin;
  assert.deepEqual(await refusal('PUT', '', { id, name: 'Mine' }, theirs), [404, 'not_found', undefined]);
  assert.deepEqual(await refusal('DELETE', `?id=${id}`, undefined, server.tenants[0].keys.editor), [
    403,
    'forbidden',
    undefined,
  ]);
  const gone = await server.call('DELETE', `/api/v1/geofences?id=${id}`);
  assert.deepEqual([gone.status, gone.body], [200, { success: true, id }]);
  const other = await create({ latitude: 1, longitude: 2 });
  const also = await server.call('DELETE', `/api/v1/geofences/${other.id}`);
  assert.deepEqual([also.status, also.body], [200, { success: true, id: other.id }]);
  assert.deepEqual(await refusal('DELETE', '', undefined), [400, 'validation_failed', 'query.id']);
});

describe('rejects invalid input', () => {
  const at = { name: 'Place', latitude: 0, longitude: 0 };
  for (const [words, body, path] of [
    ['a latitude as text', { ...at, latitude: '12' }, '/latitude'],
    ['a latitude beyond the pole', { ...at, latitude: 90.1 }, '/latitude'],
    ['a radius of 0', { ...at, radiusMeters: 0 }, '/radiusMeters'],
    ['a negative radius', { ...at, radiusMeters: -1 }, '/radiusMeters'],
    ['no name', { latitude: 0, longitude: 0 }, '/name'],
    ['an unknown action', { ...at, action: { type: 'recomend' } }, '/action/type'],
    ['an unknown key of an action', { ...at, action: { type: 'recommend', flow: 'x' } }, '/action/flow'],
  ] as const) {
    test(words, async () => {
      assert.deepEqual(await refusal('POST', '', body), [400, 'validation_failed', path]);
    });
  }
  test('a journey of another tenant', async () => {
    const action = { type: 'journey_enroll', journeyId: unknown };
    assert.deepEqual(await refusal('POST', '', { ...at, action }), [400, 'reference_not_found', '/action/journeyId']);
  });
  test('a sighting too far ahead, before 1970, or without a customer', async () => {
    const sighting = { latitude: 0, longitude: 0, track: true, customerId: 'x' };
    const ahead = new Date(Date.now() + 25 * 3_600_000).toISOString();
    for (const timestamp of [ahead, '1969-12-31T23:59:59Z']) {
      assert.deepEqual(await refusal('POST', '/check', { ...sighting, timestamp }), [
        400,
        'validation_failed',
        '/timestamp',
      ]);
    }
    assert.deepEqual(await refusal('POST', '/check', { latitude: 0, longitude: 0, track: true }), [
      ...[400, 'validation_failed', '/customerId'],
    ]);
  });
});

test('check answers by distance and stores nothing', async () => {
  const near = place();
  const far = await create({ ...near, name: 'Far', longitude: near.longitude + 0.001 });
  const close = await create({ ...near, name: 'Close', radiusMeters: 10 });
  await create({ ...near, name: 'Off', status: 'inactive' });
  const { matches, ...rest } = await check(near);
  assert.deepEqual(rest, { customerId: null, ...near, matchCount: 2 });
  assert.deepEqual(
    matches.map(({ geofenceId, distance }) => [geofenceId, distance > 0]),
    [
      [close.id, false],
      [far.id, true],
    ],
  );
  await check({ ...near, customerId: 'seen' });
  const [stored] = await server.testDatabase.ownerQuery(
    'select count(*)::int as count from arbiter.geofence_sightings',
  );
  assert.deepEqual(stored, { count: 0 });
});

test('tracks a customer, fires once under parallel sightings, and enrolls in a journey from the queue', async () => {
  const here = place();
  const journeyId = await server.create('journeys', {
    ...{ name: 'Visitors', status: 'active' },
    definition: {
      nodes: [
        { id: 'start', type: 'entry_trigger', config: {} },
        { id: 'end', type: 'exit', config: {} },
      ],
      edges: [{ from: 'start', to: 'end' }],
    },
  });
  const action = { type: 'enroll_journey', journeyId };
  const { id } = await create({ ...here, action });
  const sighting = { ...here, track: true, customerId: 'visitor' };
  const answers = await Promise.all(Array.from({ length: 6 }, () => check(sighting)));
  const fired = answers.filter(({ matches }) => matches[0]?.triggered);
  assert.equal(fired.length, 1);
  assert.deepEqual(fired[0]!.events, [{ geofenceId: id, event: 'enter', triggered: true }]);
  assert.deepEqual(fired[0]!.matches[0]!.action, { type: 'journey_enroll', journeyId });
  assert.ok(answers.every(({ matches }) => typeof matches[0]?.insideSince === 'string'));

  const events = () => server.call<{ data: { id: string; event: string }[] }>('GET', `/api/v1/geofences/${id}/events`);
  const { data } = (await events()).body;
  assert.deepEqual(
    data.map(({ event }) => event),
    ['enter'],
  );
  const facts = { jobId: '1', attempt: 1, dueAt: null, signal: new AbortController().signal };
  const dispatch = () =>
    server.jobs.get('geofence.dispatch')!.run({ eventId: data[0]!.id }, facts, server.tenants[0].id);
  await Promise.all([dispatch(), dispatch()]);
  const enrolled = await server.call<{ data: { customerId: string; context: object }[] }>(
    'GET',
    `/api/v1/journeys/${journeyId}/enrollments`,
  );
  assert.deepEqual(
    enrolled.body.data.map(({ customerId, context }) => ({ customerId, context })),
    [{ customerId: 'visitor', context: { geofenceId: id, event: 'enter', distance: 0 } }],
  );

  // An older sighting changes nothing. Leaving is told, and the next visit is within the cooldown.
  const away = { ...sighting, latitude: here.latitude + 1 };
  const old = await check({ ...away, timestamp: new Date(Date.now() - 60_000).toISOString() });
  assert.deepEqual([old.matchCount, old.events], [0, []]);
  assert.deepEqual((await check(away)).events, [{ geofenceId: id, event: 'exit', triggered: false }]);
  assert.deepEqual((await check(sighting)).events, [
    { geofenceId: id, event: 'enter', triggered: false, reason: 'cooldown' },
  ]);
  // Moving it ends the stay, so that leaving is no exit.
  await server.call('PUT', `/api/v1/geofences/${id}`, { body: { radiusMeters: 400 } });
  assert.deepEqual((await check(away)).events, []);
  const columns = await server.testDatabase.ownerQuery<{ name: string }>(
    `select column_name as name from information_schema.columns
      where table_name in ('geofence_events', 'geofence_states', 'geofence_sightings') and column_name ~ 'itude'`,
  );
  assert.deepEqual(columns, []);
});

test('is off with enableGeofences', async () => {
  const here = place();
  const { id } = await create(here);
  const setting = (enableGeofences: boolean) =>
    server.call('PUT', '/api/v1/tenant-settings', { body: { enableGeofences } });
  await setting(false);
  assert.deepEqual((await check({ ...here, track: true, customerId: 'x' })).matches, []);
  for (const [method, path, body] of [
    ['POST', '', { name: 'Off', ...here }],
    ['PUT', `/${id}`, { name: 'x' }],
    ['DELETE', `/${id}`, undefined],
  ] as const) {
    assert.deepEqual((await refusal(method, path, body)).slice(0, 2), [403, 'feature_disabled'], method);
  }
  assert.equal((await server.call('GET', `/api/v1/geofences/${id}`)).status, 200);
  await setting(true);
  assert.equal((await check(here)).matchCount, 1);
});
