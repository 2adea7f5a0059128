import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RecommendAnswer } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../../main/test-server.ts';

/** A batch's round trips to the database, however many decisions it has. These numbers may only go down. */
let server: TestServer;

async function makeFlow(key: string, enrich: readonly object[], last: readonly object[] = []): Promise<void> {
  const nodes = [
    { id: 'i', type: 'inventory', config: {} },
    ...enrich,
    { id: 'm', type: 'match_creatives', config: { requireCreative: false } },
    { id: 's', type: 'score', config: { method: 'priority_weighted' } },
    ...last,
  ];
  const { id } = await server.createRecord('decision-flows', { key, name: key, draftConfig: { version: 2, nodes } });
  await server.publishFlow(id);
}

/** A schema with the primary key and one more column, and a row of it for each of the keys. */
async function makeSchema(name: string, key: string, column: string, keys: readonly string[], more: object) {
  const field = (fieldName: string) => ({ name: fieldName, displayName: fieldName, dataType: 'varchar', length: 32 });
  const fields = [{ ...field(key), isPrimaryKey: true, isNullable: false }, field(column)];
  const { id } = await server.createRecord('schemas', { name, displayName: name, fields, ...more });
  if (keys.length === 0) return id;
  const rows = keys.map((each, number) => ({ [key]: each, [column]: `A${number}` }));
  const inserted = await server.call('POST', `/api/v1/schemas/${id}/data`, { body: { rows } });
  assert.equal(inserted.status, 201, inserted.text);
  return id;
}

const names = (prefix: string, count: number) => Array.from({ length: count }, (_, number) => `${prefix}${number}`);

/** Decides once for each customer in one batch; answers with the trips that it took. */
async function tripsOf(customerIds: readonly string[], more: object = {}): Promise<number> {
  const caller = {
    tenantId: server.tenants[0].id,
    credentialId: 'test',
    ip: '127.0.0.1',
    userAgent: 'test',
    idempotencyKey: null,
    until: performance.now() + 600_000,
  };
  const [tripsBefore, batchesBefore] = [server.hot.trips(), await batches()];
  // Submitted in one turn of the event loop, they leave in one batch.
  const answers = await Promise.all(
    customerIds.map((customerId) =>
      server.decisions.recommend(caller, { customerId, limit: 1, decisionFlowKey: 'plain', ...more }),
    ),
  );
  for (const { text } of answers) assert.equal((JSON.parse(text) as RecommendAnswer).count, 1, text);
  assert.equal((await batches()) - batchesBefore, 1, 'all of them were in one batch');
  return server.hot.trips() - tripsBefore;
}

async function batches(): Promise<number> {
  const text = await server.registry.metrics();
  return Number(/^svc_decision_batch_size_count (\d+)$/m.exec(text)?.[1] ?? 0);
}

before(async () => {
  server = await startTestServer();
  const people = names('C', 40);
  await makeSchema('people', 'customer_id', 'account_id', people, { schemaType: 'customer', autoEnrich: true });
  const accounts = await makeSchema('accounts', 'account_id', 'tier', names('A', 40), { schemaType: 'reference' });
  await server.createRecord('offers', { name: 'Offer', status: 'active', priority: 50 });
  await makeFlow('plain', []);
  const sources = [{ schemaId: accounts, prefix: 'a_', fields: ['tier'] }];
  const enrich = { sources, lookupKey: 'account_id', lookupFrom: 'customer.account_id' };
  await makeFlow('enriched', [{ id: 'e', type: 'enrich', config: enrich }]);
  await joinTables();
  await makeExperiment();
  // The catalogue and the plans are in memory, and the newest version is known.
  await server.call('POST', '/api/v1/recommend', { body: { customerId: 'X', decisionFlowKey: 'plain' } });
  await server.call('POST', '/api/v1/recommend', { body: { customerId: 'X', decisionFlowKey: 'enriched' } });
});
after(() => server?.close());

/** A flow whose model is the champion of an experiment. */
async function makeExperiment(): Promise<void> {
  const models: string[] = [];
  for (const key of ['one', 'two']) {
    const body = { key, name: key, modelType: 'scorecard', status: 'active' };
    models.push((await server.createRecord('algorithm-models', body)).id);
  }
  await server.createRecord('experiments', {
    ...{ key: 'tested', name: 'Tested', status: 'active', championModelId: models[0] },
    challengers: [{ modelId: models[1], trafficPct: 20 }],
  });
  const draftConfig = {
    version: 2,
    nodes: [
      { id: 'i', type: 'inventory', config: {} },
      { id: 'm', type: 'match_creatives', config: { requireCreative: false } },
      { id: 's', type: 'score', config: { method: 'propensity', modelKey: 'one' } },
    ],
  };
  const { id } = await server.createRecord('decision-flows', { key: 'tested', name: 'tested', draftConfig });
  await server.publishFlow(id);
  await server.call('POST', '/api/v1/recommend', { body: { customerId: 'X', decisionFlowKey: 'tested' } });
}

/** Other tables of the same customers: two that the customer id finds, one that a column of `people` does. */
async function joinTables(): Promise<void> {
  const schemas = await server.call<{ data: { id: string; name: string }[] }>('GET', '/api/v1/schemas');
  const linkedSchemaId = schemas.body.data.find(({ name }) => name === 'people')!.id;
  const more = { linkedSchemaId, autoEnrich: true, schemaType: 'event', summaryColumns: ['amount', 'note'] };
  await makeSchema('visits', 'visit_id', 'customer_id', [], more);
  await makeSchema('homes', 'customer_id', 'city', names('C', 40), { ...more, schemaType: 'customer' });
  const mapping = { parentField: 'account_id', childField: 'account_id' };
  await makeSchema('payments', 'payment_id', 'account_id', [], { ...more, joinMapping: mapping });
  const read = ['visits_count', 'payments_count', 'city'].map((name) => ({ key: name, formula: `customer.${name}` }));
  await makeFlow('joined', [], [{ id: 'p', type: 'set_properties', config: { properties: read } }]);
  await server.call('POST', '/api/v1/recommend', { body: { customerId: 'X', decisionFlowKey: 'joined' } });
}

for (const count of [1, 40]) {
  const customers = (prefix: string) => names(prefix, count);

  test(`takes three trips for ${count} new customers: read, create rows, commit`, async () => {
    assert.equal(await tripsOf(customers(`new ${count} `)), 3);
  });

  test(`takes two trips for ${count} known customers: read and commit`, async () => {
    await tripsOf(customers(`known ${count} `));
    assert.equal(await tripsOf(customers(`known ${count} `)), 2);
  });

  test(`takes no extra trip for ${count} customers under an experiment, new or known`, async () => {
    const tested = { decisionFlowKey: 'tested' };
    assert.equal(await tripsOf(customers(`tested ${count} `), tested), 3);
    assert.equal(await tripsOf(customers(`tested ${count} `), tested), 2);
  });

  test(`takes two trips for ${count} dry runs: read and roll back`, async () => {
    assert.equal(await tripsOf(customers(`dry ${count} `), { dryRun: true }), 2);
  });

  test(`takes one extra read for ${count} customers whose rows are looked up by a value of theirs`, async () => {
    const enriched = { decisionFlowKey: 'enriched', dryRun: true };
    assert.equal(await tripsOf(customers('C'), enriched), 3);
  });
}

/** Decides for customers whom another process holds, once it is waited for; answers with the trips until all are decided. */
async function tripsBeside(held: string, customerIds: readonly string[]): Promise<number> {
  const commit = await server.testDatabase.ownerHold(held);
  const before = server.hot.trips();
  const asked = Promise.all(
    customerIds.map((customerId) =>
      server.call<RecommendAnswer>('POST', '/api/v1/recommend', {
        body: { customerId, limit: 1, decisionFlowKey: 'plain' },
      }),
    ),
  );
  try {
    for (let waiting = 0; waiting === 0; await sleep(5)) {
      const [row] = await server.testDatabase.ownerQuery<{ n: number }>(
        `select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      waiting = row!.n;
    }
  } finally {
    await commit();
  }
  for (const answer of await asked) assert.equal(answer.status, 200, answer.text);
  return server.hot.trips() - before;
}

test('customers created by another process at the same time: one extra trip for all', async () => {
  const made = `insert into arbiter.customer_states (tenant_id, customer_id, ref, data_key, state)
    select tenant_id, 'made beside ' || n, gen_random_uuid(), data_key, ''
    from (select * from arbiter.customer_states limit 1) one, generate_series(0, 39) n`;
  const trips = await tripsBeside(made, names('made beside ', 40));
  // Forty requests come in two batches at most.
  assert.ok(trips <= 8, `${trips} trips`);
});

test('customers locked by another transaction: waits for a few one by one, then decides the others at once', async () => {
  const customers = names('held beside ', 40);
  await tripsOf(customers);
  const held = `select from arbiter.customer_states where customer_id like 'held beside %' for update`;
  const trips = await tripsBeside(held, customers);
  assert.ok(trips <= 20, `${trips} trips`);
});

test('joined tables are read with the rest; one behind a column of the customer takes an extra trip', async () => {
  for (const count of [1, 40]) {
    // Stored decisions, because a dry run is answered before its transaction is over; the first makes the customers' rows.
    const again = async (customerIds: readonly string[], more: object): Promise<number> => {
      await tripsOf(customerIds, more);
      return tripsOf(customerIds, more);
    };
    const joined = { decisionFlowKey: 'joined' };
    assert.equal(await again(names('C', count), joined), 3);
    assert.equal(await again(names('nobody ', count), joined), 2, 'without a row there is nowhere to go on from');
    // A flow that asks for no figure reads no table of figures.
    assert.equal(await again(names('C', count), {}), 2);
  }
});

test('a budget costs nothing while unused, and one extra trip when used', async () => {
  const offers = await server.call<{ data: { id: string; name: string }[] }>('GET', '/api/v1/offers');
  const { id } = offers.body.data.find(({ name }) => name === 'Offer')!;
  const setBudget = async (budget: object) => {
    const put = await server.call('PUT', '/api/v1/offers', { body: { id, budget } });
    assert.equal(put.status, 200, put.text);
    // The plan is compiled, and what was shown before is counted.
    await server.call('POST', '/api/v1/recommend', { body: { customerId: 'X', decisionFlowKey: 'plain' } });
  };
  const customers = names('spender ', 10);
  await tripsOf(customers);
  await setBudget({ lifetimeMaxImpressions: 1_000_000 });
  assert.equal(await tripsOf(customers, { dryRun: true }), 2, 'a dry run takes nothing');
  assert.equal(await tripsOf(customers), 3, 'with room: compared before the commit');
  const { body } = await server.call<{ budget: { currentLifetimeImpressions: number } }>('GET', `/api/v1/offers/${id}`);
  await setBudget({ lifetimeMaxImpressions: body.budget.currentLifetimeImpressions + 12 });
  assert.equal(await tripsOf(customers), 3, 'with little left: held from the beginning, raised with the commit');
  await server.createRecord('offers', { name: 'Another without', status: 'active', priority: 10 });
  await setBudget({ lifetimeMaxImpressions: 0 });
  assert.equal(await tripsOf(customers), 2, 'a budget that is used up holds nobody');
  await setBudget({ costPerImpressionCents: 1 });
  assert.equal(await tripsOf(customers), 2, 'a price without a cap is added with the commit');
});

test('a playground reads its quota under the lock: one extra trip', async () => {
  const { id } = server.tenants[0];
  await server.testDatabase.ownerQuery('update arbiter.tenants set is_playground = true where id = $1', [id]);
  await server.testDatabase.ownerQuery('insert into arbiter.playground_quotas (tenant_id) values ($1)', [id]);
  // A change of the catalogue, so that it is read again.
  await server.createRecord('offers', { name: 'Another', status: 'active', priority: 10 });
  await server.call('POST', '/api/v1/recommend', { body: { customerId: 'player 0', decisionFlowKey: 'plain' } });
  await tripsOf(names('player ', 10));
  assert.equal(await tripsOf(names('player ', 10)), 3);
});
