import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { DecisionRecord, RecommendAnswer } from '@arbiter/contract';
import { emptyReasons } from '@arbiter/engine';
import { startTestServer, type TestServer } from '../../../../main/test-server.ts';
import { emptyCodes } from '../../sealed-records/index.ts';

/** What a decision stores for judging drafts later (docs/design/recording.md). */
let server: TestServer;
let peopleId: string;
let channelId: string;

const varchar = (name: string, more: object = {}) => ({
  name,
  displayName: name,
  dataType: 'varchar',
  length: 64,
  ...more,
});

interface Names {
  readonly columns: Readonly<Record<string, readonly string[]>>;
  readonly attributes: readonly string[];
  readonly context: readonly string[] | null;
  readonly segments: readonly string[];
}

interface Inputs {
  readonly request: { readonly attributes?: Record<string, unknown>; readonly context?: Record<string, unknown> };
  readonly profile: Record<string, unknown>;
  readonly readSet: Names;
  readonly cut: readonly string[];
}

interface Record_ {
  readonly inputsState: string;
  readonly withheld: readonly string[];
  readonly inputs: Inputs;
}

async function decide(body: object): Promise<RecommendAnswer> {
  const { status, body: answer, text } = await server.call<RecommendAnswer>('POST', '/api/v1/recommend', { body });
  assert.equal(status, 200, text);
  return answer;
}

async function recordOf(body: object): Promise<Record_ & { readonly id: string }> {
  const { recommendationId: id } = await decide(body);
  const { status, body: record, text } = await server.call<Record_>('GET', `/api/v1/decisions/${id}?include=inputs`);
  assert.equal(status, 200, text);
  return { ...record, id: id! };
}

async function assertReplays(id: string): Promise<void> {
  const { body, text } = await server.call<{ identical: boolean }>('POST', `/api/v1/decisions/${id}/replay`, {
    body: {},
  });
  assert.equal(body.identical, true, text);
}

async function settings(body: object): Promise<void> {
  const { status, text } = await server.call('PUT', '/api/v1/tenant-settings', { body });
  assert.equal(status, 200, text);
}

const rowOf = async (id: string) =>
  (await server.testDatabase.ownerQuery('select * from arbiter.decisions where id = $1', [id]))[0]!;

before(async () => {
  server = await startTestServer();
  const columns = ['age_group', 'tier', 'hobby', 'city', 'plan_name', 'unread'].map((name) => varchar(name));
  peopleId = await server.create('schemas', {
    name: 'people',
    displayName: 'People',
    schemaType: 'customer',
    autoEnrich: true,
    fields: [
      varchar('customer_id', { isPrimaryKey: true, isNullable: false }),
      ...columns,
      varchar('diagnosis', { neverStore: true }),
    ],
  });
  const row = { customer_id: 'C1', age_group: 'young', tier: 'gold', hobby: 'chess', city: 'Bern', unread: 'x' };
  const rows = [{ ...row, diagnosis: 'secret' }];
  assert.equal((await server.call('POST', `/api/v1/schemas/${peopleId}/data`, { body: { rows } })).status, 201);
  channelId = await server.create('channels', { name: 'Web', channelType: 'web' });
  const offerId = await server.create('offers', { name: 'A', status: 'active', priority: 50 });
  await server.create('creatives', { name: 'A', offerId, channelId, status: 'active' });
  await server.create('qualification-rules', {
    name: 'Young',
    ruleType: 'attribute_condition',
    scope: 'global',
    config: { attribute: 'customer.age_group', operator: 'neq', value: 'old' },
  });
  await server.create('qualification-rules', {
    name: 'Affluent',
    ruleType: 'attribute_condition',
    scope: 'global',
    config: { attribute: 'attributes.income', operator: 'neq', value: 0 },
  });
});
after(() => server?.close());

test('the plain columns answer health questions without opening the record', async () => {
  const shown = await decide({ customerId: 'C1', channelId, attributes: { income: 5 } });
  assert.equal(shown.count, 1);
  const row = await rowOf(shown.recommendationId!);
  assert.equal(row.channel_id, channelId);
  assert.equal(row.empty_code, null);
  assert.equal(row.explored, false);
  assert.equal(row.min_probability, 1);
  const engineUs = Number(row.engine_us);
  assert.ok(Number.isInteger(row.engine_us) && engineUs >= 0, String(row.engine_us));
  assert.deepEqual([row.arm, row.release_id, row.source_id], [0, null, null]);
  assert.deepEqual([row.price_number, row.counts_number], [null, null]);

  const empty = await decide({ customerId: 'C1', channel: 'sms' });
  const none = await rowOf(empty.recommendationId!);
  assert.equal(empty.emptyReason, 'no_channel');
  assert.equal(none.empty_code, emptyCodes.no_channel);
  assert.deepEqual([none.min_probability, none.explored, none.channel_id], [null, false, null]);
  const excluded = await decide({ customerId: 'C1' });
  assert.equal(excluded.emptyReason, 'qualify', 'the rule asks for an income');
  const reason = emptyReasons.find((each) => each === excluded.emptyReason);
  assert.ok(reason !== undefined, String(excluded.emptyReason));
  assert.equal((await rowOf(excluded.recommendationId!)).empty_code, emptyCodes[reason]);
});

test('stores the request as it was sent, and replays it as it was decided', async () => {
  const question = { attributes: { income: 5, hobby: 'chess', deep: { a: [1] } }, context: { page: '/home' } };
  const small = await recordOf({ customerId: 'C1', ...question });
  assert.deepEqual(small.inputs.request.attributes, question.attributes);
  assert.deepEqual(small.inputs.request.context, question.context);
  assert.deepEqual(small.inputs.cut, []);
  await assertReplays(small.id);

  const large = await recordOf({ customerId: 'C1', attributes: { income: 5, long: 'x'.repeat(5_000) } });
  assert.deepEqual(large.inputs.request.attributes, { income: 5 });
  assert.deepEqual(large.inputs.cut, ['attributes.long']);
  await assertReplays(large.id);
});

test('names an attribute that is never stored, which stops the replay only if the plan reads it', async () => {
  await settings({ neverStore: ['note'] });
  const unread = await recordOf({ customerId: 'C1', attributes: { income: 5, note: 'private' } });
  assert.deepEqual([unread.inputsState, unread.withheld], ['available', ['note']]);
  assert.deepEqual(unread.inputs.request.attributes, { income: 5 });
  await assertReplays(unread.id);

  await settings({ neverStore: ['income'] });
  const read = await recordOf({ customerId: 'C1', attributes: { income: 5 } });
  assert.deepEqual([read.inputsState, read.withheld], ['withheld', ['income']]);
  const replay = await server.call('POST', `/api/v1/decisions/${read.id}/replay`, { body: {} });
  assert.deepEqual([replay.status, replay.body.code], [409, 'inputs_unavailable']);

  // It can't be repeated, so its explanation knows the offers of the response only.
  const { body, text } = await server.call<DecisionRecord>('GET', `/api/v1/decisions/${read.id}?include=explanation`);
  assert.equal(body.explanation?.source, 'record', text);
  assert.deepEqual(
    body.explanation.items.map(({ offerId, rank }) => [offerId, rank]),
    body.result?.items.map(({ offerId, rank }) => [offerId, rank]),
  );
  assert.deepEqual([body.explanation.stages, body.explanation.gates], [[], null]);
  await settings({ neverStore: null });
});

test('a record stores what drafts, idle rules and recordReads would read, and lists what it lacks', async () => {
  const before = await recordOf({ customerId: 'C1' });
  assert.deepEqual(before.inputs.profile, { age_group: 'young' });

  const nodes = [
    { id: 'i', type: 'inventory', config: {} },
    { id: 'f', type: 'filter', config: { conditions: 'customer.tier == "gold"' } },
    { id: 's', type: 'score', config: { method: 'priority_weighted' } },
    { id: 'p', type: 'set_properties', config: { properties: [{ key: 'city', formula: 'customer.city' }] } },
  ];
  const flow = {
    key: 'draft',
    name: 'Draft',
    draftConfig: { version: 2, nodes: nodes.filter(({ id }) => id !== 'f') },
  };
  const draftId = await server.create('decision-flows', flow);
  await server.create('qualification-rules', {
    name: 'Idle',
    status: 'draft',
    ruleType: 'attribute_condition',
    // Includes an offer that decisions don't see: whatever a rule applies to may apply one day.
    scope: 'offer',
    scopeId: await server.create('offers', { name: 'Later', status: 'draft' }),
    config: { attribute: 'customer.hobby', operator: 'eq', value: 'chess' },
  });
  await server.create('contact-policies', {
    name: 'Idle',
    status: 'paused',
    ruleType: 'do_not_contact',
    scope: 'global',
    config: { condition: { field: 'attributes.blocked', operator: 'eq', value: true } },
  });
  await settings({ recordReads: { customer: ['plan_name'] } });

  const after = await recordOf({ customerId: 'C1' });
  const names = after.inputs.readSet;
  assert.deepEqual(names.columns[peopleId], ['age_group', 'hobby', 'city', 'plan_name']);
  // `plan_name` was read and has no value; `tier` and `unread` weren't read; values that are never stored aren't read
  // for others.
  assert.deepEqual(after.inputs.profile, { age_group: 'young', hobby: 'chess', city: 'Bern', plan_name: null });
  assert.equal(after.inputsState, 'available');
  assert.ok(names.attributes.includes('income') && names.attributes.includes('blocked'), names.attributes.join());
  await assertReplays(before.id);
  await assertReplays(after.id);

  // Each list of names is stored once, whatever else changes.
  const stored = async () => (await rowOf((await decide({ customerId: 'C2' })).recommendationId!)).read_set;
  const known = await stored();
  await server.create('offers', { name: 'B', status: 'draft' });
  assert.equal(await stored(), known);
  assert.equal((await rowOf(after.id)).read_set, known);
  assert.notEqual((await rowOf(before.id)).read_set, known);

  // An archived flow no longer reads anything.
  const archived = await server.call('PUT', '/api/v1/decision-flows', { body: { id: draftId, status: 'archived' } });
  assert.equal(archived.status, 200, archived.text);
  const last = await recordOf({ customerId: 'C1' });
  assert.ok(!last.inputs.readSet.columns[peopleId]!.includes('city'));
});

test('recordReads accepts only columns that can be stored', async () => {
  const put = (recordReads: object, more: object = {}) =>
    server.call<{ code: string; errors: { path: string; message: string }[] }>('PUT', '/api/v1/tenant-settings', {
      body: { recordReads, ...more },
    });
  for (const [body, path, told] of [
    [{ customer: ['hoby'] }, '/recordReads/customer/0', /did you mean hobby/],
    [{ customer: ['tier', 'diagnosis'] }, '/recordReads/customer/1', /not marked neverStore/],
    [{ segments: ['vip'] }, '/recordReads/segments/0', /must be the ID or name of an active segment/],
  ] as const) {
    const { status, body: problem, text } = await put(body);
    assert.deepEqual([status, problem.code], [400, 'validation_failed'], text);
    assert.deepEqual(problem.errors[0]?.path, path);
    assert.match(problem.errors[0]!.message, told);
  }
  const tooMany = await put({ customer: Array.from({ length: 101 }, (_, n) => `c${n}`) });
  assert.equal(tooMany.status, 400);
  const both = await put({ customer: ['tier'] }, { neverStore: ['tier'] });
  assert.match(both.body.errors[0]!.message, /is marked neverStore/);
  const { body } = await server.call<{ recordReads: object }>('GET', '/api/v1/tenant-settings');
  assert.deepEqual(body.recordReads, { customer: ['plan_name'], segments: [] }, 'nothing was changed');
  const later = await server.call<Record<string, never>>('PUT', '/api/v1/tenant-settings', {
    body: { neverStore: ['plan_name'] },
  });
  assert.equal(later.status, 400, later.text);
});
