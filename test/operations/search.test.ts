import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type FoundRecord, type Resource, resources, searchedKinds } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../packages/server/src/main/test-server.ts';
import { createFixtures, type Fixtures } from './fixtures.ts';

let server: TestServer;
let own: Fixtures;
before(async () => {
  server = await startTestServer();
  own = createFixtures(server, server.tenants[0]);
});
after(() => server?.close());

const find = async (text: unknown) => {
  const path = `/api/v1/search?q=${encodeURIComponent(String(text))}`;
  const answer = await server.call<{ readonly data: readonly FoundRecord[] }>('GET', path);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data;
};

for (const entityType of searchedKinds) {
  test(`${entityType}: found by its name and its ID, until it's deleted`, async () => {
    const { path } = resources[entityType];
    const resource: Resource = resources[entityType];
    const made = await own.make(path);
    const name = String(made.displayName ?? made.name);
    for (const text of [name, made.id]) {
      const found = (await find(text)).filter(({ id }) => id === made.id);
      assert.deepEqual(
        found.map(({ detail, ...record }) => [record, detail.length > 0]),
        [[{ entityType, id: made.id, name }, true]],
      );
    }
    if (resource.archives === true) return;
    const deletion = await server.call('DELETE', `/api/v1/${path}/${made.id}`);
    assert.ok(deletion.status < 300, deletion.text);
    assert.deepEqual(await find(made.id), []);
  });
}
