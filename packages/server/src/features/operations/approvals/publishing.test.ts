import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { type Approval, draftFlowConfig, type EventPage, type Problem } from '@arbiter/contract';
import { takeMails } from '../../identity/mail/test-mailbox.ts';
import { publishAll } from '../stream/test-publish.ts';
import { type ApprovalServer, type Made, startApprovalServer } from './test-approvals.ts';

/** Approvals that publish, that hold secrets, who can't decide them, and who is notified (docs/design/api-access.md 8, 12.1, 22). */

let world: ApprovalServer;
let category: Made;
before(async () => {
  world = await startApprovalServer();
  category = await world.make('categories', { name: 'Cards' });
});
after(() => world?.server.close());

let counter = 0;
const name = (word: string) => `${word} ${++counter}`;
const flowBody = () => ({
  key: name('flow').replace(' ', '-'),
  name: name('Flow'),
  draftConfig: draftFlowConfig(category.id),
});

describe('publishing', () => {
  const flow = () => world.make('decision-flows', flowBody());
  const publishing = async (id: string, payload: object) =>
    world.file(null, { entityType: 'decisionFlow', entityId: id, action: 'update', payload });

  test('publishes a flow with notes, and changes it first', async () => {
    const { id, rowVersion } = await flow();
    const asked = await publishing(id, { publish: true, notes: 'First', description: 'Ready', rowVersion });
    assert.deepEqual(
      (await world.get(asked.id)).diff.filter(({ path }) => path === '/publish'),
      [{ path: '/publish', before: null, after: 1 }],
    );
    assert.equal((await world.decide(null, asked.id)).status, 200);
    const published = await world.read(`decision-flows/${id}`);
    const [version] = published.publishedVersions as { version: number; notes: string }[];
    assert.deepEqual([published.status, published.description], ['active', 'Ready']);
    assert.deepEqual([version?.version, version?.notes], [1, 'First']);
    assert.deepEqual(await world.audited(id), ['create', 'update', 'publish']);
  });

  test('publishing alone is one change, compared with the version it was requested for', async () => {
    const { id, rowVersion } = await flow();
    const stale = await publishing(id, { publish: true, rowVersion });
    await world.as(null, 'PUT', `decision-flows/${id}`, { description: 'Meanwhile' });
    assert.equal((await world.decide(null, stale.id)).body.code, 'row_version_conflict');
    const asked = await publishing(id, { publish: true, rowVersion: Number(rowVersion) + 1 });
    assert.equal((await world.decide(null, asked.id)).status, 200);
    assert.deepEqual(await world.audited(id), ['create', 'update', 'publish']);
  });

  test("publishes a new flow with its creation, and rejects a draft that can't run as a whole", async () => {
    const create = flowBody();
    const asked = await world.file(null, {
      entityType: 'decisionFlow',
      action: 'create',
      payload: { ...create, publish: true },
    });
    const { body } = await world.decide(null, asked.id);
    assert.equal((await world.read(`decision-flows/${body.appliedEntityId}`)).status, 'active');

    const key = name('flow').replace(' ', '-');
    const empty = await world.file(null, {
      entityType: 'decisionFlow',
      action: 'create',
      payload: { key, name: key, publish: true },
    });
    assert.equal((await world.decide(null, empty.id)).status, 422);
    const { body: found } = await world.as<{ data: unknown[] }>(null, 'GET', `decision-flows?search=${key}`);
    assert.deepEqual(found.data, []);
    assert.equal((await world.get(empty.id)).status, 'pending');
  });

  test('publishes the draft it was requested for; a changed one is a conflict', async () => {
    const { id, rowVersion } = await flow();
    const asked = await publishing(id, { publish: true });
    assert.deepEqual(asked.payload, { publish: true, rowVersion });
    await world.as(null, 'PUT', `decision-flows/${id}`, { draftConfig: { version: 2, nodes: [] } });
    const { status, body } = await world.decide(null, asked.id);
    assert.deepEqual([status, body.code], [409, 'row_version_conflict']);
    assert.deepEqual(
      [(await world.get(asked.id)).status, (await world.read(`decision-flows/${id}`)).status],
      ['pending', 'draft'],
    );
    // A draft that comes with the request is what is published, whatever stood there.
    const draftConfig = draftFlowConfig(category.id);
    const whole = await publishing(id, { publish: true, draftConfig });
    assert.equal(whole.payload?.rowVersion, undefined);
    await world.as(null, 'PUT', `decision-flows/${id}`, { description: 'Meanwhile' });
    assert.equal((await world.decide(null, whole.id)).status, 200);
    // Applying the request shows whether the flow exists.
    const unknown = '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a00';
    assert.deepEqual((await publishing(unknown, { publish: true })).payload, { publish: true });
  });

  test('publish is true or false', async () => {
    const { id } = await flow();
    const asked = await publishing(id, { publish: 'yes' });
    const { status, body } = await world.decide(null, asked.id);
    assert.deepEqual([status, body.errors?.[0]?.path], [400, '/payload/publish']);
  });
});

test('shows secrets of a payload as bullets, and stores them with the record', async () => {
  const { id } = await world.make('channels', { name: name('Channel'), channelType: 'email' });
  const secret = 'SG.a-secret-of-the-test';
  const asked = await world.file(null, {
    entityType: 'channel',
    entityId: id,
    action: 'update',
    payload: { providerConfig: { provider: 'sendgrid', apiKey: secret } },
  });
  const everywhere = await world.server.testDatabase.ownerQuery<{ text: string }>(
    `select (select json_agg(a)::text from arbiter.approvals a) || (select json_agg(l)::text from arbiter.audit_logs l) as text`,
  );
  assert.ok(!everywhere[0]!.text.includes(secret));
  const detail = await world.get(asked.id);
  assert.ok(!JSON.stringify(detail).includes(secret));
  assert.deepEqual(detail.payload?.providerConfig, { provider: 'sendgrid', apiKey: '••••••••' });
  const stored = () =>
    world.server.testDatabase.ownerQuery('select from arbiter.approval_secrets where approval_id = $1', [asked.id]);
  assert.equal((await stored()).length, 1);
  const { status, body } = await world.decide(null, asked.id);
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual((await world.read(`channels/${id}`)).providerConfig, { provider: 'sendgrid', apiKey: '••••••••' });
  const kept = await world.server.testDatabase.ownerQuery('select from arbiter.channel_secrets where channel_id = $1', [
    id,
  ]);
  assert.equal(kept.length, 1);
  assert.equal((await stored()).length, 0, 'the sealed payload is gone with the decision');
});

describe('four eyes', () => {
  test('off: one person files and decides; on: nobody acts twice', async () => {
    const admins = [await world.someone('admin'), await world.someone('admin'), await world.someone('admin')] as const;
    const [first, second, third] = admins;
    const stages = [
      { stageName: 'One', requiredRole: 'admin' },
      { stageName: 'Two', requiredRole: 'admin' },
    ];
    const file = () =>
      world.file(first.cookie, { entityType: 'offer', action: 'create', payload: { name: name('Offer') }, stages });
    const alone = await file();
    assert.equal((await world.decide(first.cookie, alone.id)).status, 200);
    assert.equal((await world.decide(first.cookie, alone.id)).body.status, 'approved');

    await world.settings({ fourEyesEnabled: true });
    try {
      const { id } = await file();
      const own = await world.decide(first.cookie, id);
      assert.deepEqual([own.status, own.body.code], [403, 'self_approval_forbidden']);
      // Another key of the same person is the same person.
      const { body: key } = await world.as<{ key: string }>(first.cookie, 'POST', 'api-keys', {
        name: 'mine',
        scopes: ['read', 'write', 'admin'],
      });
      const byKey = await world.server.call<Problem>('POST', `/api/v1/approvals/${id}`, {
        body: { action: 'approve' },
        key: key.key,
      });
      assert.deepEqual([byKey.status, byKey.body.code], [403, 'self_approval_forbidden'], byKey.text);
      assert.equal((await world.decide(second.cookie, id)).status, 200);
      assert.equal((await world.decide(second.cookie, id)).body.code, 'self_approval_forbidden');
      assert.equal((await world.decide(third.cookie, id)).body.status, 'approved');
    } finally {
      await world.settings({ fourEyesEnabled: null });
    }
  });
});

test('an OAuth client counts as its creator in the four-eyes rule, in either role', async () => {
  const creator = await world.someone('admin');
  const { body: client } = await world.as<{ clientId: string; clientSecret: string }>(
    creator.cookie,
    'POST',
    'oauth/clients',
    { name: 'Campaign tool', scopes: ['admin'] },
  );
  const { body: token } = await world.server.call<{ access_token: string }>('POST', '/api/v1/oauth/token', {
    key: null,
    body: { grant_type: 'client_credentials', client_id: client.clientId, client_secret: client.clientSecret },
  });
  const byClient = <Body>(path: string, body: object) =>
    world.server.call<Body>('POST', `/api/v1/${path}`, { key: token.access_token, body });
  const request = () => ({
    entityType: 'offer',
    entityId: 'new',
    entityName: 'Thing',
    action: 'create',
    payload: { name: name('Offer') },
  });
  await world.settings({ fourEyesEnabled: true });
  try {
    const filed = await byClient<Approval>('approvals', request());
    assert.equal(filed.status, 201, filed.text);
    assert.equal((await world.decide(creator.cookie, filed.body.id)).body.code, 'self_approval_forbidden');
    const { id } = await world.file(creator.cookie, request());
    const decided = await byClient<Problem>(`approvals/${id}`, { action: 'approve' });
    assert.equal(decided.body.code, 'self_approval_forbidden', decided.text);
  } finally {
    await world.settings({ fourEyesEnabled: null });
  }
});

test('emails those who can decide the open stage, and the requester at the end', async () => {
  const [editor, admin] = [await world.someone('editor'), await world.someone('admin')];
  await takeMails(world.server, world.tenant.id);
  const { id } = await world.file(editor.cookie, {
    entityType: 'offer',
    entityName: 'Gold card',
    action: 'create',
    payload: { name: name('Offer') },
    stages: [
      { stageName: 'Business', requiredRole: 'editor' },
      { stageName: 'Risk', requiredRole: 'admin' },
    ],
  });
  const told = async () => (await takeMails(world.server, world.tenant.id)).map(({ kind, to }) => `${kind} ${to}`);
  const first = await told();
  assert.ok(
    first.includes(`approval_requested ${editor.email}`) && first.includes(`approval_requested ${admin.email}`),
  );
  assert.equal((await world.decide(editor.cookie, id)).status, 200);
  const second = await told();
  assert.ok(
    second.includes(`approval_requested ${admin.email}`) && !second.includes(`approval_requested ${editor.email}`),
  );
  assert.equal((await world.decide(admin.cookie, id)).status, 200);
  assert.deepEqual(await told(), [`approval_resolved ${editor.email}`]);
  const own = await world.file(admin.cookie, { entityType: 'x', action: 'delete' });
  await told();
  assert.equal((await world.decide(admin.cookie, own.id, { action: 'reject' })).status, 200);
  assert.deepEqual(await told(), [], 'nobody is told of what they did themselves');
});

test('reports each stage that opens in the stream, to its own tenant', async () => {
  const [editor, admin] = [await world.someone('editor'), await world.someone('admin')];
  const entityId = randomUUID();
  const { id } = await world.file(editor.cookie, {
    entityType: 'offer',
    entityId,
    action: 'update',
    payload: { name: name('Offer') },
    stages: [
      { stageName: 'Business', requiredRole: 'editor' },
      { stageName: 'Risk', requiredRole: 'admin' },
    ],
  });
  const told = async (key = world.tenant.keys.viewer) => {
    await publishAll(world.server);
    const { body } = await world.server.call<EventPage>(
      'GET',
      '/api/v1/events/stream?topic=approval.requested.v1&limit=1000',
      { key },
    );
    return body.data.map(({ payload }) => payload).filter(({ approvalId }) => approvalId === id);
  };
  const waiting = { approvalId: id, entityType: 'offer', entityId, action: 'update' };
  const first = { ...waiting, stage: 1, requiredRole: 'editor' };
  assert.deepEqual(await told(), [first]);
  await world.decide(editor.cookie, id);
  const second = { ...waiting, stage: 2, requiredRole: 'admin' };
  assert.deepEqual(await told(), [first, second]);
  assert.equal((await world.decide(admin.cookie, id, { action: 'reject' })).status, 200);
  assert.deepEqual(await told(), [first, second], 'nothing waits after the last stage');
  assert.deepEqual(await told(world.server.tenants[1]!.keys.viewer), []);
});

test('reports results of requests and published flows in the stream', async () => {
  const flow = await world.make('decision-flows', flowBody());
  const ask = (action: string, payload: object) =>
    world.file(null, { entityType: 'decisionFlow', entityId: flow.id, action, payload });
  for (let times = 0; times < 2; times += 1) {
    assert.equal((await world.decide(null, (await ask('update', { publish: true })).id)).status, 200);
  }
  const rejected = await ask('update', { description: 'No' });
  await world.decide(null, rejected.id, { action: 'reject' });
  await publishAll(world.server);
  const told = async (topic: string, key = world.tenant.keys.viewer) =>
    (
      await world.server.call<EventPage>('GET', `/api/v1/events/stream?topic=${topic}&limit=1000`, { key })
    ).body.data.map(({ payload }) => payload);
  const resolved = (await told('approval.resolved.v1')).filter(({ entityId }) => entityId === flow.id);
  assert.deepEqual(
    resolved.map(({ oldStatus, newStatus, appliedEntityId }) => [oldStatus, newStatus, appliedEntityId]),
    [
      ['pending', 'approved', flow.id],
      ['pending', 'approved', flow.id],
      ['pending', 'rejected', null],
    ],
  );
  assert.equal(resolved[2]?.approvalId, rejected.id);
  const published = (await told('flow.published.v1')).filter(({ flowId }) => flowId === flow.id);
  assert.deepEqual(published, [
    { flowId: flow.id, key: flow.key, oldVersion: null, newVersion: 1 },
    { flowId: flow.id, key: flow.key, oldVersion: 1, newVersion: 2 },
  ]);
  const theirs = world.server.tenants[1]!.keys.viewer;
  assert.deepEqual([await told('approval.resolved.v1', theirs), await told('flow.published.v1', theirs)], [[], []]);
});

test("another tenant's approvals aren't found", async () => {
  const { id } = await world.file(null, { entityType: 'offer', action: 'create', payload: { name: name('Offer') } });
  const key = world.server.tenants[1]!.keys.admin;
  const list = await world.server.call<Approval[]>('GET', '/api/v1/approvals?status=all', { key });
  assert.deepEqual(list.body, []);
  for (const unknown of [id, 'nonsense']) {
    assert.equal((await world.server.call('GET', `/api/v1/approvals/${unknown}`, { key })).status, 404);
    const call = { key, body: { action: 'approve' } };
    assert.equal((await world.server.call('POST', `/api/v1/approvals/${unknown}`, call)).status, 404);
  }
  assert.equal((await world.get(id)).status, 'pending');
});
