import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { RecommendAnswer, RespondAnswer } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../../main/test-server.ts';

let server: TestServer;
let now = Date.parse('2026-11-20T09:00:00Z');
const clock = { now: () => now };

const ids = { schema: '', email: '', phone: '', hero: '', flow: '', offers: [] as string[], category: '' };

const recommend = (body: object) => server.call<RecommendAnswer>('POST', '/api/v1/recommend', { body });
const respond = (body: object, headers: Record<string, string> = {}) =>
  server.call<RespondAnswer>('POST', '/api/v1/respond', { body, headers });
const owner = (text: string, values: unknown[] = []) =>
  server.testDatabase.ownerQuery<Record<string, unknown>>(text, values);

const counts = async () => {
  const [row] = await owner(`select (select count(*) from arbiter.decisions)::int as decisions,
    (select count(*) from arbiter.interaction_history)::int as interactions, (select count(*) from arbiter.outbox)::int as outbox,
    (select count(*) from arbiter.customer_states)::int as customers, (select count(*) from arbiter.decision_requests)::int as requests`);
  return row;
};

before(async () => {
  server = await startTestServer({ clock });
  const schema = await server.createRecord('schemas', {
    name: 'people',
    displayName: 'People',
    schemaType: 'customer',
    autoEnrich: true,
    fields: [
      {
        name: 'customer_id',
        displayName: 'Customer',
        dataType: 'varchar',
        length: 32,
        isPrimaryKey: true,
        isNullable: false,
      },
      { name: 'age', dataType: 'integer' },
      { name: 'job', dataType: 'varchar', length: 32 },
      { name: 'diagnosis', dataType: 'varchar', length: 32, neverStore: true },
    ].map((field) => ({ displayName: field.name, ...field })),
  });
  ids.schema = schema.id!;
  const rows = Array.from({ length: 60 }, (_, i) => ({
    customer_id: `C${i}`,
    age: 20 + i,
    job: i % 2 ? 'baker' : 'nurse',
  }));
  assert.equal((await server.call('POST', `/api/v1/schemas/${ids.schema}/data`, { body: { rows } })).status, 201);
  ids.category = (await server.createRecord('categories', { name: 'All' })).id!;
  const email = await server.createRecord('channels', {
    name: 'Email',
    channelType: 'email',
    impressionMode: 'implicit',
  });
  const phone = await server.createRecord('channels', {
    name: 'Phone',
    channelType: 'phone',
    impressionMode: 'explicit',
  });
  ids.email = email.id!;
  ids.phone = phone.id!;
  for (let i = 0; i < 12; i++) {
    const offer = await server.createRecord('offers', {
      name: `Offer ${i}`,
      status: 'active',
      categoryId: ids.category,
      priority: 90 - i,
      shortDesc: `offer ${i}`,
    });
    ids.offers.push(offer.id!);
    for (const [name, channelId] of [
      ['mail', ids.email],
      ['call', ids.phone],
    ] as const) {
      await server.createRecord('creatives', {
        name: `${name} ${i}`,
        offerId: offer.id,
        channelId,
        status: 'active',
        content: { subject: `Offer ${i} for {job}` },
        personalization: [{ variable: 'job', source: 'customer.job', fallback: 'you' }],
      });
    }
  }
  await server.createRecord('qualification-rules', {
    name: 'Adults',
    ruleType: 'attribute_condition',
    scope: 'offer',
    scopeId: ids.offers[0],
    stage: 'eligibility',
    config: { attribute: 'age', operator: 'gte', value: 30 },
  });
  await server.createRecord('contact-policies', {
    name: 'Three a day',
    ruleType: 'frequency_cap',
    scope: 'global',
    config: { maxPerDay: 3 },
  });
  await server.createRecord('contact-policies', {
    name: 'Once a day each',
    ruleType: 'cooldown',
    scope: 'global',
    config: { cooldownHours: 24, per: 'offer' },
  });
  const flow = await server.createRecord('decision-flows', {
    key: 'main',
    name: 'Main',
    draftConfig: {
      version: 2,
      nodes: [
        { id: 'inventory', type: 'inventory', config: {} },
        { id: 'creatives', type: 'match_creatives', config: {} },
        { id: 'qualify', type: 'qualify', config: {} },
        { id: 'policy', type: 'contact_policy', config: {} },
        { id: 'score', type: 'score', config: { method: 'priority_weighted' } },
        { id: 'rank', type: 'rank', config: { method: 'topN', topN: 5 } },
        { id: 'response', type: 'response', config: {} },
      ],
      flowConfig: {},
    },
  });
  ids.flow = flow.id!;
  await server.publishFlow(ids.flow);
});

after(() => server?.close());

test('decides, records and replays', async () => {
  const { status, body, text } = await recommend({
    customerId: 'C1',
    channel: 'email',
    limit: 2,
    attributes: { color: 'red' },
    context: { page: 'home' },
  });
  assert.equal(status, 200, text);
  assert.equal(body.known, true);
  assert.deepEqual(
    body.decisions.map((d) => d.offerName),
    ['Offer 1', 'Offer 2'],
    'C1 is 21, too young for offer 0',
  );
  assert.equal(body.decisions[0]!.content?.subject, 'Offer 1 for baker');
  assert.equal(body.decisions[0]!.impressionRecorded, true);
  assert.equal(body.requestId, body.recommendationId, 'a request id that the server made names the decision');
  const record = await server.call<Record<string, unknown>>('GET', `/api/v1/decisions/${body.requestId}`);
  assert.equal(record.status, 200, record.text);
  assert.equal(record.body.customerId, 'C1');
  assert.equal(record.body.inputsState, 'available');
  const result = record.body.result as {
    items: { offerId: string; content: object; score: number }[];
    summary: object;
  };
  assert.deepEqual(
    result.items.map((item) => [item.offerId, item.content, item.score]),
    body.decisions.map((d) => [d.offerId, d.content, d.score]),
    'the whole result, content included',
  );
  const inputs = await server.call<{ inputs: { profile: object; request: object } }>(
    'GET',
    `/api/v1/decisions/${body.requestId}?include=inputs`,
  );
  assert.deepEqual(inputs.body.inputs.profile, { age: 21, job: 'baker' }, 'what the plan can read, and no more');
  const viewer = await server.call('GET', `/api/v1/decisions/${body.requestId}?include=inputs`, {
    key: server.tenants[0].keys.viewer,
  });
  assert.equal(viewer.status, 403);
  const replay = await server.call<{ identical: boolean; differences: unknown[] }>(
    'POST',
    `/api/v1/decisions/${body.requestId}/replay`,
    { body: {} },
  );
  assert.equal(replay.status, 200, replay.text);
  assert.equal(replay.body.identical, true, replay.text);
  const history = await owner(
    'select interaction_type, rank, context from arbiter.interaction_history where customer_id = $1 order by rank',
    ['C1'],
  );
  assert.deepEqual(
    history.map((h) => [h.interaction_type, h.rank, h.context]),
    [
      ['impression', 1, { page: 'home' }],
      ['impression', 2, { page: 'home' }],
    ],
  );
});

test("a changed record doesn't replay", async () => {
  const { body } = await recommend({ customerId: 'C2', channel: 'email', limit: 1 });
  await owner(`update arbiter.decisions set body = set_byte(body, 20, (get_byte(body, 20) + 1) % 256) where id = $1`, [
    body.requestId,
  ]);
  const replay = await server.call<{ code: string }>('POST', `/api/v1/decisions/${body.requestId}/replay`, {
    body: {},
  });
  assert.equal(replay.status, 409);
  assert.equal(replay.body.code, 'record_corrupt');
});

test('the cap holds under parallel requests, for implicit and explicit channels together', async () => {
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, i) =>
      recommend({ customerId: 'C3', channel: i % 2 ? 'email' : 'phone', limit: 1, decisionFlowKey: 'main' }),
    ),
  );
  const shown = answers.flatMap((a) => a.body.decisions);
  assert.equal(shown.length, 3);
  assert.equal(new Set(shown.map((d) => d.offerId)).size, 3, 'no offer twice within its cooldown');
  const empty = answers.find((a) => a.body.count === 0);
  assert.equal(empty?.body.emptyReason, 'contact_policy');
  const [row] = await owner(`select count(*)::int as n from arbiter.interaction_history where customer_id = 'C3'`);
  assert.equal(row!.n, 3);
});

test('a dry run stores nothing and can be repeated', async () => {
  const before = await counts();
  for (let i = 0; i < 5; i++) {
    const { body, text } = await recommend({ customerId: 'C4', channel: 'phone', limit: 3, dryRun: true });
    assert.equal(body.count, 3, text);
    assert.equal(body.recommendationId, null);
    assert.equal(body.decisions[0]!.interactionId, null);
    assert.equal(body.decisions[0]!.reservation, null);
  }
  assert.deepEqual(await counts(), before);
});

test("a client's requestId is idempotent", async () => {
  const requestId = '11111111-2222-4333-8444-5555aaaa5555';
  const body = { customerId: 'C5', channel: 'email', limit: 1, requestId };
  const first = await recommend(body);
  assert.equal(first.status, 200, first.text);
  const before = await counts();
  const again = await recommend(body);
  assert.equal(again.text, first.text, 'byte for byte');
  assert.equal(again.headers['idempotent-replay'], 'true');
  assert.equal((await recommend({ ...body, debug: true })).text, first.text, 'debug is no part of the payload');
  const shouted = { ...body, requestId: requestId.toUpperCase() };
  assert.equal((await recommend(shouted)).text, first.text, 'an id is the same in any case');
  const other = await server.call<{ code: string }>('POST', '/api/v1/recommend', { body: { ...body, limit: 2 } });
  assert.deepEqual([other.status, other.body.code], [422, 'idempotency_key_reused']);
  assert.deepEqual(await counts(), before);
  const made = await recommend({ customerId: 'C6', channel: 'email', limit: 1 });
  const stolen = await server.call<{ code: string }>('POST', '/api/v1/recommend', {
    body: { customerId: 'C6', requestId: made.body.requestId },
  });
  assert.deepEqual([stolen.status, stolen.body.code], [422, 'idempotency_key_reused']);
  const twins = await Promise.all(
    Array.from({ length: 10 }, () =>
      recommend({ customerId: 'C7', channel: 'email', limit: 1, requestId: '11111111-2222-4333-8444-666666666666' }),
    ),
  );
  assert.ok(twins.every((t) => t.status === 200 || t.status === 409));
  const [row] = await owner(`select count(*)::int as n from arbiter.interaction_history where customer_id = 'C7'`);
  assert.equal(row!.n, 1, 'one effect');
  const record = await server.call('GET', `/api/v1/decisions/${requestId}`);
  assert.equal(record.status, 200);
});

test('decides for an unknown customer without attributes', async () => {
  const { body } = await recommend({ customerId: 'nobody', channel: 'email', limit: 1 });
  assert.equal(body.known, false);
  assert.equal(body.decisions[0]!.offerName, 'Offer 1');
  assert.equal(body.decisions[0]!.content?.subject, 'Offer 1 for you');
  const anonymous = await recommend({ channel: 'email', limit: 1, sessionId: 's-1' });
  assert.equal(anonymous.body.anonymous, true);
  assert.match(anonymous.body.customerId, /^anon-[0-9a-f]{32}$/);
  assert.equal(
    (await recommend({ channel: 'email', sessionId: 's-1', dryRun: true })).body.customerId,
    anonymous.body.customerId,
  );
  assert.notEqual(
    (await recommend({ channel: 'email', sessionId: 's-2', dryRun: true })).body.customerId,
    anonymous.body.customerId,
  );
});

test('reservations: confirmed, released, expired, late', async () => {
  const { body } = await recommend({ customerId: 'C8', channel: 'phone', limit: 3 });
  assert.equal(body.count, 3);
  const [one, , three] = body.decisions;
  assert.equal(one!.reservation?.id, one!.interactionId);
  assert.equal((await recommend({ customerId: 'C8', channel: 'phone', limit: 1 })).body.count, 0, 'reservations count');
  const confirmed = await respond({ interactionId: one!.interactionId, outcome: 'impression' });
  assert.deepEqual(
    [confirmed.status, confirmed.body.impression, confirmed.body.status],
    [200, 'confirmed', 'recorded'],
    confirmed.text,
  );
  const again = await respond({
    interactionId: one!.interactionId,
    outcome: 'impression',
    timestamp: new Date(now).toISOString(),
  });
  assert.deepEqual(
    [again.body.impression, again.body.status],
    ['already_counted', 'duplicate'],
    'an item is seen once',
  );
  const released = await respond({ recommendationId: body.recommendationId, rank: 2, outcome: 'not_presented' });
  assert.equal(released.body.impression, 'released', released.text);
  const instead = await recommend({ customerId: 'C8', channel: 'phone', limit: 3 });
  assert.equal(instead.body.count, 1, 'the released capacity is free again, and no more');
  const click = await respond({ recommendationId: instead.body.recommendationId, outcome: 'click' });
  assert.equal(click.body.impression, 'confirmed', 'a response confirms an open reservation first');
  assert.equal(click.body.classification, 'positive');
  const before = now;
  now += 1_801_000;
  try {
    const free = await recommend({ customerId: 'C8', channel: 'phone', limit: 3, dryRun: true });
    assert.equal(free.body.count, 1, 'an expired reservation gives its capacity back');
    const late = await respond({ interactionId: three!.interactionId, outcome: 'impression' });
    assert.equal(late.body.impression, 'late', late.text);
    assert.equal(
      (await recommend({ customerId: 'C8', channel: 'phone', limit: 3, dryRun: true })).body.count,
      0,
      'a late one counts',
    );
  } finally {
    now = before;
  }
});

test('responses: resolution, duplicates, refusals', async () => {
  const { body } = await recommend({ customerId: 'C9', channel: 'email', limit: 2 });
  const payload = {
    customerId: 'C9',
    recommendationId: body.recommendationId,
    rank: 1,
    outcome: 'convert',
    conversionValue: 120,
    timestamp: '2026-11-20T09:00:01Z',
  };
  const first = await respond(payload, { 'idempotency-key': 'k-1' });
  assert.deepEqual(
    [first.status, first.body.status, first.body.classification],
    [200, 'recorded', 'positive'],
    first.text,
  );
  const second = await respond(payload, { 'idempotency-key': 'k-1' });
  assert.deepEqual({ ...second.body, status: 'recorded' }, first.body);
  assert.equal(second.body.status, 'duplicate');
  const reused = await respond({ ...payload, conversionValue: 7 }, { 'idempotency-key': 'k-1' });
  assert.equal(reused.status, 422);
  assert.equal(
    (await respond({ ...payload, timestamp: '2026-11-20T09:00:02Z' })).body.status,
    'recorded',
    'another instant is another event',
  );
  const derived = await respond({ ...payload, timestamp: '2026-11-20T09:00:02Z' });
  assert.equal(derived.body.status, 'duplicate', 'without a key the derived one is used');
  const parallel = await Promise.all(
    Array.from({ length: 20 }, () => respond({ ...payload, rank: 2, outcome: 'dismiss' })),
  );
  assert.equal(parallel.filter((p) => p.body.status === 'recorded').length, 1);
  for (const [wrong, status, code] of [
    [{ ...payload, outcome: 'no_such' }, 400, 'unknown_outcome'],
    [{ ...payload, rank: 99 }, 404, 'not_found'],
    [{ ...payload, customerId: 'C1' }, 404, 'not_found'],
    [{ recommendationId: body.recommendationId, outcome: 'click' }, 400, 'validation_failed'],
    [{ customerId: 'C9', outcome: 'click' }, 400, 'validation_failed'],
    [{ ...payload, timestamp: '2026-11-22T09:00:00Z' }, 400, 'validation_failed'],
    [{ customerId: 'C9', offerId: '0190a000-0000-7000-8000-000000000000', outcome: 'click' }, 404, 'not_found'],
  ] as const) {
    const before = await counts();
    const refused = await server.call<{ code: string }>('POST', '/api/v1/respond', { body: wrong });
    assert.deepEqual([refused.status, refused.body.code], [status, code], refused.text);
    assert.deepEqual(await counts(), before);
  }
  const viewer = await server.call('POST', '/api/v1/respond', { body: payload, key: server.tenants[0].keys.viewer });
  assert.equal(viewer.status, 403);
});

test('evidence changes the propensity, and a record replays on the state of its own number', async () => {
  const first = await recommend({ customerId: 'C10', channel: 'email', limit: 1 });
  const before = first.body.decisions[0]!.scoreComponents!.propensity;
  for (let i = 0; i < 12; i++)
    await respond({ customerId: `C${20 + i}`, offerId: first.body.decisions[0]!.offerId, outcome: 'dismiss' });
  const later = await recommend({ customerId: 'C11', channel: 'email', limit: 5 });
  const moved = later.body.decisions.find((d) => d.offerId === first.body.decisions[0]!.offerId)!.scoreComponents!
    .propensity;
  assert.ok(moved < before, `${before} -> ${moved}`);
  for (const { body } of [first, later]) {
    const replay = await server.call<{ identical: boolean }>('POST', `/api/v1/decisions/${body.requestId}/replay`, {
      body: {},
    });
    assert.equal(replay.body.identical, true, replay.text);
  }
});

test('a policy that looks further back is exact at once: the log is filled from history', async () => {
  const customerId = 'C12';
  for (let i = 0; i < 3; i++) assert.equal((await recommend({ customerId, channel: 'email', limit: 1 })).body.count, 1);
  // A customer's log is kept for 35 days. Make it look as if it had been pruned to nothing.
  const state = await owner(`select state, base from arbiter.customer_states where customer_id = $1`, [customerId]);
  assert.ok(state.length === 1);
  const { decodeState, encodeState } = await import('../../customer-states/customer-state-codec.ts');
  const decoded = decodeState(state[0]!.state as Buffer, state[0]!.base as Buffer | null);
  decoded.log = [];
  decoded.keptFrom = now + 1;
  await owner(`update arbiter.customer_states set state = $2 where customer_id = $1`, [
    customerId,
    encodeState(decoded).state,
  ]);
  assert.equal(
    (await recommend({ customerId, channel: 'email', limit: 1 })).body.count,
    0,
    'the three contacts of today still count',
  );
});

test('never stores protected values, and replay says so', async () => {
  const rule = await server.createRecord('qualification-rules', {
    name: 'Not ill',
    ruleType: 'attribute_condition',
    scope: 'offer',
    scopeId: ids.offers[5],
    stage: 'eligibility',
    config: { attribute: 'diagnosis', operator: 'not_exists' },
  });
  await server.call('POST', `/api/v1/schemas/${ids.schema}/data`, {
    body: { rows: [{ customer_id: 'secret', age: 50, diagnosis: 'canary-flu' }] },
  });
  const { body } = await recommend({ customerId: 'secret', channel: 'email', limit: 1 });
  assert.equal(body.known, true);
  const record = await server.call<{ inputsState: string; withheld: string[] }>(
    'GET',
    `/api/v1/decisions/${body.requestId}?include=inputs`,
  );
  assert.deepEqual([record.body.inputsState, record.body.withheld], ['withheld', ['diagnosis']]);
  assert.ok(!record.text.includes('canary-flu'));
  const replay = await server.call<{ code: string }>('POST', `/api/v1/decisions/${body.requestId}/replay`, {
    body: {},
  });
  assert.deepEqual([replay.status, replay.body.code], [409, 'inputs_unavailable']);
  assert.equal((await server.call('DELETE', `/api/v1/qualification-rules/${rule.id}`)).status, 204);
});

test("rejects what can't be decided, and stores nothing", async () => {
  const nobody = '0190a000-0000-7000-8000-000000000000';
  await server.createRecord('decision-flows', { key: 'draft-only', name: 'Draft only' });
  for (const [body, status, code] of [
    [{ customerId: 'C1', decisionFlowKey: 'no-such' }, 404, 'not_found'],
    [{ customerId: 'C1', decisionFlowKey: 'draft-only' }, 409, 'flow_not_published'],
    [{ customerId: ' C1' }, 400, 'validation_failed'],
    [{ customerId: 'a\u0001b' }, 400, 'validation_failed'],
    [{ customerId: 'C1', limit: 0 }, 400, 'validation_failed'],
    [{ customerId: 'C1', limit: 'three' }, 400, 'validation_failed'],
    [{ customerId: 'C1', channelId: nobody }, 400, 'reference_not_found'],
    [{ customerId: 'C1', channelId: 'no-uuid' }, 400, 'validation_failed'],
    [{ customerId: 'C1', placements: [{ placementId: 'no-uuid' }] }, 400, 'validation_failed'],
    [{ customerId: 'C1', placements: [{ placementId: nobody }] }, 400, 'reference_not_found'],
    [{ customerId: 'C1', placement: 'x', placements: [{ placementId: nobody }] }, 400, 'validation_failed'],
    [{ customerId: 'C1', attributes: { a: { b: { c: { d: { e: { f: 1 } } } } } } }, 400, 'validation_failed'],
    [{ customerId: 'C1', context: { text: 'x'.repeat(9_000) } }, 400, 'validation_failed'],
    [{ customerId: 'C1', requestId: 'no-uuid' }, 400, 'validation_failed'],
  ] as const) {
    const before = await counts();
    const refused = await server.call<{ code: string }>('POST', '/api/v1/recommend', { body });
    assert.deepEqual([refused.status, refused.body.code], [status, code], JSON.stringify(body) + refused.text);
    assert.deepEqual(await counts(), before);
  }
  assert.equal((await recommend({ customerId: 'C1', channel: 'carrier_pigeon' })).body.emptyReason, 'no_channel');
});

test('a change of the catalogue affects the next decision', async () => {
  const before = await recommend({ customerId: 'C40', channel: 'email', limit: 1, dryRun: true });
  const top = before.body.decisions[0]!.offerId;
  assert.equal((await server.call('PUT', `/api/v1/offers/${top}`, { body: { emergencyExcluded: true } })).status, 200);
  const after = await recommend({ customerId: 'C40', channel: 'email', limit: 1, dryRun: true });
  assert.notEqual(after.body.decisions[0]!.offerId, top);
  assert.ok(after.body.freshness.configVersion > before.body.freshness.configVersion);
});

test('stores a trace when the tenant requests it', async () => {
  const settings = await server.call('PUT', '/api/v1/tenant-settings', { body: { decisionTraceEnabled: true } });
  assert.equal(settings.status, 200, settings.text);
  const { body } = await recommend({ customerId: 'C41', channel: 'email', limit: 1 });
  assert.ok(body.trace.traceId);
  const trace = await server.call<{ pipeline: { stage: string }[]; requestId: string }>(
    'GET',
    `/api/v1/decision-traces/${body.trace.traceId}`,
  );
  assert.equal(trace.status, 200);
  assert.equal(trace.body.requestId, body.requestId);
  assert.ok(trace.body.pipeline.some((p) => p.stage === 'qualify'));
  const list = await server.call<{ total: number }>('GET', '/api/v1/decision-traces?customerId=C41');
  assert.equal(list.body.total, 1);
  const debug = await recommend({ customerId: 'C42', channel: 'email', limit: 1, debug: true, dryRun: true });
  assert.ok(Array.isArray(debug.body.meta?.stages));
});
