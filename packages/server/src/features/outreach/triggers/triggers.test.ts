import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Problem, Trigger } from '@arbiter/contract';
import { sized } from '../../../../../../test/form.ts';
import { says } from '../../operations/notifications/test-destination.ts';
import { publishAll } from '../../operations/stream/test-publish.ts';
import { startTriggerServer, type TriggerServer } from './test-triggers.ts';

/** Triggers over HTTP (docs/design/api-access.md 12.2, 22). */

let world: TriggerServer;
before(async () => {
  world = await startTriggerServer();
});
after(() => world?.close());

const bullets = '••••••••';
const unknown = '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a00';
const refusal = async (method: string, path: string, body: unknown, key?: string) => {
  const options = key === undefined ? { body } : { body, key };
  const answer = await world.server.call<Problem>(method, `/api/v1/triggers${path}`, options);
  const entry = answer.body.errors?.[0];
  return [answer.status, answer.body.code, entry?.path, entry?.message] as const;
};
const read = async (id: string) => (await world.server.call<Trigger>('GET', `/api/v1/triggers/${id}`)).body;
const ingest = async (customerId: string, more: object = {}) => {
  const answer = await world.ingest({ type: 'purchase', customerId, ...more });
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
};
/** Archives a trigger, so that the events of other tests don't reach it. */
const archive = (id: string) => world.server.call('PUT', `/api/v1/triggers/${id}`, { body: { status: 'archived' } });

describe('records', () => {
  test('have defaults and accept aliases of actions', async () => {
    const { ids } = world;
    const made = await world.trigger({
      eventType: 'app_open',
      actionType: 'fire_recommend',
      actionConfig: { decisionFlowId: ids.flow.toUpperCase() },
    });
    const { id, tenantId: _tenant, name: _name, createdAt: _created, updatedAt: _updated, ...rest } = made;
    assert.deepEqual(rest, {
      ...{ description: '', eventType: 'app_open', condition: null, actionType: 'recommend', priority: 50 },
      ...{ actionConfig: { decisionFlowId: ids.flow }, cooldownMs: 0, status: 'active', version: 1 },
      ...{ firedCount: 0, lastFiredAt: null, deletedAt: null },
    });
    assert.equal((await world.server.call('DELETE', `/api/v1/triggers/${id}`)).status, 204);
    assert.equal((await world.server.call('POST', `/api/v1/restore?entityType=trigger&id=${id}`)).status, 200);
    assert.equal((await read(id)).deletedAt, null);
    await archive(id);
  });

  test('keep secrets sealed, show bullets, and accept bullets for the same host only', async () => {
    const { peer, server } = world;
    const actionConfig = {
      url: peer.url('/secret'),
      secret: 'a secret of 16 or more',
      headers: { 'X-Key': 'header key' },
    };
    const made = await world.trigger({ eventType: 'app_open', actionConfig });
    const hidden = { ...actionConfig, secret: bullets, headers: { 'X-Key': bullets } };
    assert.deepEqual(made.actionConfig, hidden);
    const put = (config: object) =>
      server.call<Trigger>('PUT', `/api/v1/triggers/${made.id}`, { body: { actionConfig: config } });
    assert.equal((await put(hidden)).status, 200);
    const elsewhere = await refusal('PUT', `/${made.id}`, {
      actionConfig: { ...hidden, url: 'https://example.net/x' },
    });
    assert.deepEqual(elsewhere.slice(0, 3), [400, 'validation_failed', '/actionConfig/secret']);
    const answer = await world.ingest({ type: 'app_open', customerId: 'secret' });
    assert.deepEqual(answer.body.actionsDispatched[0]?.config, hidden);
    const [got] = peer.got('/secret');
    assert.deepEqual([got?.headers['x-key'], typeof got?.headers['webhook-signature']], ['header key', 'string']);
    const stored = await server.testDatabase.ownerQuery<{ text: string }>(
      `select body::text as text from arbiter.record_versions where entity_id = $1
       union all select to_jsonb(t)::text from arbiter.triggers t where id = $1
       union all select to_jsonb(a)::text from arbiter.audit_logs a where entity_id = $1::text`,
      [made.id],
    );
    for (const { text } of stored) assert.doesNotMatch(text, /16 or more|header key/);
    await archive(made.id);
  });

  const webhook = { actionType: 'webhook', actionConfig: { url: 'https://hooks.example.com/x' } };
  for (const [words, body, path, message] of [
    ['an unknown event type', { eventType: 'purchas' }, '/eventType', /did you mean purchase/],
    ['an unknown action', { actionType: 'recomend' }, '/actionType', /did you mean recommend/],
    ['an unknown setting', { actionConfig: { urll: 'x' } }, '/actionConfig/urll', /did you mean url/],
    ['no URL', { actionConfig: {} }, '/actionConfig/url', /required/],
    ['a private port', { actionConfig: { url: 'ftp://example.com' } }, '/actionConfig/url', /./],
    [
      'an unknown operator',
      { condition: { field: 'data.x', operator: 'gtee', value: 1 } },
      '/condition/operator',
      /gte/,
    ],
    ['an unknown field', { condition: { field: 'date.x', operator: 'exists' } }, '/condition/field', /must start with/],
    ['a cooldown over 30 days', { cooldownMs: 2_592_000_001 }, '/cooldownMs', /./],
    ['a priority over 100', { priority: 101 }, '/priority', /./],
    [
      'a flow without a name',
      { actionType: 'recommend', actionConfig: {} },
      '/actionConfig/decisionFlowKey',
      /required/,
    ],
    [
      'an unknown deduplication',
      { actionType: 'journey_enroll', actionConfig: { journeyId: 'JOURNEY', deduplication: 'restar' } },
      '/actionConfig/deduplication',
      /did you mean restart/,
    ],
    [
      'an unknown column',
      { actionType: 'update_attribute', actionConfig: { schemaId: 'SCHEMA', set: { teir: 'gold' } } },
      '/actionConfig/set/teir',
      /did you mean tier/,
    ],
  ] as const) {
    test(`are rejected with ${words}`, async () => {
      const text = JSON.stringify({ name: 'Refused', eventType: 'purchase', ...webhook, ...body });
      const { journey, schema } = world.ids;
      const found = await refusal('POST', '', JSON.parse(text.replace('JOURNEY', journey).replace('SCHEMA', schema)));
      assert.deepEqual(found.slice(0, 3), [400, 'validation_failed', path], String(found[3]));
      assert.match(String(found[3]), message);
    });
  }

  test('are rejected with records of another tenant, in bodies and in paths', async () => {
    const base = { name: 'Refused', eventType: 'purchase' };
    for (const [actionType, actionConfig, path] of [
      ['journey_enroll', { journeyId: unknown }, 'journeyId'],
      ['recommend', { decisionFlowId: unknown }, 'decisionFlowId'],
      ['recommend', { decisionFlowKey: 'none' }, 'decisionFlowKey'],
      ['recommend', { decisionFlowKey: 'main', channelId: unknown }, 'channelId'],
      ['webhook', { providerId: unknown }, 'providerId'],
      ['update_attribute', { schemaId: unknown, set: { tier: 'x' } }, 'schemaId'],
    ] as const) {
      const found = await refusal('POST', '', { ...base, actionType, actionConfig });
      assert.deepEqual(found.slice(0, 3), [400, 'reference_not_found', `/actionConfig/${path}`]);
    }
    const { id } = await world.trigger({ eventType: 'app_open', status: 'draft' });
    const theirs = world.server.tenants[1]!.keys.admin;
    assert.equal((await refusal('PUT', `/${id}`, { name: 'Mine' }, theirs))[0], 404);
    assert.equal((await refusal('POST', `/${id}/test`, { event: { customerId: 'x' } }, theirs))[0], 404);
  });

  test('keep what they name from being deleted', async () => {
    const { schema } = world.ids;
    const { id } = await world.trigger({
      ...{ eventType: 'app_open', status: 'draft', actionType: 'update_attribute' },
      actionConfig: { schemaId: schema, set: { tier: 'gold' } },
    });
    const refused = await world.server.call<Problem>('DELETE', `/api/v1/schemas/${schema}`);
    assert.deepEqual([refused.status, refused.body.code], [409, 'in_use']);
    await world.server.call('DELETE', `/api/v1/triggers/${id}`);
  });
});

describe('the test of a trigger', () => {
  const tryIt = async (id: string, event: object) => {
    const body = { event: { customerId: 'try', ...event } };
    const answer = await world.server.call('POST', `/api/v1/triggers/${id}/test`, { body });
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };

  test('says why it would not fire, and dispatches nothing', async () => {
    const condition = { all: [{ field: 'data.amount', operator: 'gte', value: 100 }] };
    const { id, name } = await world.trigger({ condition, cooldownMs: 60_000 });
    assert.deepEqual(await tryIt(id, { data: { amount: 100 } }), { matched: true, reason: null });
    assert.deepEqual(await tryIt(id, { data: { amount: 99 } }), {
      matched: false,
      reason: 'data.amount is not gte 100',
    });
    assert.deepEqual(await tryIt(id, {}), { matched: false, reason: 'data.amount is missing' });
    const type = await tryIt(id, { type: 'app_open' });
    assert.deepEqual(type, { matched: false, reason: 'the trigger reacts to purchase, not to app_open' });
    await ingest('try', { data: { amount: 200 } });
    assert.match(String((await tryIt(id, { data: { amount: 200 } })).reason), /^cooldown until /);
    assert.equal(world.peer.got(`/${encodeURIComponent(name)}`).length, 1);
    await archive(id);
  });
});

describe('firing', () => {
  test('an ingested event also counts as what its type stands for', async () => {
    const outcome = await world.trigger({ eventType: 'outcome.recorded' });
    const updated = await world.trigger({ eventType: 'customer.updated' });
    const fired = async (type: string) =>
      (await ingest('kinds', { type })).triggersMatched.map(({ triggerId }) => triggerId);
    assert.deepEqual(await fired('purchase'), [outcome.id]);
    assert.deepEqual(await fired('cart_abandon'), [updated.id]);
    assert.deepEqual(await fired('support_call'), [updated.id]);
    assert.deepEqual(await fired('page_view'), []);
    assert.deepEqual(await fired('app_open'), []);
    await Promise.all([archive(outcome.id), archive(updated.id)]);
  });

  test('by priority, then id, independently, with counts and audit rows', async () => {
    const low = await world.trigger({ priority: 10 });
    const high = await world.trigger({ priority: 90 });
    const broken = await world.trigger({
      priority: 50,
      actionType: 'recommend',
      actionConfig: { decisionFlowKey: 'draft' },
    });
    const answer = await ingest('order');
    assert.deepEqual(
      answer.triggersMatched.map(({ triggerId }) => triggerId),
      [high.id, broken.id, low.id],
    );
    assert.deepEqual(
      answer.actionsDispatched.map(({ triggerId }) => triggerId),
      [high.id, low.id],
    );
    assert.deepEqual(answer.actionErrors, [
      { triggerId: broken.id, actionType: 'recommend', error: 'flow_not_published' },
    ]);
    const after = await read(high.id);
    assert.deepEqual([after.firedCount, after.version], [1, 1]);
    assert.ok(after.lastFiredAt !== null);
    const audit = await world.server.call<{ data: { action: string }[] }>(
      'GET',
      `/api/v1/audit-logs?entityId=${high.id}&action=trigger_fired`,
    );
    assert.equal(audit.body.data.length, 1, audit.text);
    await Promise.all([low, high, broken].map(({ id }) => archive(id)));
  });

  test('parallel events of one customer against a cooldown fire once', async () => {
    const events = sized('TRIGGER_RACE', { short: 50, long: 200 });
    const { id } = await world.trigger({ cooldownMs: 60_000 });
    const answers = await Promise.all(Array.from({ length: events }, () => ingest('race')));
    assert.equal(answers.filter(({ triggersMatched }) => triggersMatched.length > 0).length, 1);
    assert.equal((await ingest('another')).triggersMatched.length, 1, 'another customer has another cooldown');
    assert.equal((await read(id)).firedCount, 2);
    await archive(id);
  });

  test('a chain of triggers ends at depth 5', async () => {
    const { id } = await world.trigger({
      ...{ eventType: 'decision.made', condition: { field: 'event.type', operator: 'eq', value: 'decision.made' } },
      ...{ actionType: 'recommend', actionConfig: { decisionFlowKey: 'main' } },
    });
    const decided = await world.server.call('POST', '/api/v1/recommend', {
      body: { customerId: 'chain', decisionFlowKey: 'main' },
    });
    assert.equal(decided.status, 200, decided.text);
    assert.deepEqual(await world.settle(), []);
    assert.equal((await read(id)).firedCount, 5);
    await archive(id);
  });
});

describe('actions', () => {
  test('recommend decides with its source, and delivers', async () => {
    const { batchChannel } = world.ids;
    const { id } = await world.trigger({
      actionType: 'recommend',
      actionConfig: { decisionFlowKey: 'main', channelId: batchChannel, deliver: true },
    });
    const answer = await ingest('decide');
    assert.equal(answer.actionErrors, undefined, JSON.stringify(answer.actionErrors));
    const [record] = await world.server.testDatabase.ownerQuery<{ source: string; sourceId: string }>(
      `select source, source_id as "sourceId" from arbiter.decisions where source_id = $1`,
      [id],
    );
    assert.deepEqual(record, { source: 'trigger', sourceId: id });
    const queued = await world.server.call<{ data: { channelId: string }[] }>(
      'GET',
      '/api/v1/deliveries?customerId=decide',
    );
    assert.deepEqual(
      queued.body.data.map(({ channelId }) => channelId),
      [batchChannel],
    );
    await archive(id);
  });

  test('journey_enroll enrolls with the data of the event as context; a purchase ends the wait', async () => {
    const { journey } = world.ids;
    const { id } = await world.trigger({
      ...{ eventType: 'cart_abandon', actionType: 'enroll_journey', actionConfig: { journeyId: journey } },
    });
    await ingest('walker', { type: 'cart_abandon', data: { cartValue: 7 } });
    await world.settle();
    const enrolled = async () =>
      (
        await world.server.call<{ data: { status: string; context: object }[] }>(
          'GET',
          `/api/v1/journeys/${journey}/enrollments?customerId=walker`,
        )
      ).body.data;
    assert.deepEqual(
      (await enrolled()).map(({ status, context }) => ({ status, context })),
      [{ status: 'waiting', context: { cartValue: 7 } }],
    );
    await ingest('walker');
    await world.settle();
    assert.equal((await enrolled())[0]?.status, 'completed');
    await archive(id);
  });

  test('update_attribute changes the row, and reacts to the change once', async () => {
    const { schema } = world.ids;
    const first = await world.trigger({
      ...{ eventType: 'app_open', actionType: 'update_attribute' },
      actionConfig: { schemaId: schema, set: { tier: 'gold' } },
    });
    const second = await world.trigger({
      eventType: 'customer.created',
      condition: { field: 'customer.tier', operator: 'eq', value: 'gold' },
    });
    await ingest('golden', { type: 'app_open' });
    await world.settle();
    assert.equal(world.peer.got(`/${encodeURIComponent(second.name)}`).length, 1);
    await Promise.all([archive(first.id), archive(second.id)]);
  });

  test('retries a failed webhook under one ID, and succeeds after the trigger is corrected', async () => {
    const { peer, server } = world;
    peer.on('/broken', says(500));
    const { id } = await world.trigger({ actionConfig: { url: peer.url('/broken') } });
    const answer = await ingest('heal', { data: { n: 1 } });
    assert.deepEqual(answer.actionErrors, [{ triggerId: id, actionType: 'webhook', error: 'responded with 500' }]);
    assert.deepEqual(answer.actionsDispatched, []);
    const [job] = await server.testDatabase.ownerQuery<{ most: number }>(
      `select max_attempts as most from graphile_worker._private_jobs order by id desc limit 1`,
    );
    assert.equal(job?.most, 5, 'the first of six tries is used up');
    assert.equal((await world.settle({ now: true })).length, 1);
    const body = { actionConfig: { url: peer.url('/corrected') } };
    assert.equal((await server.call('PUT', `/api/v1/triggers/${id}`, { body })).status, 200);
    const [firing] = await server.testDatabase.ownerQuery<{ id: string }>(
      'select id from arbiter.trigger_firings where trigger_id = $1',
      [id],
    );
    const facts = { jobId: '1', attempt: 1, dueAt: null, signal: new AbortController().signal };
    await server.jobs.get('trigger.dispatch')!.run({ firingId: firing!.id }, facts, server.tenants[0].id);
    const [tried, retried] = peer.got('/broken').map(({ headers }) => headers['webhook-id']);
    const healed = peer.got('/corrected');
    assert.deepEqual([tried, retried, healed[0]?.headers['webhook-id']], [firing!.id, firing!.id, firing!.id]);
    const { type, data } = JSON.parse(healed[0]?.text ?? '');
    assert.deepEqual([type, data.customerId, data.event.data], ['trigger', 'heal', { n: 1 }]);
    await archive(id);
  });
});

describe('events of the stream', () => {
  test('reach triggers once, from the trigger on', async () => {
    const { server, peer } = world;
    const decide = async () => {
      const body = { customerId: 'streamed', decisionFlowKey: 'main' };
      const answer = await server.call<{ recommendationId: string }>('POST', '/api/v1/recommend', { body });
      return answer.body.recommendationId;
    };
    const before = await decide();
    await world.settle();
    const made = await world.trigger({ eventType: 'decision.made' });
    const outcome = await world.trigger({
      eventType: 'outcome.recorded',
      condition: { field: 'outcome.outcomeTypeKey', operator: 'eq', value: 'click' },
    });
    const recommendationId = await decide();
    const body = { recommendationId, rank: 1, outcome: 'click', customerId: 'streamed' };
    const responded = await server.call('POST', '/api/v1/respond', { body });
    assert.equal(responded.status, 200, responded.text);
    await world.settle();
    await world.settle();
    const data = (name: string) =>
      peer.got(`/${encodeURIComponent(name)}`).map(({ text }) => JSON.parse(text).data.event);
    assert.deepEqual(
      data(made.name).map((event) => event.data.recommendationId),
      [recommendationId],
      `not of ${before}`,
    );
    assert.deepEqual(
      data(outcome.name).map((event) => event.outcome.recommendationId),
      [recommendationId],
    );
    await Promise.all([archive(made.id), archive(outcome.id)]);
  });

  test('an event that fails waits alone, and reaches triggers once it can', async (context) => {
    const { server } = world;
    const { ownerQuery, isCluster } = server.testDatabase;
    if (isCluster) return context.skip('its failure comes from a trigger, which distributed tables reject');
    const trigger = await world.trigger({ eventType: 'decision.made' });
    await world.settle();
    await ownerQuery(`create function arbiter.refuse_firing() returns trigger language plpgsql as
      $$ begin raise exception 'no firing of this customer'; end $$`);
    await ownerQuery(`create trigger refuse_firing before insert on arbiter.trigger_firings for each row
      when (new.customer_id = 'refused') execute function arbiter.refuse_firing()`);
    for (const customerId of ['refused', 'behind']) {
      const body = { customerId, decisionFlowKey: 'main' };
      assert.equal((await server.call('POST', '/api/v1/recommend', { body })).status, 200);
    }
    const fired = async () =>
      (
        await ownerQuery<{ id: string }>(
          'select customer_id as id from arbiter.trigger_firings where trigger_id = $1 order by 1',
          [trigger.id],
        )
      ).map(({ id }) => id);
    await publishAll(server);
    const facts = { jobId: '1', attempt: 1, dueAt: null, signal: new AbortController().signal };
    await server.jobs.get('events.follow')!.run({}, facts, server.tenants[0].id);
    assert.deepEqual(await fired(), ['behind']);
    await ownerQuery('drop function arbiter.refuse_firing cascade');
    assert.deepEqual(await world.settle(), []);
    assert.deepEqual(await fired(), ['behind', 'refused']);
    const audited = await ownerQuery(
      `select from arbiter.audit_logs where entity_id = $1 and action = 'trigger_fired'`,
      [trigger.id],
    );
    assert.equal(audited.length, 2);
    await archive(trigger.id);
  });
});
