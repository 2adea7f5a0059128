import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { channelOperations, type Operation, placementOperations } from '@arbiter/contract';
import { systemActor } from '../../../db/index.ts';
import { createTestDatabase, type TestDatabase } from '../../../db/test-database.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { createTestApp, keys, tenantA, tenantB } from '../../../http/test-app.ts';
import { type Call, callsOf } from '../../../http/test-calls.ts';
import { createEnvelope } from '../../../platform/crypto/crypto.ts';
import { newId } from '../../../platform/ids.ts';
import { channelRoutes, placementRoutes } from './channels.routes.ts';
import { snapshotChannels, snapshotPlacements } from './index.ts';

const envelope = createEnvelope(Buffer.alloc(32, 7).toString('base64'));
let db: TestDatabase;
let call: Call;
const url = '/api/v1/channels';
const placementUrl = '/api/v1/placements';
before(async () => {
  db = await createTestDatabase();
  await db.ownerQuery('insert into arbiter.tenants (id, name) values ($1, $3), ($2, $4)', [tenantA, tenantB, 'A', 'B']);
  const byId = (operations: Record<string, Operation>) =>
    Object.fromEntries(Object.values(operations).map((operation) => [operation.id, operation]));
  call = callsOf(
    createTestApp({
      operations: { ...byId(channelOperations), ...byId(placementOperations) },
      handlers: new Map([
        ...handlerEntries(channelOperations, channelRoutes(ports)),
        ...handlerEntries(placementOperations, placementRoutes(ports)),
      ]),
      database: db.database,
    }).app,
  );
});
after(() => db.close());

/** No route uses these channels. */
const ports = { envelope, exportBucket: null, lockRoutes: async () => async () => 0 };

let counter = 0;
const create = async (body: Record<string, unknown> = {}) => {
  const made = await call('POST', url, { name: `Channel ${++counter}`, channelType: 'email', ...body });
  assert.equal(made.status, 201, made.text);
  return made.json;
};

async function plantCreative(channelId: string, placementId: string | null): Promise<string> {
  const [offer, creative] = [newId(), newId()];
  await db.ownerQuery(
    `insert into arbiter.offers (tenant_id, id, name, version, created_at, updated_at) values ($1, $2, $3, 1, now(), now())`,
    [tenantA, offer, offer],
  );
  await db.ownerQuery(
    `insert into arbiter.creatives (tenant_id, id, name, offer_id, channel_id, placement_id, version, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, 1, now(), now())`,
    [tenantA, creative, creative, offer, channelId, placementId],
  );
  return creative;
}

test('creates a channel with its placements, or nothing', async () => {
  const made = await create({
    name: 'Email',
    impressionMode: 'implicit',
    placements: [{ name: 'Hero', key: 'hero', maxSlots: 3 }, { name: 'Hero 2' }],
  });
  assert.deepEqual(
    [made.key, made.status, made.deliveryMode, made.impressionMode, made.couplingMode, made.timezone],
    ['email', 'active', 'api', 'implicit', 'partial', null],
  );
  assert.deepEqual(
    made.placements.map((row: Record<string, unknown>) => [row.key, row.maxSlots, row.slotType, row.version]),
    [
      ['hero', 3, 'banner', 1],
      ['hero-2', 1, 'banner', 1],
    ],
  );
  for (const placements of [
    [{ name: 'A' }, { name: 'A' }],
    [
      { name: 'A', key: 'k' },
      { name: 'B', key: 'k' },
    ],
    [{ name: 'A', maxSlots: 51 }],
  ]) {
    const refused = await call('POST', url, { name: 'Push', channelType: 'push', placements });
    assert.equal(refused.status, 400, refused.text);
  }
  assert.equal((await call('GET', `${url}?search=push`)).json.pagination.total, 0);
  const audit = await db.ownerQuery('select 1 from arbiter.audit_logs where entity_type = $1', ['placement']);
  assert.equal(audit.length, 2);
});

test('keys are unique among live rows, and derived from the name by default', async () => {
  const first = await create({ name: 'Web shop' });
  assert.equal(first.key, 'web-shop');
  assert.equal((await create({ name: 'Web  shop' })).key, 'web-shop-2');
  const taken = await call('POST', url, { name: 'X', channelType: 'web', key: 'web-shop' });
  assert.deepEqual([taken.status, taken.json.code, taken.json.errors[0].path], [409, 'duplicate_key', '/key']);
  await call('DELETE', `${url}/${first.id}`);
  assert.equal((await call('POST', url, { name: 'X', channelType: 'web', key: 'web-shop' })).status, 201);
  for (const key of ['', 'A', '-a', 'a b', 'a'.repeat(64)]) {
    assert.equal((await call('POST', url, { name: 'Y', channelType: 'web', key })).status, 400, key);
  }
});

test('rejects values outside the lists', async () => {
  for (const body of [
    { channelType: 'Email' },
    { channelType: 'x'.repeat(33) },
    { impressionMode: 'both' },
    { timezone: 'Mars/Olympus' },
    { timezone: 'europe/vienna' },
    { providerConfig: { provider: 'pigeon' } },
    { providerConfig: { provider: 'smtp', password: 'secret' } },
    { providerConfig: { url: 'https://user:secret@example.org/' } },
    { status: 'deleted' },
  ]) {
    const answer = await call('POST', url, { name: 'Z', channelType: 'sms', ...body });
    assert.equal(answer.status, 400, JSON.stringify(body));
  }
  assert.equal((await create({ channelType: 'kiosk', timezone: 'Europe/Vienna' })).channelType, 'kiosk');
});

test('deletes a channel with its placements, unless creatives refer to it', async () => {
  const channel = await create({ placements: [{ name: 'A' }, { name: 'B' }] });
  const [a] = channel.placements;
  const creative = await plantCreative(channel.id, a.id);
  const shown = await call('GET', `${url}/${channel.id}`);
  assert.equal(shown.json.creatives[0].id, creative);
  for (const path of [`${url}?id=${channel.id}`, `${placementUrl}?id=${a.id}`]) {
    const refused = await call('DELETE', path);
    assert.deepEqual([refused.status, refused.json.code], [409, 'in_use']);
    assert.ok(refused.text.includes(creative));
  }
  await db.ownerQuery('update arbiter.creatives set deleted_at = now() where id = $1', [creative]);
  assert.equal((await call('DELETE', `${url}?id=${channel.id}`)).status, 204);
  for (const placement of channel.placements) {
    assert.equal((await call('GET', `${placementUrl}/${placement.id}`)).status, 404);
  }
  const rows = await db.ownerQuery<{ version: number }>(
    'select version from arbiter.placements where channel_id = $1 and deleted_at is not null',
    [channel.id],
  );
  assert.deepEqual(
    rows.map((row) => row.version),
    [2, 2],
  );
});

test('a placement stays in its channel, and its channel must be live', async () => {
  const channel = await create();
  const other = await create();
  const made = await call('POST', placementUrl, { channelId: channel.id, name: 'Top' });
  assert.equal(made.status, 201, made.text);
  assert.deepEqual([made.json.key, made.json.channel], ['top', { id: channel.id, name: channel.name }]);
  const moved = await call('PUT', placementUrl, { id: made.json.id, channelId: other.id, maxSlots: 5 });
  assert.deepEqual([moved.status, moved.json.errors[0].path], [400, '/channelId']);
  assert.equal((await call('POST', placementUrl, { channelId: channel.id, name: 'Top' })).json.code, 'duplicate_name');
  assert.equal((await call('POST', placementUrl, { channelId: other.id, name: 'Top' })).status, 201);
  const foreign = (await call('POST', url, { name: 'F', channelType: 'sms' }, keys.otherTenant)).json;
  for (const channelId of [newId(), foreign.id]) {
    const refused = await call('POST', placementUrl, { channelId, name: 'X' });
    assert.deepEqual([refused.status, refused.json.code], [400, 'reference_not_found']);
  }
  const ofChannel = await call('GET', `${placementUrl}?channelId=${channel.id}`);
  assert.equal(ofChannel.json.pagination.total, 1);
  const rules = { requiredFields: ['subject'], maxLength: { subject: 40 } };
  const ruled = await call('PUT', `${placementUrl}/${made.json.id}`, { schema: rules });
  assert.deepEqual(ruled.json.schema, rules);
  assert.equal((await call('PUT', `${placementUrl}/${made.json.id}`, { schema: null })).json.schema, null);
});

test('targeting is a condition in canonical spelling, which decisions read', async () => {
  const condition = {
    all: [
      { field: 'attributes.page', operator: '=', value: 'home' },
      { field: 'age', operator: 'is_not_null' },
    ],
  };
  const stored = {
    logic: 'and',
    conditions: [
      { field: 'attributes.page', operator: 'eq', value: 'home' },
      { field: 'age', operator: 'exists' },
    ],
  };
  const channel = await create({ placements: [{ name: 'Targeted', targeting: condition }] });
  const [placement] = channel.placements;
  assert.deepEqual(placement.targeting, stored);
  const taking = await db.database.withTenant(tenantA, systemActor('test'), snapshotPlacements);
  assert.deepEqual(taking.find((row) => row.id === placement.id)?.targeting, stored);
  const bad = { field: 'offer.name', operator: 'eq', value: 'x' };
  const refused = await call('PUT', placementUrl, { id: placement.id, targeting: bad });
  assert.equal(refused.status, 400);
  assert.ok(refused.json.errors[0].path.startsWith('/targeting'));
  const inline = await call('POST', url, {
    name: 'T',
    channelType: 'web',
    placements: [{ name: 'A', targeting: { conditions: 3 } }],
  });
  assert.ok(inline.json.errors[0].path.startsWith('/placements/0/targeting'), inline.text);
  const untouched = await call('PUT', placementUrl, { id: placement.id, maxSlots: 2 });
  assert.deepEqual(untouched.json.targeting, stored);
  assert.equal((await call('PUT', placementUrl, { id: placement.id, targeting: null })).json.targeting, null);
});

test('decisions use only active channels and placements', async () => {
  const channel = await create({ placements: [{ name: 'On' }, { name: 'Off', status: 'inactive' }] });
  const paused = await create({ status: 'paused', placements: [{ name: 'On' }] });
  const taking = await db.database.withTenant(tenantA, systemActor('test'), async (tx) => ({
    channels: await snapshotChannels(tx),
    placements: await snapshotPlacements(tx),
  }));
  const ids = taking.channels.map((row) => row.id);
  assert.ok(ids.includes(channel.id) && !ids.includes(paused.id));
  assert.deepEqual(
    taking.placements.filter((row) => [channel.id, paused.id].includes(row.channelId)).map((row) => row.key),
    ['on'],
  );
});
