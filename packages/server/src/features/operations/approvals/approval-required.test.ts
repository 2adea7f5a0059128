import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { draftFlowConfig, type Problem } from '@arbiter/contract';
import { type ApprovalServer, type Made, startApprovalServer } from './test-approvals.ts';

/** `approvalWorkflowEnabled`: editors make nothing live on their own (docs/design/api-access.md 6). */

let world: ApprovalServer;
let editor: string;
let category: Made;
before(async () => {
  world = await startApprovalServer();
  editor = (await world.someone('editor')).cookie;
  category = await world.make('categories', { name: 'Cards' });
  await world.settings({ approvalWorkflowEnabled: true });
});
after(() => world?.server.close());

let counter = 0;
const make = async (path: string, body: object) => {
  const name = `Thing ${++counter}`;
  return world.as<Made & Problem>(editor, 'POST', path, { name, ...body });
};

/** Types whose records an editor writes and that have a state, with a body of a draft. */
async function drafts(): Promise<readonly (readonly [string, object])[]> {
  const offer = await world.make('offers', { name: `Offer ${++counter}`, categoryId: category.id });
  const channel = await world.make('channels', { name: `Channel ${++counter}`, channelType: 'email' });
  return [
    ['offers', { status: 'draft' }],
    ['creatives', { status: 'draft', offerId: offer.id, channelId: channel.id }],
    ['channels', { status: 'draft', channelType: 'email' }],
    [
      'algorithm-models',
      { status: 'draft', key: `model-${++counter}`, modelType: 'scorecard', config: { baseScore: 1 } },
    ],
    ['decision-flows', { status: 'draft', key: `flow-${++counter}`, draftConfig: draftFlowConfig(category.id) }],
  ];
}

test("an editor writes drafts, but can't make a record live or create a live one", async () => {
  for (const [path, body] of await drafts()) {
    const refused = await make(path, { ...body, key: `${path}-live`, status: 'active' });
    assert.deepEqual(
      [refused.status, refused.body.code],
      [403, 'approval_required'],
      `${path} ${JSON.stringify(refused.body)}`,
    );
    const { status, body: draft } = await make(path, body);
    assert.equal(status, 201, `${path} ${JSON.stringify(draft)}`);
    const put = (as: string | null, change: object) => world.as<Problem>(as, 'PUT', `${path}/${draft.id}`, change);
    assert.equal((await put(editor, { description: 'Still a draft' })).status, 200, path);
    const live = await put(editor, { status: 'active' });
    assert.deepEqual([live.status, live.body.code], [403, 'approval_required'], path);
    assert.notEqual((await world.read(`${path}/${draft.id}`)).status, 'active');
    assert.equal((await put(null, { status: 'active' })).status, 200, `${path}: admins are free`);
    assert.equal((await put(editor, { status: 'active' })).status, 200, `${path}: nothing changes`);
  }
});

test("an editor changes no live record but can take it out of use; a live flow's draft stays free", async () => {
  const changes: Readonly<Record<string, object>> = {
    offers: { priority: 91 },
    creatives: { content: { headline: 'Other words' } },
    channels: { name: 'Another channel' },
    'algorithm-models': { config: { baseScore: 0.2 } },
    'decision-flows': { isDefault: true },
  };
  for (const [path, body] of await drafts()) {
    const { body: draft } = await make(path, body);
    const put = (as: string | null, change: object) => world.as<Problem>(as, 'PUT', `${path}/${draft.id}`, change);
    assert.equal((await put(null, { status: 'active' })).status, 200, path);
    const before = await world.read(`${path}/${draft.id}`);
    const refused = await put(editor, changes[path]!);
    assert.deepEqual(
      [refused.status, refused.body.code],
      [403, 'approval_required'],
      `${path} ${JSON.stringify(refused.body)}`,
    );
    assert.deepEqual(await world.read(`${path}/${draft.id}`), before, 'nothing changed');
    if (path === 'decision-flows') {
      assert.equal((await put(editor, { draftConfig: { version: 2, nodes: [] }, description: 'Next' })).status, 200);
    }
    assert.equal((await put(null, changes[path]!)).status, 200, `${path}: admins are free`);
    const stopped = await put(editor, { status: 'archived' });
    assert.equal(stopped.status, 200, `${path} ${JSON.stringify(stopped.body)}`);
  }
});

test('secrets of a live channel are no loophole', async () => {
  const channel = await world.make('channels', {
    name: `Channel ${++counter}`,
    channelType: 'email',
    status: 'active',
  });
  const providerConfig = { provider: 'sendgrid', apiKey: 'SG.a-secret-of-the-test' };
  const put = (as: string | null, body: object) => world.as<Problem>(as, 'PUT', `channels/${channel.id}`, body);
  assert.equal((await put(null, { providerConfig })).status, 200);
  assert.equal((await put(editor, { providerConfig })).body.code, 'approval_required');
  assert.equal(
    (await put(editor, { providerConfig: { ...providerConfig, apiKey: 'SG.another' } })).body.code,
    'approval_required',
  );
});

test('a lowered role is rejected like an editor; PATCH and the collection style are no loopholes', async () => {
  const offer = await world.make('offers', { name: `Offer ${++counter}`, status: 'active' });
  const lowered = await world.server.call<Problem>('PUT', `/api/v1/offers/${offer.id}`, {
    body: { priority: 3 },
    headers: { 'x-user-role': 'editor' },
  });
  assert.equal(lowered.body.code, 'approval_required', lowered.text);
  assert.equal(
    (await world.as<Problem>(editor, 'PUT', 'offers', { id: offer.id, priority: 3 })).body.code,
    'approval_required',
  );
  assert.equal((await world.as<Problem>(editor, 'PATCH', `offers/${offer.id}`, { priority: 3 })).status, 405);
  const gone = await world.make('offers', { name: `Offer ${++counter}`, status: 'active' });
  assert.equal((await world.as(null, 'DELETE', `offers/${gone.id}`)).status, 200);
  assert.equal((await world.as(editor, 'POST', 'restore', { entityType: 'offer', id: gone.id })).status, 403);
});

test('a record that is live by default counts as live', async () => {
  const refused = await make('channels', { channelType: 'email' });
  assert.equal(refused.body.code, 'approval_required');
});

test('an editor publishes no flow, even a live one; an approval does, even if an editor gives it', async () => {
  const [, body] = (await drafts()).find(([path]) => path === 'decision-flows')!;
  const { body: flow } = await make('decision-flows', body);
  const publish = (as: string | null) => world.as<Problem>(as, 'POST', 'decision-flows/publish', { id: flow.id });
  assert.equal((await publish(editor)).body.code, 'approval_required');
  assert.equal((await publish(null)).status, 200);
  assert.equal((await publish(editor)).body.code, 'approval_required');
  const approval = await world.file(editor, {
    entityType: 'decisionFlow',
    entityId: flow.id,
    action: 'update',
    payload: { publish: true },
    stages: [{ stageName: 'Peer', requiredRole: 'editor' }],
  });
  assert.equal((await world.decide(editor, approval.id)).status, 200);
  assert.equal(
    ((await world.read(`decision-flows/${flow.id}`)) as { publishedVersions?: unknown[] }).publishedVersions?.length,
    2,
  );
});

test('an approval makes a record live, even by an editor if the stage allows one', async () => {
  const { body: offer } = await make('offers', { status: 'draft' });
  const approval = await world.file(editor, {
    entityType: 'offer',
    entityId: offer.id,
    action: 'update',
    payload: { status: 'active' },
    stages: [{ stageName: 'Peer', requiredRole: 'editor' }],
  });
  assert.equal((await world.decide(editor, approval.id)).status, 200);
  assert.equal((await world.read(`offers/${offer.id}`)).status, 'active');
});

test('record types without approvals are free, and so is everything when the setting is off', async () => {
  assert.equal((await make('categories', { status: 'active' })).status, 201);
  await world.settings({ approvalWorkflowEnabled: null });
  assert.equal((await make('offers', { status: 'active' })).status, 201);
});
