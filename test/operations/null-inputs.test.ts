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
  ({ method, body, bodyKind, auth, record }) =>
    method === 'POST' &&
    record === undefined &&
    body !== undefined &&
    bodyKind === undefined &&
    (auth === 'credential' || auth === undefined),
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
    const own = createFixtures(server, tenant);
    const call = await example(own);
    const { admin: key } = await own.credentials(operation);
    const { body: schema = {} } = operation;
    const required = namesOf(schema, 'required');
    const nulls = namesOf(schema, 'properties')
      .filter((name) => !required.includes(name) && call.body?.[name] === undefined)
      .map((name) => [name, null]);
    const body = { ...call.body, ...Object.fromEntries(nulls) };
    const answer = await send(server, operation, { ...call, body }, { key });
    assert.ok(answer.status < 300, `${JSON.stringify(body)}\n${answer.text}`);
  });
}

test("rejects null for a required input, and for a property that can't be empty", async () => {
  const tenant = server.tenants[0]!;
  const call = (path: string, body: unknown) =>
    server.call<{ errors?: { path: string }[] }>('POST', `/api/v1/${path}`, { key: tenant.keys.admin, body });
  for (const [path, body, at] of [
    ['recommend', { customerId: 'x', placements: [{ placementId: null, limit: null }] }, '/placements/0/placementId'],
    ['offers', { name: 'x', priority: null }, '/priority'],
    ['schemas', { name: 'x', displayName: 'X', description: null }, '/description'],
  ] as const) {
    const answer = await call(path, body);
    assert.equal(answer.status, 400, `${path}: ${answer.text}`);
    assert.deepEqual(
      answer.body.errors?.map((error) => error.path),
      [at],
    );
  }
});
