import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Operation, operations } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../packages/server/src/main/test-server.ts';
import { examples } from './examples.ts';
import { createFixtures } from './fixtures.ts';
import { send } from './requests.ts';

/** In a POST, null for an optional input counts as not sent (docs/design/api-access.md 22). */

const all: readonly Operation[] = Object.values(operations);
const posts = all.filter(
  ({ method, body, bodyKind, auth }) =>
    method === 'POST' && body !== undefined && bodyKind === undefined && (auth === 'credential' || auth === undefined),
);
let server: TestServer;
before(async () => {
  server = await startTestServer({ tenants: posts.length });
});
after(() => server?.close());

const namesOf = (schema: object, key: string): string[] => {
  const found: unknown = Reflect.get(schema, key);
  return Array.isArray(found) ? found : Object.keys(Object(found));
};

for (const operation of posts) {
  const example = examples[operation.id];
  if (example === undefined) continue;
  test(`${operation.id}: optional inputs that are null`, async () => {
    const tenant = server.tenants[posts.indexOf(operation)]!;
    const call = await example(createFixtures(server, tenant));
    const { body: schema = {} } = operation;
    const required = namesOf(schema, 'required');
    const nulls = namesOf(schema, 'properties')
      .filter((name) => !required.includes(name) && call.body?.[name] === undefined)
      .map((name) => [name, null]);
    const body = { ...call.body, ...Object.fromEntries(nulls) };
    const answer = await send(server, operation, { ...call, body }, { key: tenant.keys.admin });
    assert.ok(answer.status < 300, `${JSON.stringify(body)}\n${answer.text}`);
  });
}

test('a null inside a list of the body counts as not sent too; a required input does not, and a PUT is not lenient', async () => {
  const tenant = server.tenants[0]!;
  const call = (method: string, path: string, body: unknown) =>
    server.call<{ id: string; fields: Record<string, unknown>[]; errors?: { path: string }[] }>(
      method,
      `/api/v1/${path}`,
      { key: tenant.keys.admin, body },
    );
  const field = { name: 'city', displayName: null, isNullable: null, isUnique: null, description: null };
  const made = await call('POST', 'schemas', { name: 'nulls', displayName: 'Nulls', fields: [field] });
  assert.equal(made.status, 201, made.text);
  const { displayName, isNullable, isUnique, description } = made.body.fields[0]!;
  assert.deepEqual([displayName, isNullable, isUnique, description], ['city', true, false, '']);
  const nameless = await call('POST', 'schemas', { name: null, displayName: 'Nulls', description: null });
  assert.equal(nameless.status, 400);
  assert.deepEqual(
    nameless.body.errors?.map(({ path }) => path),
    ['/name'],
  );
  const cleared = await call('PUT', `schemas/${made.body.id}`, { displayName: null });
  assert.equal(cleared.status, 400);
});
