import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { RecommendAnswer, RespondAnswer } from '@arbiter/contract';
import { systemActor } from '../../../../db/index.ts';
import { startTestServer, type TestServer } from '../../../../main/test-server.ts';
import { createOutboxDispatcher } from '../../../operations/stream/outbox.ts';

let server: TestServer;
let now = Date.parse('2026-11-20T09:00:00Z');
const ids = { schema: '', email: '', banner: '', offers: [] as string[], flow: '' };
const randomId = '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b';

async function change(path: string, body: object): Promise<void> {
  const changed = await server.call('PUT', `/api/v1/${path}`, { body });
  assert.equal(changed.status, 200, `${path}: ${changed.text}`);
}

const recommend = (body: object) => server.call<RecommendAnswer>('POST', '/api/v1/recommend', { body });
const respond = (body: object) => server.call<RespondAnswer>('POST', '/api/v1/respond', { body });
const owner = (text: string, values: unknown[] = []) =>
  server.testDatabase.ownerQuery<Record<string, unknown>>(text, values);

const column = (name: string, more: object = {}) => ({ name, displayName: name, dataType: 'varchar', ...more });

async function publish(nodes: object[]): Promise<void> {
  await change('decision-flows', { id: ids.flow, draftConfig: { version: 2, nodes, flowConfig: {} } });
  await server.publishFlow(ids.flow);
}

const inventory = { id: 'i', type: 'inventory', config: {} };
const score = { id: 's', type: 'score', config: { method: 'priority_weighted' } };

before(async () => {
  server = await startTestServer({ clock: { now: () => now }, tenants: 2 });
  const schema = await server.createRecord('schemas', {
    name: 'people',
    displayName: 'People',
    schemaType: 'customer',
    autoEnrich: true,
    fields: [
      column('customer_id', { isPrimaryKey: true, isNullable: false }),
      column('level', { dataType: 'integer' }),
      column('diagnosis', { neverStore: true }),
    ],
  });
  ids.schema = schema.id!;
  const rows = [{ customer_id: 'C1', level: 3, diagnosis: 'canary-secret' }];
  assert.equal((await server.call('POST', `/api/v1/schemas/${ids.schema}/data`, { body: { rows } })).status, 201);
  ids.email = (await server.createRecord('channels', { name: 'Email', channelType: 'email' })).id!;
  ids.banner = (await server.createRecord('placements', { name: 'Top', channelId: ids.email })).id!;
  for (let i = 0; i < 3; i++) {
    const offer = await server.createRecord('offers', { name: `Offer ${i}`, status: 'active', priority: 90 - i });
    ids.offers.push(offer.id!);
    await server.createRecord('creatives', {
      name: `mail ${i}`,
      offerId: offer.id,
      channelId: ids.email,
      status: 'active',
      content: { subject: 'level {level}' },
    });
  }
  ids.flow = (await server.createRecord('decision-flows', { key: 'main', name: 'Main' })).id!;
  await publish([inventory, score]);
});

after(() => server?.close());

test('reads a column recreated with another type at once', async () => {
  const subject = async () => {
    const { status, body, text } = await recommend({ customerId: 'C1', channel: 'email', dryRun: true });
    assert.equal(status, 200, text);
    return body.decisions[0]?.content?.subject;
  };
  for (let i = 0; i < 4; i++) assert.equal(await subject(), 'level 3');
  for (const [dataType, value] of [
    ['smallint', 7],
    ['varchar', 'gold'],
    ['boolean', true],
  ] as const) {
    const fields = await server.call<{ id: string; name: string }[]>(
      'GET',
      `/api/v1/schemas/fields?schemaId=${ids.schema}`,
    );
    const level = fields.body.find((field) => field.name === 'level')!;
    const gone = await server.call('DELETE', `/api/v1/schemas/fields?fieldId=${level.id}`);
    assert.ok(gone.status < 300, gone.text);
    assert.equal(await subject(), 'level ');
    await server.createRecord('schemas/fields', { schemaId: ids.schema, ...column('level', { dataType }) });
    const rows = [{ customer_id: 'C1', level: value }];
    const stored = await server.call('POST', `/api/v1/schemas/${ids.schema}/data`, {
      body: { rows, onDuplicate: 'update' },
    });
    assert.equal(stored.status, 201, stored.text);
    for (let i = 0; i < 4; i++) assert.equal(await subject(), `level ${value}`);
  }
});

test('decisions continue while the catalogue is written nonstop', async () => {
  let writing = true;
  let writes = 0;
  const writers = ids.offers.map(async (id, n) => {
    for (let i = 0; writing; i++) {
      await change('offers', { id, shortDesc: `${n} ${i}` });
      writes += 1;
    }
  });
  const tookMs: number[] = [];
  try {
    for (let i = 0; i < 25; i++) {
      const started = performance.now();
      const { status, text } = await recommend({ customerId: `W${i}`, channel: 'email' });
      assert.equal(status, 200, text);
      tookMs.push(performance.now() - started);
    }
  } finally {
    writing = false;
    await Promise.all(writers);
  }
  assert.ok(writes > 10, `${writes} writes`);
  // A busy machine delays some of them, a decision that waits for the writers to end delays all.
  const median = tookMs.sort((a, b) => a - b)[Math.floor(tookMs.length / 2)]!;
  assert.ok(median < 1_500, `${tookMs} ms`);
  // Quiet again: the newest catalogue decides.
  const [row] = await owner('select version from arbiter.catalogue_versions where tenant_id = $1', [
    server.tenants[0].id,
  ]);
  const { body } = await recommend({ customerId: 'W0', channel: 'email', dryRun: true });
  assert.equal(body.freshness.configVersion, Number(row!.version));
});

test('a dry run waits for the decision of a locked customer', async () => {
  await server.createRecord('contact-policies', {
    name: 'One a day',
    ruleType: 'frequency_cap',
    scope: 'global',
    config: { maxPerDay: 1 },
  });
  const customers = Array.from({ length: 8 }, (_, i) => `H${i}`);
  for (const customerId of customers) {
    const { body } = await recommend({ customerId, channel: 'email', limit: 1 });
    assert.equal(body.count, 1);
  }
  const calls = await server.database.withTenant(server.tenants[0].id, systemActor('test'), async (tx) => {
    await tx.query(`select 1 from customer_states where tenant_id = $1 and customer_id like 'H%' for update`, [
      tx.tenantId,
    ]);
    const sent = customers.flatMap((customerId) =>
      [false, true].map((dryRun) => recommend({ customerId, channel: 'email', dryRun })),
    );
    await setTimeout(150);
    return { sent };
  });
  for (const { status, body, text } of await Promise.all(calls.sent)) {
    assert.equal(status, 200, text);
    assert.equal(body.count, 0, `the cap of the day is used up, dryRun ${body.dryRun}`);
    assert.equal(body.emptyReason, 'contact_policy');
  }
});

test('obeys a policy saved while a decision waits for its customer', async () => {
  const { body: first } = await recommend({ customerId: 'V1', channel: 'email', dryRun: true });
  assert.equal(first.count, 1);
  await recommend({ customerId: 'V1', channel: 'email', excludeOffers: ids.offers });
  const { sent } = await server.database.withTenant(server.tenants[0].id, systemActor('test'), async (tx) => {
    await tx.query(`select 1 from customer_states where tenant_id = $1 and customer_id = 'V1' for update`, [
      tx.tenantId,
    ]);
    const waiting = recommend({ customerId: 'V1', channel: 'email' });
    await setTimeout(100);
    const policy = await server.createRecord('contact-policies', {
      name: 'Nobody',
      ruleType: 'do_not_contact',
      scope: 'global',
      config: {},
    });
    return { sent: { waiting, policy } };
  });
  assert.equal((await sent.waiting).body.count, 0);
  assert.equal((await server.call('DELETE', `/api/v1/contact-policies/${sent.policy.id}`)).status, 200);
});

test('a primary key named id is an ordinary field if there is another row key', async () => {
  const fields = [column('id', { dataType: 'integer', isPrimaryKey: true, isNullable: false }), column('customer_id')];
  const made = await server.createRecord('schemas', { name: 'tickets', displayName: 'T', autoEnrich: true, fields });
  const rows = [{ id: 77, customer_id: 'C1' }];
  assert.equal((await server.call('POST', `/api/v1/schemas/${made.id}/data`, { body: { rows } })).status, 201);
  const properties = [{ key: 'ticket', formula: 'customer.id', target: 'response' }];
  await publish([inventory, score, { id: 'p', type: 'set_properties', config: { properties } }]);
  const { body, text } = await recommend({ customerId: 'C1', channel: 'email', dryRun: true });
  assert.equal(body.properties.ticket, 77, text);
  await server.call('DELETE', `/api/v1/schemas/${made.id}`);
  await publish([inventory, score]);
});

test('the window of a new policy includes what the batch itself showed', async () => {
  const person = { customerId: 'L1', channel: 'email', limit: 1 };
  assert.equal((await recommend(person)).body.count, 1);
  now += 100 * 86_400_000;
  assert.equal((await recommend(person)).body.count, 1);
  const config = { windows: [{ max: 3, days: 200 }] };
  const policy = await server.createRecord('contact-policies', {
    name: 'Long',
    ruleType: 'frequency_cap',
    scope: 'global',
    config,
  });
  const ask = (id: string, policyIds: string[]) => [
    inventory,
    { id, type: 'contact_policy', config: { mode: 'selected', policyIds } },
    score,
  ];
  await publish(ask('c', []));
  const nodes = ask('c', [policy.id!]);
  const long = await server.createRecord('decision-flows', {
    key: 'long',
    name: 'Long',
    draftConfig: { version: 2, nodes },
  });
  await server.call('POST', '/api/v1/decision-flows/publish', { body: { id: long.id } });

  // The first keeps the batcher busy, so that the two of one customer share the next batch.
  const [, short, capped] = await Promise.all([
    recommend({ ...person, customerId: 'L2' }),
    recommend({ ...person, decisionFlowKey: 'main' }),
    recommend({ ...person, decisionFlowKey: 'long' }),
  ]);
  assert.equal(short.body.count, 1, short.text);
  assert.equal(capped.body.count, 0, 'three contacts in 200 days, one of them of this very batch');
  await server.call('DELETE', `/api/v1/contact-policies/${policy.id}`);
  await publish([inventory, score]);
});

test('counts reservations by how they ended', async () => {
  const phone = await server.createRecord('channels', {
    name: 'Phone',
    channelType: 'phone',
    impressionMode: 'explicit',
  });
  const creative = { name: 'call', offerId: ids.offers[0], channelId: phone.id, status: 'active' };
  const made = await server.createRecord('creatives', creative);
  const counted = async () => {
    const metric = await server.registry.getSingleMetric('svc_reservations_total')?.get();
    return Object.fromEntries(metric?.values.map(({ labels, value }) => [String(labels.result), value]) ?? []);
  };
  const call = { customerId: 'V1', channelId: phone.id, limit: 1 };
  await publish([inventory, { id: 'm', type: 'match_creatives', config: {} }, score]);
  await recommend({ ...call, dryRun: true });
  const first = await recommend(call);
  const confirm = { recommendationId: first.body.recommendationId, rank: 1, outcome: 'impression' };
  for (let i = 0; i < 2; i++) assert.equal((await respond(confirm)).status, 200);
  const second = await recommend({ ...call, customerId: 'V2' });
  await respond({ recommendationId: second.body.recommendationId, rank: 1, outcome: 'not_presented' });
  assert.deepEqual(await counted(), { made: 2, confirmed: 1, released: 1 });
  await server.call('DELETE', `/api/v1/creatives/${made.id}`);
  await publish([inventory, score]);
});

test('names the path of a body key that differs from the header', async () => {
  const { body } = await recommend({ customerId: 'Y9', channel: 'email', limit: 1 });
  const answer = await server.call<{ code: string; errors: { path: string }[] }>('POST', '/api/v1/respond', {
    body: { recommendationId: body.recommendationId, rank: 1, outcome: 'click', idempotencyKey: 'a' },
    headers: { 'idempotency-key': 'b' },
  });
  assert.deepEqual(
    [answer.status, answer.body.code, answer.body.errors[0]?.path],
    [400, 'validation_failed', '/idempotencyKey'],
  );
});

test('an inactive channel gets nothing, and the response says why', async () => {
  const { id } = await server.createRecord('channels', { name: 'Asleep', channelType: 'sms', status: 'paused' });
  const answer = await recommend({ customerId: 'N1', channelId: id });
  assert.deepEqual([answer.status, answer.body.count, answer.body.emptyReason], [200, 0, 'no_channel'], answer.text);
  const replay = await server.call('POST', `/api/v1/decisions/${answer.body.requestId}/replay`, { body: {} });
  assert.equal(replay.body.identical, true, replay.text);
  await server.call('DELETE', `/api/v1/channels/${id}`);
  const gone = await recommend({ customerId: 'N1', channelId: id });
  assert.equal(gone.status, 400, gone.text);
});

test('a missing placement is 404, whether foreign or random', async () => {
  const contact = { customerId: 'P1', offerId: ids.offers[0], outcome: 'click' };
  const bad = await respond({ ...contact, placementId: randomId });
  assert.equal(bad.status, 404, bad.text);
  const good = await respond({ ...contact, placementId: ids.banner });
  assert.equal(good.status, 200, good.text);
});

test('finds IDs of a request in any letter case', async () => {
  const asked = (body: object) => recommend({ customerId: 'C-case', dryRun: true, ...body });
  const offersOf = (answer: { body: RecommendAnswer }) => answer.body.decisions.map((item) => item.offerId);

  const byChannel = await asked({ channelId: ids.email.toUpperCase() });
  assert.equal(byChannel.status, 200, byChannel.text);
  assert.equal(byChannel.body.channelId, ids.email);
  const usual = offersOf(await asked({ channelId: ids.email }));
  assert.ok(usual.length > 0);
  assert.deepEqual(offersOf(byChannel), usual);

  const excluded = await asked({ channel: 'email', excludeOffers: usual.map((id) => id.toUpperCase()) });
  assert.ok(!offersOf(excluded).some((id) => usual.includes(id)));

  const onePlacement = await asked({ placement: ids.banner.toUpperCase() });
  assert.equal(onePlacement.body.emptyReason, (await asked({ placement: ids.banner })).body.emptyReason);
  assert.notEqual(onePlacement.body.emptyReason, 'no_placement');

  const several = await asked({ placements: [{ placementId: ids.banner.toUpperCase() }] });
  assert.equal(several.status, 200, several.text);
  assert.deepEqual(Object.keys(several.body.placementResults ?? {}), [ids.banner]);
  const twice = await asked({
    placements: [ids.banner, ids.banner.toUpperCase()].map((placementId) => ({ placementId })),
  });
  assert.equal(twice.status, 400);
  const byName = await asked({ placement: 'TOP' });
  assert.equal(byName.body.emptyReason, 'no_placement', 'the case of a name counts');
});

test('a response without a customer ID belongs to the customer of its recommendation', async () => {
  const { body: answer } = await recommend({ sessionId: 'session-1', channel: 'email', limit: 1 });
  assert.equal(answer.anonymous, true);
  const { recommendationId } = answer;
  for (const [rank, customerId] of [
    [1, 'anonymous'],
    [1, ''],
  ] as const) {
    const told = await respond({
      customerId,
      recommendationId,
      rank,
      outcome: 'click',
      timestamp: `2026-11-20T08:0${customerId.length}:00Z`,
    });
    assert.equal(told.status, 200, told.text);
    assert.equal(told.body.customerId, answer.customerId);
  }
  const foreign = await respond({ customerId: 'C1', recommendationId, rank: 1, outcome: 'click' });
  assert.equal(foreign.status, 404, 'a customer who is named must be the right one');
  const contact = await respond({
    customerId: 'anonymous',
    offerId: ids.offers[0],
    channelId: ids.email,
    outcome: 'click',
  });
  assert.equal(contact.status, 200, contact.text);
  assert.match(contact.body.customerId, /^anon-/);
  assert.notEqual(contact.body.customerId, answer.customerId);
});

test('one explicit key for two customers records one response, and nothing of the other', async () => {
  const contact = { offerId: ids.offers[0], outcome: 'click', idempotencyKey: 'shared' };
  const first = await respond({ ...contact, customerId: 'K1' });
  assert.equal(first.status, 200, first.text);
  const second = await respond({ ...contact, customerId: 'K2' });
  assert.equal(second.status, 422, second.text);
  const twins = await Promise.all(
    Array.from({ length: 6 }, (_, i) => respond({ ...contact, idempotencyKey: 'race', customerId: `R${i}` })),
  );
  const statuses = twins.map(({ status }) => status);
  assert.equal(statuses.filter((status) => status === 200).length, 1, `${statuses}`);
  assert.ok(
    statuses.every((status) => [200, 409, 422].includes(status)),
    `${statuses}`,
  );
  const rows = await owner(
    `select count(*)::int as rows, count(distinct customer_id)::int as customers from arbiter.interactions
     where customer_id like 'K%' or customer_id like 'R%'`,
  );
  assert.deepEqual(rows[0], { rows: 2, customers: 2 });
  const [kept] = await owner(`select count(*)::int as n from arbiter.customer_states where customer_id = 'K2'`);
  assert.equal(kept!.n, 0);
});

test('a dry run uses the drafts that its flow names; a decision never does', async () => {
  const draft = await server.createRecord('offers', { name: 'Draft', status: 'draft', priority: 99 });
  await server.createRecord('creatives', { name: 'draft', offerId: draft.id, channelId: ids.email, status: 'active' });
  const names = async (dryRun: boolean) => {
    const { status, body, text } = await recommend({ customerId: `D${dryRun}`, channel: 'email', dryRun, limit: 1 });
    assert.equal(status, 200, text);
    return body.decisions.map((item) => item.offerName);
  };
  assert.deepEqual(await names(true), ['Offer 0']);
  await publish([{ ...inventory, config: { includeStatuses: ['active', 'draft'] } }, score]);
  assert.deepEqual(await names(true), ['Draft']);
  assert.deepEqual(await names(false), ['Offer 0']);
});

test('formats dates with the offset of their own day, in replays too', async () => {
  await server.call('PUT', '/api/v1/tenant-settings', { body: { timezone: 'Europe/Berlin' } });
  const extras = [{ key: 'when', formula: 'format_date(attributes.t, "DD.MM. HH:mm")', outputType: 'text' }];
  await publish([inventory, score, { id: 'c', type: 'compute', config: { formulaExtras: extras } }]);
  const { body, text } = await recommend({
    customerId: 'F1',
    channel: 'email',
    attributes: { t: '2026-07-01T22:30:00Z' },
  });
  assert.equal(body.decisions[0]?.personalization?.when, '02.07. 00:30', text);
  const replay = await server.call('POST', `/api/v1/decisions/${body.requestId}/replay`, { body: {} });
  assert.equal(replay.body.identical, true, replay.text);
});

test('a value that is never stored is in neither the record nor the trace', async () => {
  await server.call('PUT', '/api/v1/tenant-settings', {
    body: { decisionTraceEnabled: true, decisionTraceSampleRate: 1 },
  });
  await server.createRecord('qualification-rules', {
    name: 'Healthy',
    ruleType: 'attribute_condition',
    scope: 'offer',
    scopeId: ids.offers[0],
    config: { attribute: 'diagnosis', operator: 'eq', value: 'none' },
  });
  await server.createRecord('qualification-rules', {
    name: 'Made for it',
    ruleType: 'offer_attribute',
    scope: 'offer',
    scopeId: ids.offers[1],
    config: { attribute: 'productType', operator: 'eq', valueFrom: 'customer.diagnosis' },
  });
  const properties = [{ key: 'told', formula: 'customer.diagnosis', target: 'response' }];
  await publish([inventory, score, { id: 'p', type: 'set_properties', config: { properties } }]);
  now += 2 * 86_400_000;
  const { body, text } = await recommend({ customerId: 'C1', channel: 'email' });
  assert.equal(body.properties.told, 'canary-secret', text);
  const trace = await server.call<{ pipeline: { durationMs: unknown }[]; inputsHash: string; assignment: object }>(
    'GET',
    `/api/v1/decision-traces/${body.trace.traceId}`,
  );
  assert.equal(trace.status, 200, trace.text);
  const { pipeline, inputsHash, assignment } = trace.body;
  for (const { durationMs } of pipeline) assert.equal(typeof durationMs, 'number', trace.text);
  assert.ok(assignment);
  assert.match(trace.text, /"diagnosis is withheld"/);
  assert.match(trace.text, /"customer.diagnosis is withheld"/);
  assert.doesNotMatch(trace.text, /canary-secret/);
  const record = await server.call('GET', `/api/v1/decisions/${body.requestId}?include=inputs`);
  assert.equal(record.status, 200, record.text);
  assert.deepEqual(record.body.withheld, ['diagnosis']);
  assert.equal(record.body.inputsHash, inputsHash);
  assert.doesNotMatch(record.text, /canary-secret/);
});

test("a tenant whose outbox can't be counted doesn't delay others", async () => {
  const [broken, sound] = server.tenants.map(({ id }) => id);
  await owner(
    `insert into arbiter.outbox (tenant_id, events, created_at) values ($1, '[]', now()), ($2, '[]', now())`,
    [broken, sound],
  );
  const dispatcher = createOutboxDispatcher(server.database, server.outboxPath, {
    zoneOf: async (tenantId) => (tenantId === broken ? 'Nowhere/At_All' : 'UTC'),
    pause: async () => undefined,
    stopped: () => false,
  });
  await assert.rejects(dispatcher.drain(), RangeError);
  const positions = async (id: string | undefined) =>
    (await owner('select position from arbiter.outbox where tenant_id = $1', [id])).map(({ position }) => position);
  assert.ok(!(await positions(sound)).includes(null));
  assert.ok((await positions(broken)).includes(null));
});
