import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { JourneyDefinition, JourneyNode, Problem } from '@arbiter/contract';
import { onCustomerEvent } from './index.ts';
import { type JourneyServer, startJourneyServer } from './test-journeys.ts';

/** Journeys over HTTP (docs/design/api-access.md 12.3). Time passes by moving the enrollments' instants. */

let world: JourneyServer;
before(async () => {
  world = await startJourneyServer();
});
after(() => world?.server.close());

const entry = (config: object = {}) => ({ id: 'start', type: 'entry_trigger', config }) as JourneyNode;
const wait = (id: string, config: object = {}) =>
  ({ id, type: 'wait', config: { delayMinutes: 60, ...config } }) as JourneyNode;
const exit = (id: string, reason = id) => ({ id, type: 'exit', config: { reason } }) as JourneyNode;
const node = (id: string, type: string, config: object) => ({ id, type, config }) as JourneyNode;

/** A path through these nodes in order. */
const line = (...nodes: readonly JourneyNode[]): JourneyDefinition => ({
  nodes: [...nodes],
  edges: nodes.slice(1).map(({ id }, at) => ({ from: nodes[at]!.id, to: id })),
});

const results = (history: readonly { nodeId: string; result: string }[]) =>
  history.map(({ nodeId, result }) => `${nodeId} ${result}`);

const event = (type: string, customerId: string, data: object = {}, more: object = {}) =>
  world.inTransaction((tx) =>
    onCustomerEvent(tx, { type, customerId, channel: null, timestamp: tx.now, data: { ...data }, ...more }),
  );

describe('rejects invalid definitions', () => {
  const refuse = async (definition: object, more: object = {}) =>
    (
      await world.server.call<Problem>('POST', '/api/v1/journeys', {
        body: { name: 'Refused', definition, ...more },
      })
    ).body;
  const split = node('split', 'condition_split', { condition: { field: 'data.x', operator: 'exists' } });
  for (const [words, definition, path] of [
    ['no entry', line(wait('a'), exit('b')), '/definition/nodes'],
    ['two entries', line(entry(), { ...entry(), id: 'other' }), '/definition/nodes'],
    ['one id twice', line(entry(), wait('a'), wait('a')), '/definition/nodes/2/id'],
    [
      'an unreachable node',
      { nodes: [entry(), exit('a'), exit('b')], edges: [{ from: 'start', to: 'a' }] },
      '/definition/nodes/2',
    ],
    [
      'an edge to nowhere',
      { nodes: [entry(), exit('a')], edges: [{ from: 'start', to: 'x' }] },
      '/definition/edges/0/to',
    ],
    [
      'a split with one way',
      {
        nodes: [entry(), split, exit('a')],
        edges: [
          { from: 'start', to: 'split' },
          { from: 'split', to: 'a', when: true },
        ],
      },
      '/definition/nodes/1',
    ],
    [
      'a cycle without a wait',
      {
        nodes: [entry(), split, { ...split, id: 'again' }, exit('a'), exit('b')],
        edges: [
          { from: 'start', to: 'split' },
          { from: 'split', to: 'again', when: true },
          { from: 'split', to: 'a', when: false },
          { from: 'again', to: 'split', when: true },
          { from: 'again', to: 'b', when: false },
        ],
      },
      '/definition/nodes/0',
    ],
  ] as const) {
    test(words, async () => {
      const problem = await refuse(definition);
      assert.deepEqual([problem.code, problem.errors?.[0]?.path], ['pipeline_invalid', path], JSON.stringify(problem));
    });
  }
  test('a message without a decision, and on a channel of callers', async () => {
    const send = (channelId: string) => line(entry(), decide(), node('send', 'channel_action', { channelId }));
    const decide = () => node('decide', 'nba_decision', { decisionFlowKey: 'main' });
    const lone = line(entry(), node('send', 'channel_action', { channelId: world.ids.batchChannel }));
    assert.equal((await refuse(lone)).errors?.[0]?.path, '/definition/nodes/1/config/from');
    assert.equal((await refuse(send(world.ids.channel))).code, 'pipeline_invalid');
    const unknown = await refuse(send('0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a00'));
    assert.deepEqual(
      [unknown.code, unknown.errors?.[0]?.path],
      ['reference_not_found', '/definition/nodes/2/config/channelId'],
    );
  });
  test('an unknown node type, operator, column and flow name the nearest word', async () => {
    const type = await refuse(line(entry(), node('a', 'wiat', { delayMinutes: 1 })));
    assert.equal(type.errors?.[0]?.path, '/definition/nodes/1/type');
    assert.match(String(type.errors?.[0]?.message), /did you mean wait\?/);
    const condition = { field: 'data.x', operator: 'gtee', value: 1 };
    const operator = await refuse(line(entry({ condition }), exit('a')));
    assert.match(String(operator.errors?.[0]?.message), /did you mean gte\?/);
    assert.equal(operator.errors?.[0]?.path, '/definition/nodes/0/config/condition/operator');
    const set = { teir: 'gold' };
    const column = await refuse(line(entry(), node('a', 'update_attribute', { schemaId: world.ids.schema, set })));
    assert.match(String(column.errors?.[0]?.message), /is not a column; did you mean tier\?/);
    const flow = await refuse(line(entry(), node('a', 'nba_decision', { decisionFlowKey: 'nobody' })));
    assert.deepEqual(
      [flow.code, flow.errors?.[0]?.path],
      ['reference_not_found', '/definition/nodes/1/config/decisionFlowKey'],
    );
  });
});

test('walks a customer through a wait and a split, and keeps the history', async () => {
  const journey = await world.journey({
    nodes: [
      entry(),
      wait('pause'),
      node('large', 'condition_split', { condition: { field: 'data.cartValue', operator: 'gte', value: 100 } }),
      exit('big'),
      exit('small'),
    ],
    edges: [
      { from: 'start', to: 'pause' },
      { from: 'pause', to: 'large' },
      { from: 'large', to: 'big', when: true },
      { from: 'large', to: 'small', when: false },
    ],
  });
  const waiting = await world.walk(journey, { customerId: 'walker', context: { cartValue: 120 } });
  assert.deepEqual([waiting.status, waiting.currentNodeId], ['waiting', 'pause']);
  assert.equal(await world.tick(), 0);
  await world.pass(60);
  assert.equal(await world.tick(), 1);
  const done = await world.read(journey, waiting.id);
  assert.deepEqual([done.status, done.exitReason, done.currentNodeId], ['completed', 'big', null]);
  assert.deepEqual(results(done.history), ['start entered', 'pause elapsed', 'large matched', 'big exited']);
  const stats = await world.server.call('GET', `/api/v1/journeys/${journey}/stats`);
  assert.deepEqual(stats.body, {
    ...{ entered: 1, active: 0, completed: 1, exited: 0, failed: 0, expired: 0 },
    byNode: ['start', 'pause', 'large', 'big', 'small'].map((nodeId) => ({
      nodeId,
      passed: nodeId === 'small' ? 0 : 1,
      current: 0,
    })),
  });
});

test('enrolls once, restarts, or enrolls again, as the caller wants', async () => {
  const journey = await world.journey(line(entry(), wait('pause'), exit('end')));
  const body = { customerId: 'twice' };
  const calls = await Promise.all(Array.from({ length: 8 }, () => world.enroll(journey, body)));
  assert.deepEqual(calls.map(({ status }) => status).sort(), [200, 200, 200, 200, 200, 200, 200, 201]);
  const [first] = new Set(calls.map((call) => call.body.id));
  const again = await world.enroll(journey, { ...body, deduplication: 'restart' });
  assert.equal(again.status, 201);
  assert.equal((await world.read(journey, first!)).exitReason, 'restarted');
  const more = await world.enroll(journey, { ...body, deduplication: 'allow_multiple' });
  assert.equal(more.status, 201);
  const list = await world.server.call<{ pagination: { total: number } }>(
    'GET',
    `/api/v1/journeys/${journey}/enrollments?customerId=twice&status=active`,
  );
  assert.equal(list.body.pagination.total, 2);
  const key = world.server.tenants[1]!.keys.admin;
  assert.equal((await world.server.call('GET', `/api/v1/journeys/${journey}/enrollments`, { key })).status, 404);
});

test('decides once, stores the result, and sends nothing decided for another channel', async () => {
  const decide = node('decide', 'nba_decision', { decisionFlowKey: 'main', channelId: world.ids.channel });
  const send = node('send', 'channel_action', { channelId: world.ids.batchChannel });
  const split = node('found', 'condition_split', {
    condition: { field: 'decision.items.0.offerId', operator: 'exists' },
  });
  const definition = line(entry(), decide, send, split);
  const journey = await world.journey({
    nodes: [...definition.nodes, exit('yes'), exit('no')],
    edges: [...definition.edges, { from: 'found', to: 'yes', when: true }, { from: 'found', to: 'no', when: false }],
  });
  // A result can't be passed in by the caller.
  const done = await world.walk(journey, { customerId: 'decided', context: { decision: { items: [] } } });
  assert.deepEqual(results(done.history), [
    ...['start entered', 'decide decided', 'send nothing_to_send', 'found matched', 'yes exited'],
  ]);
  const recommendationId = String(done.history[1]?.detail?.recommendationId);
  const { body, text } = await world.server.call('GET', `/api/v1/decisions/${recommendationId}`);
  assert.deepEqual([body.customerId, body.source], ['decided', 'journey'], text);
  const stored = await world.server.testDatabase.ownerQuery('select id from arbiter.decisions where source_id = $1', [
    journey,
  ]);
  assert.deepEqual(stored, [{ id: recommendationId }]);
});

test('queues a message for each offer decided for the channel', async () => {
  const { batchChannel } = world.ids;
  const decide = node('decide', 'nba_decision', {
    decisionFlowKey: 'main',
    channelId: batchChannel,
    resultKey: 'mail',
  });
  const send = node('send', 'channel_action', { channelId: batchChannel, from: 'mail' });
  const journey = await world.journey(line(entry(), decide, send, exit('end')));
  const done = await world.walk(journey, { customerId: 'addressee' });
  assert.deepEqual(results(done.history), ['start entered', 'decide decided', 'send queued', 'end exited']);
  const [deliveryId] = done.history[2]?.detail?.deliveryIds ?? [];
  const { status, body } = await world.server.call('GET', `/api/v1/deliveries/${deliveryId}`);
  assert.deepEqual(
    [status, body.customerId, body.journeyId, body.channelId],
    [...[200, 'addressee', journey, batchChannel]],
  );
});

test('fails the enrollment when its flow is not published', async () => {
  const journey = await world.journey(
    line(entry(), node('decide', 'nba_decision', { decisionFlowKey: 'draft' }), exit('end')),
  );
  const failed = await world.walk(journey, { customerId: 'unpublished' });
  assert.deepEqual([failed.status, failed.exitReason], ['failed', 'flow_not_published']);
  assert.deepEqual(results(failed.history), ['start entered', 'decide failed']);
});

test("changes the customer's attributes", async () => {
  const set = { tier: 'gold', visits: 3 };
  const journey = await world.journey(
    line(entry(), node('set', 'update_attribute', { schemaId: world.ids.schema, set }), exit('end')),
  );
  const done = await world.walk(journey, { customerId: 'golden' });
  assert.deepEqual(results(done.history), ['start entered', 'set updated', 'end exited']);
  const condition = { field: 'customer.tier', operator: 'eq', value: 'gold' };
  const gold = await world.journey(line(entry(), exit('end')), { entryCondition: condition });
  assert.equal((await world.enroll(gold, { customerId: 'golden' })).status, 201);
  assert.equal((await world.enroll(gold, { customerId: 'someone' })).body.code, 'invalid_transition');
});

test('an event ends a wait early, exactly once, and enrolls by type and condition', async () => {
  const condition = { field: 'data.value', operator: 'gt', value: 10 };
  const journey = await world.journey(
    line(entry({ eventType: 'cart_abandon', condition }), wait('pause', { untilEvent: 'purchase' }), exit('end')),
  );
  assert.deepEqual(await event('cart_abandon', 'buyer', { value: 5 }), { resumed: 0, enrolled: 0 });
  assert.deepEqual(await event('cart_abandon', 'buyer', { value: 50 }), { resumed: 0, enrolled: 1 });
  await world.runJobs();
  assert.deepEqual(await event('page_view', 'buyer'), { resumed: 0, enrolled: 0 });
  const outcomes = await Promise.all(Array.from({ length: 5 }, () => event('purchase', 'buyer')));
  assert.equal(
    outcomes.reduce((sum, { resumed }) => sum + resumed, 0),
    1,
  );
  await world.runJobs();
  const { body } = await world.server.call<{ data: { id: string }[] }>(
    'GET',
    `/api/v1/journeys/${journey}/enrollments`,
  );
  const done = await world.read(journey, body.data[0]!.id);
  assert.deepEqual(results(done.history), ['start entered', 'pause resumed', 'end exited']);
  assert.deepEqual(done.context, { value: 50 });
});

test('a paused journey holds its enrollments while time passes, and a change keeps their version', async () => {
  const journey = await world.journey(line(entry(), wait('pause'), exit('end', 'first version')), {
    maxDurationDays: 2,
  });
  const put = (body: object) => world.server.call('PUT', `/api/v1/journeys/${journey}`, { body });
  const one = await world.walk(journey, { customerId: 'held' });
  const other = await world.walk(journey, { customerId: 'late' });
  assert.equal((await put({ status: 'paused', definition: line(entry(), exit('end', 'second version')) })).status, 200);
  assert.equal((await world.enroll(journey, { customerId: 'new' })).body.code, 'invalid_transition');
  await world.pass(61);
  await world.tick();
  assert.equal((await world.read(journey, one.id)).status, 'waiting');
  await put({ status: 'active' });
  await world.server.testDatabase.ownerQuery(
    "update arbiter.journey_enrollments set expires_at = now() - interval '1 minute' where id = $1",
    [other.id],
  );
  assert.equal(await world.tick(), 2);
  const done = await world.read(journey, one.id);
  assert.deepEqual([done.status, done.exitReason, done.journeyVersion], ['completed', 'first version', 1]);
  assert.equal((await world.read(journey, other.id)).status, 'expired');
  await put({ status: 'paused' });
  assert.equal(
    (await world.walk(await world.journey(line(entry(), exit('end'))), { customerId: 'x' })).status,
    'completed',
  );
});

test('exits early, and is off with enableJourneys', async () => {
  const { server } = world;
  const journey = await world.journey(line(entry({ eventType: 'support_call' }), wait('pause'), exit('end')));
  const { id } = await world.walk(journey, { customerId: 'leaver' });
  const path = `/api/v1/journeys/${journey}/enrollments/${id}/exit`;
  const left = await server.call('POST', path, { body: { reason: 'asked to stop' } });
  assert.deepEqual([left.status, left.body.exitReason], [200, 'asked to stop']);
  assert.equal((await server.call<Problem>('POST', path, { body: {} })).body.code, 'invalid_transition');
  const stays = await world.walk(journey, { customerId: 'stayer' });
  const setting = (enableJourneys: boolean) =>
    server.call('PUT', '/api/v1/tenant-settings', { body: { enableJourneys } });
  assert.equal((await setting(false)).status, 200);
  for (const [method, url, body] of [
    ['POST', 'journeys', { name: 'Off', definition: line(entry(), exit('end')) }],
    ['PUT', `journeys/${journey}`, { description: 'x' }],
    ['DELETE', `journeys/${journey}`, undefined],
    ['POST', `journeys/${journey}/enroll`, { customerId: 'x' }],
  ] as const) {
    const { status, body: problem } = await server.call<Problem>(method, `/api/v1/${url}`, { body });
    assert.deepEqual([status, problem.code], [403, 'feature_disabled'], url);
  }
  assert.deepEqual(await event('support_call', 'caller'), { resumed: 0, enrolled: 0 });
  await world.pass(61);
  assert.equal(await world.tick(), 0);
  assert.equal((await world.read(journey, stays.id)).status, 'waiting');
  await setting(true);
  assert.equal(await world.tick(), 1);
  assert.equal((await world.read(journey, stays.id)).status, 'completed');
});

test('a deleted journey holds its enrollments until it is restored', async () => {
  const journey = await world.journey(line(entry(), wait('pause'), exit('end')));
  const { id } = await world.walk(journey, { customerId: 'restored' });
  assert.equal((await world.server.call('DELETE', `/api/v1/journeys/${journey}`)).status, 204);
  assert.equal((await world.enroll(journey, { customerId: 'new' })).status, 404);
  await world.pass(61);
  await world.tick();
  const [held] = await world.server.testDatabase.ownerQuery(
    'select status from arbiter.journey_enrollments where id = $1',
    [id],
  );
  assert.equal(held?.status, 'waiting');
  const restored = await world.server.call('POST', `/api/v1/restore?entityType=journey&id=${journey}`);
  assert.equal(restored.status, 200, restored.text);
  assert.equal(await world.tick(), 1);
  assert.equal((await world.read(journey, id)).status, 'completed');
});

test('a dry run walks the path and stores nothing', async () => {
  const decide = node('decide', 'nba_decision', { decisionFlowKey: 'main', channelId: world.ids.batchChannel });
  const send = node('send', 'channel_action', { channelId: world.ids.batchChannel });
  const set = node('set', 'update_attribute', { schemaId: world.ids.schema, set: { tier: 'silver' } });
  const journey = await world.journey(line(entry(), wait('pause'), decide, send, set, exit('end')), {
    status: 'draft',
  });
  const counts = () =>
    world.server.testDatabase.ownerQuery(
      `select (select count(*) from arbiter.decisions) as decisions, (select count(*) from arbiter.outbox) as events,
         (select count(*) from arbiter.journey_enrollments) as enrollments, (select count(*) from arbiter.customer_states) as states`,
    );
  const before = await counts();
  const { status, body, text } = await world.server.call<{ path: { nodeId: string; result: string }[] }>(
    'POST',
    `/api/v1/journeys/${journey}/test`,
    { body: { customerId: 'tried' } },
  );
  assert.equal(status, 200, text);
  assert.deepEqual(results(body.path), [
    ...['start entered', 'pause elapsed', 'decide decided', 'send queued', 'set updated', 'end exited'],
  ]);
  assert.deepEqual(await counts(), before);
});
