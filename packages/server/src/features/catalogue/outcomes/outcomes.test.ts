import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { outcomeTypeOperations } from '@arbiter/contract';
import { systemActor } from '../../../db/index.ts';
import { createTestDatabase, type TestDatabase } from '../../../db/test-database.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { createTestApp, tenantA, tenantB } from '../../../http/test-app.ts';
import { type Call, callsOf } from '../../../http/test-calls.ts';
import { newId } from '../../../platform/ids.ts';
import { insertSystemOutcomeTypes, readOutcomeTypes } from './index.ts';
import { outcomeTypeRoutes } from './outcomes.routes.ts';

let db: TestDatabase;
let call: Call;
const url = '/api/v1/outcome-types';
before(async () => {
  db = await createTestDatabase();
  await db.ownerQuery('insert into arbiter.tenants (id, name) values ($1, $3), ($2, $4)', [tenantA, tenantB, 'A', 'B']);
  for (const tenant of [tenantA, tenantB]) {
    await db.database.withTenant(tenant, systemActor('test'), insertSystemOutcomeTypes);
  }
  call = callsOf(
    createTestApp({
      operations: outcomeTypeOperations,
      handlers: new Map(handlerEntries(outcomeTypeOperations, outcomeTypeRoutes())),
      database: db.database,
    }).app,
  );
});
after(() => db.close());

const readTypes = async () => {
  const types = await db.database.withTenant(tenantA, systemActor('test'), readOutcomeTypes);
  return new Map(types.map((type) => [type.key, type]));
};

test('every tenant has the system types in order', async () => {
  const listed = await call('GET', url);
  assert.deepEqual(
    listed.json.data.map((row: { key: string }) => row.key),
    'impression click accept requested_info convert dismiss not_interested deferred not_presented expired unsubscribe complaint hard_bounce spam_report'.split(
      ' ',
    ),
  );
  const [impression] = listed.json.data;
  assert.deepEqual(
    [impression.name, impression.classification, impression.category, impression.isSystem, impression.status],
    ['Impression', 'neutral', 'impression', true, 'active'],
  );
  const facts = await readTypes();
  assert.deepEqual(facts.get('convert'), {
    key: 'convert',
    name: 'Convert',
    classification: 'positive',
    category: 'response',
    isConversion: true,
  });
  assert.equal([...facts.values()].filter((type) => type.isConversion).length, 1);
});

test('protects system types, whatever is sent', async () => {
  const id = (await call('GET', `${url}?search=click`)).json.data[0].id;
  for (const [method, path, body] of [
    ['PUT', url, { id, name: 'Tap' }],
    ['PUT', `${url}/${id}`, { status: 'inactive' }],
    ['DELETE', `${url}?id=${id}`, undefined],
    ['DELETE', `${url}/${id}`, undefined],
  ] as const) {
    const answer = await call(method, path, body);
    assert.deepEqual([answer.status, answer.json.code], [409, 'protected'], `${method} ${path}`);
  }
});

test("a tenant's type is created, found by respond, deactivated and deleted; its key is never reused", async () => {
  const body = {
    key: 'branch_visit',
    name: 'Branch visit',
    classification: 'positive',
    isConversion: true,
    isSystem: true,
  };
  const made = await call('POST', url, body);
  assert.equal(made.status, 201, made.text);
  assert.equal(made.json.isSystem, false);
  assert.equal((await readTypes()).get('branch_visit')?.isConversion, true);
  assert.equal((await call('POST', url, body)).json.code, 'duplicate_key');
  const id = made.json.id;
  assert.equal((await call('PUT', url, { id, key: 'other', status: 'inactive' })).status, 400);
  assert.equal((await call('PUT', url, { id, key: 'branch_visit', status: 'inactive' })).json.key, 'branch_visit');
  assert.equal((await readTypes()).has('branch_visit'), false);
  await call('PUT', url, { id, status: 'active' });
  assert.equal((await call('DELETE', `${url}/${id}`)).status, 204);
  assert.equal((await readTypes()).has('branch_visit'), false);
  assert.equal((await call('POST', url, { ...body, name: 'Another' })).json.code, 'duplicate_key');
});

test('only a positive outcome is a conversion, now or after a change', async () => {
  const bad = await call('POST', url, { key: 'x1', name: 'X1', classification: 'neutral', isConversion: true });
  assert.deepEqual([bad.status, bad.json.errors[0].path], [400, '/isConversion']);
  const made = await call('POST', url, { key: 'x2', name: 'X2', classification: 'positive', isConversion: true });
  assert.equal((await call('PUT', url, { id: made.json.id, classification: 'negative' })).status, 400);
  const both = await call('PUT', url, { id: made.json.id, classification: 'negative', isConversion: false });
  assert.equal(both.status, 200);
  for (const key of ['', 'A', '1a', 'a-b', `a${'b'.repeat(64)}`]) {
    assert.equal((await call('POST', url, { key, name: 'X', classification: 'neutral' })).status, 400, key);
  }
});

test('a key is in use while an active policy names it', async () => {
  const made = await call('POST', url, { key: 'in_policy', name: 'In policy', classification: 'negative' });
  const plant = async (config: object) => {
    const id = newId();
    await db.ownerQuery(
      `insert into arbiter.contact_policies (tenant_id, id, name, rule_type, config, scopes, version, created_at, updated_at)
       values ($1, $2, $3, 'outcome_based', $4, '[]', 1, now(), now())`,
      [tenantA, id, `Rest ${id}`, JSON.stringify(config)],
    );
    return id;
  };
  // A text that happens to equal the key is no reference.
  await plant({ reason: 'in_policy', afterOutcome: 'in_policy_too' });
  const naming = [await plant({ afterOutcome: 'in_policy' }), await plant({ afterOutcome: ['click', 'in_policy'] })];
  const refused = await call('DELETE', `${url}/${made.json.id}`);
  assert.deepEqual([refused.status, refused.json.code], [409, 'in_use']);
  assert.deepEqual(
    refused.json.errors.map(({ path }: { path: string }) => path),
    ['path.id', 'path.id'],
  );
  for (const id of naming) {
    assert.ok(refused.text.includes(id));
    await db.ownerQuery(`update arbiter.contact_policies set status = 'paused' where id = $1`, [id]);
  }
  assert.equal((await call('DELETE', `${url}/${made.json.id}`)).status, 204);
});
