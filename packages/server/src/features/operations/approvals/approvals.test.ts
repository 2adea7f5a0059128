import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type ApprovableType, type Approval, approvedBy, draftFlowConfig, type Problem } from '@arbiter/contract';
import { type ApprovalServer, type Made, startApprovalServer } from './test-approvals.ts';

/** Approvals over HTTP (docs/design/api-access.md 8, 22; docs/design/quality.md T4, E1, E2). */

let world: ApprovalServer;
let category: Made;
let offer: Made;
let channel: Made;
let models: readonly Made[];
before(async () => {
  world = await startApprovalServer();
  category = await world.make('categories', { name: 'Cards' });
  offer = await world.make('offers', { name: 'Base', categoryId: category.id });
  channel = await world.make('channels', { name: 'Web', channelType: 'web' });
  const scorecard = (key: string) => world.make('algorithm-models', { key, name: key, modelType: 'scorecard' });
  models = [await scorecard('one'), await scorecard('two')];
});
after(() => world?.server.close());

let counter = 0;
const name = (word: string) => `${word} ${++counter}`;

/** For each type: a body that makes a record, a change of it, and the property that shows the change. */
const bodies: Readonly<
  Record<ApprovableType, () => { path: string; create: object; update: Record<string, unknown> }>
> = {
  algorithmModel: () => ({
    path: 'algorithm-models',
    create: {
      key: name('model').replace(' ', '-'),
      name: name('Model'),
      modelType: 'scorecard',
      config: { baseScore: 1 },
    },
    update: { name: name('Model') },
  }),
  channel: () => ({
    path: 'channels',
    create: { name: name('Channel'), channelType: 'email' },
    update: { description: 'Changed' },
  }),
  contactPolicy: () => ({
    path: 'contact-policies',
    create: { name: name('Policy'), ruleType: 'frequency_cap', config: { maxPerDay: 2 }, scope: 'global' },
    update: { config: { maxPerDay: 3 } },
  }),
  creative: () => ({
    path: 'creatives',
    create: { name: name('Creative'), offerId: offer.id, channelId: channel.id, content: { headline: 'One' } },
    update: { content: { headline: 'Two' } },
  }),
  decisionFlow: () => ({
    path: 'decision-flows',
    create: { key: name('flow').replace(' ', '-'), name: name('Flow'), draftConfig: draftFlowConfig(category.id) },
    update: { description: 'Changed' },
  }),
  experiment: () => ({
    path: 'experiments',
    create: {
      key: name('experiment').replace(' ', '-'),
      name: name('Experiment'),
      championModelId: models[0]?.id,
      challengers: [{ modelId: models[1]?.id, trafficPct: 20 }],
    },
    update: { description: 'Changed' },
  }),
  trigger: () => ({
    path: 'triggers',
    create: {
      ...{ name: name('Trigger'), eventType: 'purchase', status: 'draft' },
      ...{ actionType: 'webhook', actionConfig: { url: 'https://hooks.example.com/x' } },
    },
    update: { description: 'Changed' },
  }),
  journey: () => ({
    path: 'journeys',
    create: {
      name: name('Journey'),
      definition: {
        nodes: [
          { id: 'start', type: 'entry_trigger', config: {} },
          { id: 'end', type: 'exit', config: {} },
        ],
        edges: [{ from: 'start', to: 'end' }],
      },
    },
    update: { description: 'Changed' },
  }),
  offer: () => ({ path: 'offers', create: { name: name('Offer') }, update: { priority: 77 } }),
  qualificationRule: () => ({
    path: 'qualification-rules',
    create: {
      name: name('Rule'),
      ruleType: 'attribute_condition',
      config: { attribute: 'age', operator: 'gte', value: 18 },
      scope: 'global',
      stage: 'eligibility',
    },
    update: { config: { attribute: 'age', operator: 'gte', value: 21 } },
  }),
  rankingProfile: () => ({
    path: 'ranking-profiles',
    create: { name: name('Profile'), weights: { propensity: 1 } },
    update: { weights: { propensity: 0.5, margin: 0.5 } },
  }),
};

for (const entityType of Object.keys(approvedBy) as ApprovableType[]) {
  test(`${entityType}: created, changed and deleted by approvals like by their own routes`, async () => {
    const { path, create, update } = bodies[entityType]();
    const made = await world.file(null, { entityType, action: 'create', payload: create });
    const { body: applied, status, headers } = await world.decide(null, made.id);
    assert.equal(status, 200, JSON.stringify(applied));
    assert.ok(headers['x-config-version'] !== undefined);
    const id = applied.appliedEntityId ?? '';
    const record = await world.read(`${path}/${id}`);
    assert.equal((await world.get(made.id)).appliedEntityId, id);

    const change = await world.file(null, { entityType, entityId: id, action: 'update', payload: update });
    const seen = await world.get(change.id);
    assert.ok(seen.targetFound);
    assert.ok(seen.diff.length > 0);
    const [property] = Object.keys(update);
    assert.ok(
      seen.diff.every(({ path: at }) => at.startsWith(`/${property}`)),
      JSON.stringify(seen.diff),
    );
    assert.equal((await world.decide(null, change.id)).status, 200);
    const changed = await world.read(`${path}/${id}`);
    assert.deepEqual(changed[property!], update[property!]);
    const counter = entityType === 'decisionFlow' ? 'rowVersion' : 'version';
    assert.equal(changed[counter], Number(record[counter]) + 1);
    assert.deepEqual((await world.get(change.id)).diff, [], 'the record is as it was asked for');

    const removal = await world.file(null, { entityType, entityId: id, action: 'delete' });
    assert.ok((await world.get(removal.id)).diff.some(({ path: at, after: then }) => at === '/name' && then === null));
    assert.equal((await world.decide(null, removal.id)).status, 200);
    assert.equal((await world.as(null, 'GET', `${path}/${id}`)).status, 404);
    assert.deepEqual(await world.audited(id), ['create', 'update', 'soft_delete']);
    assert.deepEqual(await world.audited(removal.id), ['create', 'approve', 'apply']);
    assert.deepEqual([(await world.get(removal.id)).targetFound, (await world.get(removal.id)).diff], [false, []]);
  });
}

test('a new request: the fields of the contract, one admin stage, and what is listed', async () => {
  const editor = await world.someone('editor');
  const approval = await world.file(editor.cookie, {
    entityType: 'offer',
    entityId: offer.id,
    entityName: 'Base',
    action: 'update',
    payload: { priority: 3 },
  });
  const { id, createdAt, expiresAt, stages, ...rest } = approval;
  assert.deepEqual(rest, {
    entityType: 'offer',
    entityId: offer.id,
    entityName: 'Base',
    action: 'update',
    status: 'pending',
    currentStage: 1,
    appliedEntityId: null,
    requesterId: editor.id,
    requesterName: `Name of ${editor.email}`,
    payload: { priority: 3 },
    payloadBytes: 14,
    approverId: null,
    approverName: null,
    comments: null,
    resolvedAt: null,
  });
  assert.deepEqual(
    stages.map(({ ordinal, requiredRole, status, decidedBy }) => [ordinal, requiredRole, status, decidedBy]),
    [[1, 'admin', 'pending', null]],
  );
  // The test server's APPROVAL_MAX_AGE_HOURS is 168.
  assert.equal(Date.parse(String(expiresAt)) - Date.parse(createdAt), 168 * 3_600_000);
  const list = async (query = '') => (await world.as<Approval[]>(null, 'GET', `approvals${query}`)).body;
  assert.deepEqual((await list('?limit=1'))[0], approval);
  assert.equal((await world.get(id)).expiresAt, expiresAt);
  assert.equal((await world.decide(null, id, { action: 'reject', comments: 'No' })).body.status, 'rejected');
  assert.equal((await world.get(id)).expiresAt, null, 'a closed request no longer expires');
  assert.ok((await list()).every(({ status }) => status === 'pending'));
  assert.ok((await list('?status=rejected')).some((each) => each.id === id));
  assert.ok((await list('?status=all')).some((each) => each.id === id));
  assert.deepEqual(await list('?status=expired'), []);
  for (const query of ['?status=open', '?limit=0', '?limit=x']) {
    assert.equal((await world.as(null, 'GET', `approvals${query}`)).status, 400, query);
  }
  assert.deepEqual(await world.audited(id), ['create', 'reject']);
});

test('the list: newest first, at most 200; large payloads stand only in the request itself', async () => {
  const big = await world.file(null, {
    entityType: 'offer',
    entityId: offer.id,
    action: 'update',
    payload: { description: 'x'.repeat(40_000) },
  });
  const ids = [big.id];
  for (let at = 0; at < 2; at += 1) ids.unshift((await world.file(null, { entityType: 'x', action: 'delete' })).id);
  const { body } = await world.as<Approval[]>(null, 'GET', 'approvals?limit=999');
  assert.deepEqual(
    body.slice(0, 3).map(({ id }) => id),
    ids,
  );
  const listed = body.find(({ id }) => id === big.id)!;
  assert.deepEqual([listed.payload, listed.payloadBytes], [null, 40_018]);
  assert.equal(String((await world.get(big.id)).payload?.description).length, 40_000);
  for (const id of ids) assert.equal((await world.decide(null, id, { action: 'reject' })).status, 200);
});

describe("rejects invalid requests when they're filed", () => {
  const good = { entityType: 'offer', entityId: 'x', entityName: 'X', action: 'update' };
  const stage = { stageName: 'S', requiredRole: 'viewer' };
  for (const [words, change, path] of [
    ['no type', { entityType: undefined }, '/entityType'],
    ['no id', { entityId: undefined }, '/entityId'],
    ['no name', { entityName: undefined }, '/entityName'],
    ['no action', { action: undefined }, '/action'],
    ['publish is no action', { action: 'publish' }, '/action'],
    ['a payload that is a list', { payload: [] }, '/payload'],
    ['no stage', { stages: [] }, '/stages'],
    ['eleven stages', { stages: Array.from({ length: 11 }, () => stage) }, '/stages'],
    ['a stage without name', { stages: [{ requiredRole: 'admin' }] }, '/stages/0/stageName'],
    ['an empty name', { stages: [{ ...stage, stageName: '' }] }, '/stages/0/stageName'],
    ['a name of 121', { stages: [{ ...stage, stageName: 'n'.repeat(121) }] }, '/stages/0/stageName'],
    ['an unknown role', { stages: [{ ...stage, requiredRole: 'owner' }] }, '/stages/0/requiredRole'],
  ] as const) {
    test(words, async () => {
      const { status, body } = await world.as<Problem>(null, 'POST', 'approvals', { ...good, ...change });
      assert.equal(status, 400, JSON.stringify(body));
      assert.equal(body.errors?.[0]?.path, path);
    });
  }

  test('accepts ten stages with names of 120 characters', async () => {
    const stages = Array.from({ length: 10 }, () => ({ stageName: 'n'.repeat(120), requiredRole: 'admin' }));
    const { id } = await world.file(null, { ...good, stages });
    assert.deepEqual(
      (await world.get(id)).stages.map(({ ordinal }) => ordinal),
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    );
    assert.equal((await world.decide(null, id, { action: 'reject' })).status, 200);
  });

  test('reports unknown properties of the payload, and rejects them under strict handling', async () => {
    const body = { ...good, payload: { prioritty: 3, version: 1 } };
    const told = await world.as<Approval>(null, 'POST', 'approvals', body);
    assert.equal(told.headers['x-unknown-properties'], 'payload.prioritty (priority?)');
    assert.equal((await world.decide(null, told.body.id, { action: 'reject' })).status, 200);
    const strict = await world.server.call<Problem>('POST', '/api/v1/approvals', {
      body,
      headers: { prefer: 'handling=strict' },
    });
    assert.deepEqual([strict.status, strict.body.errors?.[0]?.path], [400, '/payload/prioritty']);
  });
});

describe('stages and roles', () => {
  test('decides stages in order, by their role, and then makes the change', async () => {
    const [viewer, editor, admin] = [
      await world.someone('viewer'),
      await world.someone('editor'),
      await world.someone('admin'),
    ];
    const target = await world.make('offers', { name: name('Offer') });
    const { id } = await world.file(viewer.cookie, {
      entityType: 'offer',
      entityId: target.id,
      action: 'update',
      payload: { priority: 91 },
      stages: [
        { stageName: 'Business', requiredRole: 'viewer' },
        { stageName: 'Risk', requiredRole: 'admin' },
      ],
    });
    assert.equal((await world.decide(viewer.cookie, id)).status, 403, 'viewers decide nothing');
    const first = await world.decide(editor.cookie, id, { comments: 'Fine' });
    assert.deepEqual(
      [first.status, first.body.status, first.body.currentStage, first.body.approverId, first.body.comments],
      [200, 'pending', 2, editor.id, 'Fine'],
    );
    assert.equal((await world.read(`offers/${target.id}`)).priority, target.priority);
    const refused = await world.decide(editor.cookie, id);
    assert.deepEqual([refused.status, refused.body.code], [403, 'forbidden']);
    assert.equal((await world.decide(admin.cookie, id, { stage: 1 })).body.code, 'concurrent_modification');
    const last = await world.decide(admin.cookie, id, { stage: 2 });
    assert.deepEqual([last.body.status, last.body.appliedEntityId], ['approved', target.id]);
    assert.equal((await world.read(`offers/${target.id}`)).priority, 91);
    const detail = await world.get(id);
    assert.deepEqual(
      detail.stages.map((stage) => [stage.status, stage.decidedBy, stage.comments]),
      [
        ['approved', editor.id, 'Fine'],
        ['approved', admin.id, null],
      ],
    );
    const again = await world.decide(admin.cookie, id);
    assert.deepEqual([again.status, again.body.code], [409, 'already_resolved']);
    assert.deepEqual(await world.audited(id), ['create', 'approve', 'approve', 'apply']);
  });

  for (const [words, body, stages] of [
    ['a contact policy', { entityType: 'contactPolicy', action: 'create' }, 'viewer'],
    ['a qualification rule', { entityType: 'qualificationRule', action: 'create' }, 'editor'],
  ] as const) {
    test(`the minimum role is that of the direct change: an editor approves no ${words}, whatever the stage says`, async () => {
      const editor = await world.someone('editor');
      const payload = bodies[body.entityType]().create;
      const stage = { stageName: 'Easy', requiredRole: stages };
      const { id } = await world.file(editor.cookie, { ...body, payload, stages: [stage] });
      const { status, body: problem } = await world.decide(editor.cookie, id);
      assert.deepEqual([status, problem.code], [403, 'forbidden']);
      const { status: state, stages: left } = await world.get(id);
      assert.deepEqual([state, left[0]?.status], ['pending', 'pending']);
      assert.deepEqual(await world.audited(id), ['create']);
      assert.equal((await world.decide(editor.cookie, id, { action: 'reject' })).status, 200, 'rejecting has no floor');
    });
  }

  test('a mandatory offer requires an admin; server-owned and foreign values have no effect', async () => {
    const [editor, admin] = [await world.someone('editor'), await world.someone('admin')];
    const target = await world.make('offers', { name: name('Offer') });
    const stages = [{ stageName: 'Easy', requiredRole: 'viewer' }];
    const payload = {
      mandatory: true,
      mandatoryReason: 'Law',
      mandatoryApprovedBy: admin.id,
      mandatoryExpiresAt: '2099-01-01T00:00:00Z',
      tenantId: world.server.tenants[1]!.id,
      id: category.id,
      deletedAt: '2020-01-01T00:00:00Z',
    };
    const asked = { entityType: 'offer', entityId: target.id, action: 'update', payload, stages };
    const { id } = await world.file(editor.cookie, asked);
    assert.equal((await world.decide(editor.cookie, id)).status, 403);
    assert.equal((await world.read(`offers/${target.id}`)).mandatory, false);
    assert.equal((await world.decide(admin.cookie, id)).status, 200);
    const changed = await world.read(`offers/${target.id}`);
    assert.deepEqual([changed.mandatory, changed.tenantId, changed.deletedAt], [true, world.tenant.id, null]);
  });

  test('a role lowered for a call applies', async () => {
    const { id } = await world.file(null, { entityType: 'offer', action: 'create', payload: { name: name('Offer') } });
    const decideAs = (role: string) =>
      world.server.call('POST', `/api/v1/approvals/${id}`, {
        body: { action: 'approve' },
        headers: { 'x-user-role': role },
      });
    assert.equal((await decideAs('viewer')).status, 403);
    assert.equal((await decideAs('editor')).status, 403);
    assert.equal((await decideAs('admin')).status, 200);
  });
});

describe("validates the payload when it's applied; an error leaves everything unchanged", () => {
  const refused = async (asked: object, status: number, code: string, path?: string) => {
    const approval = await world.file(null, asked);
    for (let times = 0; times < 2; times += 1) {
      const { status: told, body } = await world.decide(null, approval.id);
      assert.deepEqual([told, body.code], [status, code], JSON.stringify(body));
      if (path !== undefined) assert.equal(body.errors?.[0]?.path, path);
      const { diff: _diff, targetFound: _found, ...now } = await world.get(approval.id);
      assert.deepEqual(now, approval);
    }
    assert.deepEqual(await world.audited(approval.id), ['create']);
    await world.decide(null, approval.id, { action: 'reject' });
  };

  test("a record type that approvals don't change", () =>
    refused({ entityType: 'segment', action: 'create', payload: { name: 'S' } }, 409, 'unsupported_entity_type'));
  test('__proto__ is no record type', () =>
    refused({ entityType: 'toString', action: 'delete' }, 409, 'unsupported_entity_type'));
  test("a record that doesn't exist", () =>
    refused({ entityType: 'offer', entityId: 'nonsense', action: 'update', payload: {} }, 404, 'not_found'));
  test("accepts an ID in other letter case, and returns the record's own", async () => {
    const { id } = await world.make('offers', { name: name('Offer') });
    for (const [action, payload] of [
      ['update', { priority: 61 }],
      ['delete', undefined],
    ] as const) {
      const asked = await world.file(null, { entityType: 'offer', entityId: id.toUpperCase(), action, payload });
      const { status, body } = await world.decide(null, asked.id);
      assert.deepEqual([status, body.appliedEntityId], [200, id], JSON.stringify(body));
    }
  });
  test('a record of another tenant', async () => {
    const other = await world.server.call<Made>('POST', '/api/v1/offers', {
      body: { name: 'Theirs' },
      key: world.server.tenants[1]!.keys.admin,
    });
    for (const action of ['update', 'delete']) {
      await refused({ entityType: 'offer', entityId: other.body.id, action, payload: {} }, 404, 'not_found');
    }
  });
  test('a value that the direct write rejects', () =>
    refused(
      { entityType: 'offer', entityId: offer.id, action: 'update', payload: { priority: 'high!' } },
      400,
      'validation_failed',
      '/payload/priority',
    ));
  test("a reference to a record that doesn't exist", () =>
    refused(
      { entityType: 'offer', action: 'create', payload: { name: name('Offer'), categoryId: offer.id } },
      400,
      'reference_not_found',
      '/payload/categoryId',
    ));
  test('a name taken in the meantime', async () => {
    const taken = name('Offer');
    await world.make('offers', { name: taken });
    await refused({ entityType: 'offer', action: 'create', payload: { name: taken } }, 409, 'duplicate_name');
  });
  test('a record that is still needed', async () => {
    await world.make('creatives', { name: name('Creative'), offerId: offer.id, channelId: channel.id });
    await refused({ entityType: 'channel', entityId: channel.id, action: 'delete' }, 409, 'in_use');
  });

  for (const counter of ['rowVersion', 'version']) {
    for (const action of ['update', 'delete']) {
      test(`${action} of a record that has changed since, by ${counter}`, async () => {
        const target = await world.make('offers', { name: name('Offer') });
        const payload = { [counter]: target.version };
        const asked = { entityType: 'offer', entityId: target.id, action, payload };
        const right = await world.file(null, asked);
        await world.as(null, 'PUT', `offers/${target.id}`, { priority: 12 });
        await refused(asked, 409, 'row_version_conflict');
        assert.equal((await world.decide(null, right.id)).body.code, 'row_version_conflict');
        await world.decide(null, right.id, { action: 'reject' });
        const fresh = await world.file(null, { ...asked, payload: { [counter]: Number(target.version) + 1 } });
        assert.equal((await world.decide(null, fresh.id)).status, 200);
      });
    }
  }
  test('versions that are invalid or differ', async () => {
    const asked = { entityType: 'offer', entityId: offer.id, action: 'update' };
    await refused({ ...asked, payload: { version: '1' } }, 400, 'validation_failed', '/payload/version');
    await refused({ ...asked, payload: { version: 1, rowVersion: 2 } }, 400, 'validation_failed', '/payload/version');
  });
});
