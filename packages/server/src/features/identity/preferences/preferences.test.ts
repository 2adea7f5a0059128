import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Problem } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';
import { createPeople, trusting } from '../accounts/test-people.ts';

/** User preferences (docs/design/api-settled.md "Access and console"). */

let server: TestServer;
let people: ReturnType<typeof createPeople>;
before(async () => {
  server = await startTestServer({ tenants: 2, config: trusting });
  people = createPeople(server);
});
after(() => server?.close());

const url = '/api/v1/users/me/preferences';
const read = (cookie: string) => people.open<Record<string, unknown>>('GET', url, { cookie });
const write = (cookie: string, body: unknown) =>
  people.open<Record<string, unknown> & Problem>('PUT', url, { cookie, body });

test('replaces preferences as a whole, for the person only, without an audit row', async () => {
  const [first, second] = [
    await people.person(server.tenants[0], { role: 'viewer' }),
    await people.person(server.tenants[0]),
  ];
  const [cookie, other] = [await people.signIn(first), await people.signIn(second)];
  assert.deepEqual((await read(cookie)).body, {});
  const value = { theme: 'dark', tables: { offers: ['name', 'überschrift'] }, n: 1.5, nothing: null };
  const answer = await write(cookie, value);
  assert.deepEqual([answer.status, answer.body], [200, value]);
  assert.deepEqual((await read(cookie)).body, value);
  assert.deepEqual((await read(other)).body, {});
  assert.deepEqual((await write(cookie, { theme: 'light' })).body, { theme: 'light' });
  assert.deepEqual((await read(cookie)).body, { theme: 'light' });
  const rows = await server.testDatabase.ownerQuery<{ action: string }>(
    'select action from arbiter.audit_logs where user_id = $1',
    [first.id],
  );
  assert.deepEqual(
    rows.map(({ action }) => action),
    ['login'],
  );
});

test('accepts 8,192 bytes; one more is 413, and anything but an object 400, without a change', async () => {
  const cookie = await people.signIn(await people.person(server.tenants[0]));
  const ofBytes = (bytes: number) => ({ a: 'x'.repeat(bytes - JSON.stringify({ a: '' }).length) });
  assert.equal((await write(cookie, ofBytes(8_192))).status, 200);
  assert.deepEqual(await write(cookie, ofBytes(8_193)).then(({ status, body }) => [status, body.code]), [
    413,
    'payload_too_large',
  ]);
  for (const body of [[], 'text', 1, null]) assert.equal((await write(cookie, body)).status, 400, JSON.stringify(body));
  assert.deepEqual((await read(cookie)).body, ofBytes(8_192));
});

test('keys have no preferences', async () => {
  for (const [method, body] of [
    ['GET', undefined],
    ['PUT', {}],
  ] as const) {
    const answer = await server.call<Problem>(method, url, body === undefined ? {} : { body });
    assert.deepEqual([answer.status, answer.body.code], [403, 'forbidden']);
  }
  assert.equal((await people.open('GET', url)).status, 401);
});

test('one of several writers wins completely', async () => {
  const cookie = await people.signIn(await people.person(server.tenants[0]));
  const values = Array.from({ length: 8 }, (_, n) => ({ n, twin: n }));
  const answers = await Promise.all(values.map((value) => write(cookie, value)));
  assert.ok(answers.every(({ status }) => status === 200));
  const { n, twin } = (await read(cookie)).body;
  assert.equal(n, twin);
});
