// Runs in one of 3 turns: what it calls has tests of its own.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Operation, operations } from '@arbiter/contract';
import { createExamples } from '../../packages/server/src/http/docs/docs-examples.ts';
import { startTestServer, type TestServer } from '../../packages/server/src/main/test-server.ts';

/** Sends the request examples of the documentation in order, as a reader would. */

let server: TestServer;
before(async () => {
  server = await startTestServer();
});
after(() => server.close());

const all: readonly Operation[] = Object.values(operations);
const examples = createExamples(all);

const makers = all.filter(({ id }) => id.endsWith('.create'));
const madeBy = ({ id }: Operation): string => id.split('.')[0]!;

/** Makers of records in the order in which they need each other. Resources that refer to no record need no place. */
const placed = [
  'categories',
  'subCategories',
  'channels',
  'placements',
  'outcomeTypes',
  'behavioralMetrics',
  'schemas',
  'connectors',
  // Before the joins, whose ids in the documents begin like those of schemas.
  'pipelines',
  'schemaJoins',
  'segments',
  'offers',
  'content',
  'creatives',
  'qualificationRules',
  'contactPolicies',
  'rankingProfiles',
  'algorithmModels',
  'experiments',
  'decisionFlows',
  'flowRoutes',
  'decisionTests',
  'journeys',
  'triggers',
  'geofences',
  'campaigns',
  'suppressions',
  'apiKeys',
  'oauthClients',
  'users',
  'notificationProviders',
  'approvals',
  'alerts',
  'reportTemplates',
  'reportSchedules',
];
const order = [
  ...placed,
  ...makers
    .filter(({ resource }) => resource !== undefined && Object.keys(resource.references).length === 0)
    .map(madeBy)
    .filter((name) => !placed.includes(name)),
];

test('every record of the documents can be created as shown, and decided with', async () => {
  const [tenant] = server.tenants;
  const send = (operation: Operation, path: string, body: unknown) =>
    server.call<Record<string, unknown>>(operation.method, path, {
      body,
      key: tenant.keys.admin,
      headers: { Prefer: 'handling=strict' },
    });
  assert.deepEqual(makers.map(madeBy).sort(), order.toSorted(), 'a maker without a place in the order');
  // Readers replace the documentation's invented ids with those of their own records.
  const real = new Map<string, string>();
  const filled = (body: unknown): unknown =>
    JSON.parse(JSON.stringify(body), (_, value) => (typeof value === 'string' ? (real.get(value) ?? value) : value));
  for (const resource of order) {
    const operation = makers.find(({ id }) => id === `${resource}.create`)!;
    if (resource === 'schemaJoins') {
      const { foreignSchemaId, foreignKey } = examples.body(operation) as Record<string, string>;
      const fields = [{ name: foreignKey, dataType: 'varchar' }];
      const schema = { name: 'accounts', displayName: 'Accounts', schemaType: 'account', fields };
      const made = await send(operations['schemas.create'], '/api/v1/schemas', schema);
      assert.equal(made.status, 201, made.text);
      real.set(String(foreignSchemaId), String(made.body.id));
    }
    if (resource === 'experiments') {
      const { challengers } = examples.body(operation) as { challengers: readonly { readonly modelId: string }[] };
      const model = { key: 'challenger', name: 'Challenger', modelType: 'scorecard' };
      const made = await send(operations['algorithmModels.create'], '/api/v1/algorithm-models', model);
      assert.equal(made.status, 201, made.text);
      real.set(String(challengers[0]?.modelId), String(made.body.id));
    }
    const shown = examples.answer(operation, operation.responses[201]!.schema!) as { id: string };
    const answer = await send(operation, operation.path, filled(examples.body(operation)));
    assert.equal(answer.status, 201, `${operation.id}: ${answer.text}`);
    // The invented ids of flows and their tests are the same.
    if (!real.has(shown.id)) real.set(shown.id, String(answer.body.id));
  }
  for (const id of [
    'decisionFlows.publish',
    'decisionFlows.validate',
    'tenantSettings.update',
    'tenant.update',
  ] as const) {
    const answer = await send(operations[id], operations[id].path, filled(examples.body(operations[id])));
    assert.equal(answer.status, 200, `${id}: ${answer.text}`);
  }
  const recommend = operations['decisions.recommend'];
  const decided = await send(recommend, recommend.path, examples.body(recommend));
  assert.equal(decided.status, 200, decided.text);
});
