// The first day of a newcomer with an empty tenant: from a table of customers to a decision that is recorded, capped,
// explained and replayed. Over a socket, against a real server process, as any client would.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../packages/server/src/db/test-database.ts';
import { type Answer, type Caller, createCaller, itemsOf } from '../faults/api.ts';
import { createInstallation, type Installation, type ServerProcess } from '../faults/server-process.ts';

let db: TestDatabase;
let installation: Installation;
let server: ServerProcess;
let call: Caller;
/** Passed from one step to the next. */
const made = { schema: '', category: '', email: '', phone: '', reward: '', upgrade: '', hidden: '', flow: '' };
let recommendation: Answer;

before(async () => {
  db = await createTestDatabase();
  installation = await createInstallation({ DATABASE_URL: db.url }, ['Corner Café']);
  server = await installation.start();
  call = createCaller(() => server.url, installation.tenants[0]!.key);
});
after(async () => {
  await installation?.stopAll();
  await db?.close();
});

async function expect(status: number, answer: Promise<Answer>): Promise<Record<string, unknown>> {
  const got = await answer;
  assert.equal(got.status, status, got.error ?? got.text);
  return got.body;
}

async function create(path: string, body: object): Promise<string> {
  const { id } = await expect(201, call('POST', `/v1/${path}`, body));
  assert.equal(typeof id, 'string');
  return String(id);
}

test('1. the documents are available first', async () => {
  const openapi = await expect(200, call('GET', '/openapi.json'));
  assert.match(String(openapi.openapi), /^3\.1/);
  assert.equal((await call('GET', '/docs')).status, 200);
  assert.equal((await expect(200, call('GET', '/ready'))).status, 'ready');
});

test('2. a table of customers, and its rows', async () => {
  const field = (name: string, dataType: string, more: object = {}) => ({ name, displayName: name, dataType, ...more });
  made.schema = await create('schemas', {
    name: 'members',
    displayName: 'Members',
    schemaType: 'customer',
    autoEnrich: true,
    fields: [
      field('customer_id', 'varchar', { length: 32, isPrimaryKey: true, isNullable: false }),
      field('first_name', 'varchar', { length: 64 }),
      field('age', 'integer'),
      field('visits', 'integer'),
    ],
  });
  const rows = [
    { customer_id: 'M-1', first_name: 'Ada', age: 36, visits: 40 },
    { customer_id: 'M-2', first_name: 'Zoë', age: 17, visits: 3 },
    { customer_id: 'M-3', first_name: 'Łukasz "the cup"', age: 61, visits: 12 },
  ];
  const inserted = await expect(201, call('POST', `/v1/schemas/${made.schema}/data`, { rows }));
  assert.equal(inserted.inserted, 3);
  const again = await expect(201, call('POST', `/v1/schemas/${made.schema}/data`, { rows }));
  assert.equal(again.inserted, 0, 'the same rows again are skipped');
  const read = await call('GET', `/v1/schemas/${made.schema}/data?limit=10`);
  assert.equal(read.status, 200, read.text);
  assert.match(read.text, /Łukasz \\"the cup\\"/);
});

test('3. what to offer, where, to whom, and how often', async () => {
  made.category = await create('categories', { name: 'Treats' });
  made.email = await create('channels', { name: 'E-mail', channelType: 'email', impressionMode: 'implicit' });
  made.phone = await create('channels', { name: 'Counter', channelType: 'phone', impressionMode: 'explicit' });
  const offer = (name: string, priority: number, status = 'active') =>
    create('offers', { name, priority, status, categoryId: made.category, shortDesc: `${name}, today` });
  made.reward = await offer('Free espresso', 80);
  made.upgrade = await offer('Larger cup', 60);
  made.hidden = await offer('Not yet', 100, 'draft');
  for (const [offerId, text] of [
    [made.reward, 'An espresso is on us, {name}'],
    [made.upgrade, 'A larger cup, {name}?'],
    [made.hidden, 'Soon'],
  ] as const) {
    for (const channelId of [made.email, made.phone]) {
      await create('creatives', {
        name: `${text} on ${channelId === made.email ? 'e-mail' : 'counter'}`,
        offerId,
        channelId,
        status: 'active',
        content: { subject: text },
        personalization: [{ variable: 'name', source: 'customer.first_name', fallback: 'friend' }],
      });
    }
  }
  await create('qualification-rules', {
    name: 'Grown-ups drink espresso',
    ruleType: 'attribute_condition',
    stage: 'eligibility',
    scope: 'offer',
    scopeId: made.reward,
    config: { attribute: 'age', operator: 'gte', value: 18 },
  });
  await create('contact-policies', {
    name: 'Two a week',
    ruleType: 'frequency_cap',
    scope: 'global',
    config: { windows: [{ max: 2, days: 7 }] },
  });
  const taken = await expect(409, call('POST', '/v1/categories', { name: 'Treats' }));
  assert.equal(taken.code, 'duplicate_name');
});

test("4. a flow: rejected while it can't run, published when it can", async () => {
  const nodes = [
    { id: 'inventory', type: 'inventory', config: {} },
    { id: 'creatives', type: 'match_creatives', config: {} },
    { id: 'qualify', type: 'qualify', config: {} },
    { id: 'policy', type: 'contact_policy', config: {} },
    { id: 'score', type: 'score', config: { method: 'priority_weighted' } },
    { id: 'rank', type: 'rank', config: { method: 'topN', topN: 3 } },
    {
      id: 'price',
      type: 'compute',
      config: {
        formulaExtras: [{ key: 'price', formula: 'round(4.2 - customer.visits * 0.01, 2)', outputType: 'number' }],
      },
    },
    { id: 'response', type: 'response', config: {} },
  ];
  const broken = { version: 2, nodes: nodes.slice(1), flowConfig: {} };
  const refused = await call('POST', '/v1/decision-flows', { key: 'counter', name: 'Counter', draftConfig: broken });
  assert.ok([400, 422].includes(refused.status), refused.text);
  made.flow = await create('decision-flows', {
    key: 'counter',
    name: 'Counter',
    draftConfig: { version: 2, nodes, flowConfig: {} },
  });
  const early = await call('POST', '/v1/recommend', { customerId: 'M-1', decisionFlowKey: 'counter' });
  assert.deepEqual([early.status, early.body.code], [409, 'flow_not_published'], early.text);
  const unknown = await call('POST', '/v1/recommend', { customerId: 'M-1', decisionFlowKey: 'no-such-flow' });
  assert.equal(unknown.status, 404);
  const published = await expect(200, call('POST', '/v1/decision-flows/publish', { id: made.flow }));
  assert.equal(published.success ?? true, true);
});

test('5. the first decision for a real customer', async () => {
  const requestId = crypto.randomUUID();
  const body = { customerId: 'M-1', channel: 'email', limit: 1, decisionFlowKey: 'counter', requestId };
  recommendation = await call('POST', '/v1/recommend', body);
  assert.equal(recommendation.status, 200, recommendation.text);
  const { body: answer } = recommendation;
  assert.deepEqual([answer.known, answer.count, answer.decisionFlowVersion], [true, 1, 1]);
  const [item] = itemsOf(answer);
  assert.equal(item!.offerId, made.reward);
  assert.match(recommendation.text, /An espresso is on us, Ada/);
  assert.match(recommendation.text, /"price":3.8/, 'forty visits make it cheaper');
  assert.equal(item!.impressionRecorded, true);

  const repeat = await call('POST', '/v1/recommend', body);
  assert.equal(repeat.text, recommendation.text, 'the same request is the same decision, byte for byte');
  assert.equal(repeat.headers['idempotent-replay'], 'true');

  const young = await expect(200, call('POST', '/v1/recommend', { customerId: 'M-2', channel: 'email', limit: 5 }));
  assert.deepEqual(
    itemsOf(young).map((each) => each.offerId),
    [made.upgrade],
    'too young for espresso, and drafts are not offered',
  );
  const stranger = await expect(200, call('POST', '/v1/recommend', { customerId: 'nobody', channel: 'email' }));
  assert.equal(stranger.known, false, 'an unknown customer is decided without attributes, and told so');
});

test('6. its outcome, once', async () => {
  const [item] = itemsOf(recommendation.body);
  const response = {
    recommendationId: recommendation.body.recommendationId,
    rank: 1,
    outcome: 'convert',
    conversionValue: 2.5,
    idempotencyKey: 'till 4, receipt 17',
  };
  const recorded = await expect(200, call('POST', '/v1/respond', response));
  assert.deepEqual(
    [recorded.status, recorded.offerId, recorded.customerId, recorded.classification],
    ['recorded', item!.offerId, 'M-1', 'positive'],
  );
  const again = await expect(200, call('POST', '/v1/respond', response));
  assert.deepEqual([again.status, again.interactionId], ['duplicate', recorded.interactionId]);
  const wrong = await call('POST', '/v1/respond', { ...response, idempotencyKey: 'x', outcome: 'danced' });
  assert.deepEqual([wrong.status, wrong.body.code], [400, 'unknown_outcome']);
});

test('7. the counter reserves, the cap counts both, and the response says why nothing is left', async () => {
  const counter = await expect(200, call('POST', '/v1/recommend', { customerId: 'M-1', channel: 'phone', limit: 1 }));
  const [item] = itemsOf(counter);
  assert.equal(item!.impressionRecorded, false);
  assert.ok(item!.reservation !== null);
  const full = await expect(200, call('POST', '/v1/recommend', { customerId: 'M-1', channel: 'email' }));
  assert.deepEqual([full.count, full.emptyReason], [0, 'contact_policy']);
  const said = await expect(
    200,
    call('POST', '/v1/respond', { interactionId: item!.interactionId, outcome: 'impression' }),
  );
  assert.equal(said.impression, 'confirmed');
});

test('8. the record, and the same decision again', async () => {
  const { requestId, recommendationId } = recommendation.body;
  const record = await expect(200, call('GET', `/v1/decisions/${requestId}`));
  assert.deepEqual([record.customerId, record.inputsState], ['M-1', 'available']);
  const inputs = await call('GET', `/v1/decisions/${recommendationId}?include=inputs`);
  assert.equal(inputs.status, 200, inputs.text);
  assert.match(inputs.text, /"visits":\s*40/);
  // The world moves on; the record does not.
  await expect(200, call('PUT', '/v1/offers', { id: made.reward, priority: 1 }));
  const replay = await expect(200, call('POST', `/v1/decisions/${requestId}/replay`, {}));
  assert.deepEqual([replay.identical, replay.differences], [true, []]);
});

test('9. a change applies at once, and is in the audit log', async () => {
  const next = await expect(200, call('POST', '/v1/recommend', { customerId: 'M-3', channel: 'email', limit: 2 }));
  assert.deepEqual(
    itemsOf(next).map((each) => each.offerId),
    [made.upgrade, made.reward],
  );
  const logs = await expect(200, call('GET', `/v1/audit-logs?entityType=offer&entityId=${made.reward}`));
  const rows = logs.data as { action: string; changes: Record<string, { before: unknown; after: unknown }> }[];
  assert.deepEqual(
    rows.map((row) => row.action),
    ['update', 'create'],
  );
  assert.deepEqual(rows[0]!.changes.priority, { before: 80, after: 1 });
  const verified = await expect(200, call('GET', '/v1/audit-logs/verify'));
  assert.equal(verified.intact, true);
  assert.ok(Number(verified.verified) >= 15, JSON.stringify(verified));
});

test('10. none of it without the key', async () => {
  const stranger = createCaller(() => server.url, `krn_${'0'.repeat(32)}`);
  for (const [method, path, body] of [
    ['POST', '/v1/recommend', { customerId: 'M-1' }],
    ['GET', `/v1/decisions/${recommendation.body.requestId}`, undefined],
    ['GET', '/v1/offers', undefined],
  ] as const) {
    assert.equal((await stranger(method, path, body)).status, 401, path);
  }
});
