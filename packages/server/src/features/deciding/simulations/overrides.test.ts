import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { SimulatedAnswer, Simulation } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';

/** Simulations with unsaved policies, and with offers that aren't active yet. */

let server: TestServer;
let now = Date.parse('2026-11-20T09:00:00Z');
const ids = { segment: '', web: '', live: '', draft: '', policy: '', category: '' };

interface Problem {
  readonly code: string;
  readonly errors?: readonly { readonly path: string }[];
}

const simulate = async (body: object): Promise<(string | undefined)[]> => {
  const request = { customerId: 'C1', channel: 'web', limit: 5, ...body };
  const answer = await server.call<SimulatedAnswer>('POST', '/api/v1/simulate', {
    body: request,
    key: server.tenants[0].keys.viewer,
  });
  assert.equal(answer.status, 200, answer.text);
  return answer.body.decisions.map(({ offerName }) => offerName);
};
const trying = (...contactPolicies: object[]) => simulate({ overrides: { contactPolicies } });

async function refused(overrides: object, code: string, path: string): Promise<void> {
  const body = { customerId: 'C1', channel: 'web', overrides };
  const answer = await server.call<Problem>('POST', '/api/v1/simulate', { body });
  assert.ok(answer.status >= 400 && answer.status < 500, answer.text);
  assert.equal(answer.body.code, code, answer.text);
  assert.equal(answer.body.errors?.[0]?.path, path, answer.text);
}

const everything = [{ scope: 'global' }];

before(async () => {
  server = await startTestServer({ clock: { now: () => now }, tenants: 2 });
  const fields = [{ name: 'customer_id', dataType: 'varchar', length: 32, isPrimaryKey: true, isNullable: false }].map(
    (field) => ({ displayName: field.name, ...field }),
  );
  const schema = await server.createRecord('schemas', {
    ...{ name: 'people', displayName: 'People', schemaType: 'customer', autoEnrich: true, fields },
  });
  const rows = Array.from({ length: 10 }, (_, at) => ({ customer_id: `C${at}` }));
  await server.call('POST', `/api/v1/schemas/${schema.id}/data`, { body: { rows } });
  const all = { logic: 'and', conditions: [{ field: 'customer_id', operator: 'exists' }] };
  const segment = { name: 'All', baseSchemaId: schema.id, filters: all, status: 'active' };
  ids.segment = (await server.createRecord('segments', segment)).id!;
  ids.web = (await server.createRecord('channels', { name: 'Web', channelType: 'web' })).id!;
  ids.category = (await server.createRecord('categories', { name: 'Cards' })).id!;
  for (const [key, status, priority] of [
    ['live', 'active', 60],
    ['draft', 'draft', 90],
  ] as const) {
    const offer = await server.createRecord('offers', { name: key, status, priority, categoryId: ids.category });
    ids[key] = offer.id!;
    await server.createRecord('creatives', { name: key, offerId: offer.id, channelId: ids.web, status });
    await server.createRecord('creatives', {
      ...{ name: `${key} old`, offerId: offer.id, channelId: ids.web, status: 'archived' },
    });
  }
  const policy = { name: 'Never', ruleType: 'do_not_contact', scope: 'global', status: 'paused', config: {} };
  ids.policy = (await server.createRecord('contact-policies', policy)).id!;
});
after(() => server.close());

test('decides with an inactive offer and its draft creatives', async () => {
  assert.deepEqual(await simulate({}), ['live']);
  assert.deepEqual(await simulate({ overrides: { offerIds: [ids.draft.toUpperCase()] } }), ['draft', 'live']);
  assert.deepEqual(await simulate({}), ['live'], 'nothing is stored');
  await refused({ offerIds: [server.tenants[0].id] }, 'reference_not_found', '/overrides/offerIds/0');
  const { body } = await server.call<{ readonly id: string }>('POST', '/api/v1/offers', {
    body: { name: 'Other' },
    key: server.tenants[1]!.keys.admin,
  });
  await refused({ offerIds: [body.id] }, 'reference_not_found', '/overrides/offerIds/0');
});

test('decides with an unsaved policy, and with a stored one that has other values', async () => {
  const hours = { ruleType: 'time_window', scopes: everything, config: { startHour: 20, endHour: 22 } };
  assert.deepEqual(await trying(hours), []);
  assert.deepEqual(await trying({ ...hours, config: { startHour: 8, endHour: 22 } }), ['live']);
  assert.deepEqual(await trying({ ...hours, status: 'draft' }), ['live']);
  assert.deepEqual(await trying({ ...hours, scopes: [{ scope: 'offer', scopeId: ids.draft }] }), ['live']);
  assert.deepEqual(
    await trying({ id: ids.policy, status: 'active' }),
    [],
    'omitted properties keep their stored values',
  );
  const scopes = [{ scope: 'offer', scopeId: ids.draft }];
  assert.deepEqual(await trying({ id: ids.policy, status: 'active', scopes }), ['live']);
});

test('reads counts that the stored catalogue does not need: contacts of a category, and a budget', async () => {
  const body = { customerId: 'C2', channel: 'web', limit: 1 };
  const made = await server.call('POST', '/api/v1/recommend', { body });
  assert.equal(made.status, 200, made.text);
  now += 60_000;
  const ofCategory = { scopes: [{ scope: 'category', scopeId: ids.category }] };
  const cap = { ruleType: 'frequency_cap', config: { maxPerDay: 1 }, ...ofCategory };
  const budget = (threshold: number) => ({
    ...{ ruleType: 'budget_exhausted', scopes: everything, config: { budgetField: 'impressions', threshold } },
  });
  const tried = (policy: object) => simulate({ customerId: 'C2', overrides: { contactPolicies: [policy] } });
  assert.deepEqual(await tried(cap), []);
  assert.deepEqual(await tried({ ...cap, config: { maxPerDay: 2 } }), ['live']);
  assert.deepEqual(await tried(budget(1)), []);
  assert.deepEqual(await tried(budget(2)), ['live']);
});

test('compares a segment with and without them', async () => {
  const overrides = { offerIds: [ids.draft], contactPolicies: [] };
  const body = { segmentId: ids.segment, channel: 'web', limit: 1, overrides, compare: {} };
  const answer = await server.call<Simulation>('POST', '/api/v1/simulate', { body });
  assert.equal(answer.status, 200, answer.text);
  const { sampledCustomers, diff, compare, topOffers } = answer.body;
  assert.equal(sampledCustomers, 10);
  assert.deepEqual(
    topOffers.map(({ offerName, count }) => [offerName, count]),
    [['draft', 10]],
  );
  assert.deepEqual(
    diff?.gained.map(({ offerName, count }) => [offerName, count]),
    [['draft', 10]],
  );
  assert.ok(compare?.topOffers.every(({ offerName }) => offerName === 'live'));
});

test('ignores the suppressions of a policy that it pauses', async () => {
  const { id } = await server.createRecord('contact-policies', {
    ...{ name: 'After a no', ruleType: 'outcome_based', scope: 'global' },
    config: { afterOutcome: ['dismiss'], suppressForDays: 30 },
  });
  const made = await server.call<{ readonly recommendationId: string }>('POST', '/api/v1/recommend', {
    body: { customerId: 'C3', channel: 'web', limit: 1 },
  });
  const response = {
    ...{ customerId: 'C3', recommendationId: made.body.recommendationId, rank: 1, outcome: 'dismiss' },
    idempotencyKey: 'a-no',
  };
  const told = await server.call('POST', '/api/v1/respond', { body: response });
  assert.ok(told.status < 300, told.text);
  now += 60_000;
  assert.deepEqual(await simulate({ customerId: 'C3' }), []);
  const overrides = { contactPolicies: [{ id, status: 'paused' }] };
  assert.deepEqual(await simulate({ customerId: 'C3', overrides }), ['live']);
});

test('rejects what a write would reject, with its path', async () => {
  const policies = '/overrides/contactPolicies';
  const one = (policy: object) => ({ contactPolicies: [policy] });
  await refused(
    one({ ruleType: 'cooldown', scopes: everything, config: {} }),
    'validation_failed',
    `${policies}/0/config/cooldownHours`,
  );
  await refused(one({ scopes: everything }), 'validation_failed', `${policies}/0/ruleType`);
  await refused(one({ id: ids.live }), 'reference_not_found', `${policies}/0/id`);
  const target = [{ scope: 'offer', scopeId: ids.policy }];
  await refused(
    one({ ruleType: 'do_not_contact', scopes: target, config: {} }),
    'reference_not_found',
    `${policies}/0/scopes/0/scopeId`,
  );
  await refused({ contactPolicies: [{ id: ids.policy }, { id: ids.policy }] }, 'validation_failed', `${policies}/1/id`);
  const recorded = { customerId: 'C1', decisionId: ids.live, overrides: { offerIds: [ids.draft] } };
  const answer = await server.call<Problem>('POST', '/api/v1/simulate', { body: recorded });
  assert.equal(answer.body.errors?.[0]?.path, '/overrides', answer.text);
});
