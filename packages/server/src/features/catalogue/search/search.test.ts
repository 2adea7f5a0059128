import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type FoundRecord, maxFoundPerKind, type Problem, searchedKinds } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';

let server: TestServer;
before(async () => {
  server = await startTestServer({ tenants: 2 });
});
after(() => server.close());

const search = (q: string, key?: string) =>
  server.call<{ readonly data: readonly FoundRecord[] } & Problem>('GET', `/api/v1/search?q=${encodeURIComponent(q)}`, {
    ...(key === undefined ? {} : { key }),
  });
const find = async (q: string) => {
  const answer = await search(q);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data;
};
const names = async (q: string) => (await find(q)).map(({ name }) => name);

/** Creates a category with subcategory, and returns what offers need. */
async function categoryNamed(name: string) {
  const category = await server.createRecord('categories', { name });
  const subCategory = await server.createRecord('sub-categories', { name: `${name} sub`, categoryId: category.id });
  return { category, subCategory };
}

test('finds records of several kinds in one call, and tells them apart', async () => {
  const { category, subCategory } = await categoryNamed('Fjord');
  const offer = await server.createRecord('offers', { name: 'Fjord offer', categoryId: category.id });
  const channel = await server.createRecord('channels', { name: 'Fjord mail', channelType: 'email' });
  const schema = await server.createRecord('schemas', { name: 'trips', displayName: 'Fjord trips' });
  assert.deepEqual(await find('fJORD'), [
    { entityType: 'offer', id: offer.id, name: 'Fjord offer', detail: offer.status },
    { entityType: 'category', id: category.id, name: 'Fjord', detail: category.status },
    { entityType: 'subCategory', id: subCategory.id, name: 'Fjord sub', detail: 'Fjord' },
    { entityType: 'channel', id: channel.id, name: 'Fjord mail', detail: 'fjord-mail' },
    { entityType: 'dataSchema', id: schema.id, name: 'Fjord trips', detail: schema.name },
  ]);
  assert.deepEqual(await names('fjord-mai'), ['Fjord mail'], 'by key');
  assert.deepEqual(await names(String(schema.name)), ['Fjord trips'], 'by the name below the display name');
});

test('finds a record by its complete ID, in any case', async () => {
  const { category, subCategory } = await categoryNamed('By id');
  const expected = [{ entityType: 'category', id: category.id, name: 'By id', detail: category.status }];
  assert.deepEqual(await find(category.id), expected);
  assert.deepEqual(await find(`  ${category.id.toUpperCase()} `), expected);
  assert.deepEqual(await names(subCategory.id), ['By id sub']);
  assert.deepEqual(await find(category.id.slice(0, 35)), [], 'not by a part of it');
});

test('shows five of a kind: exact names first, then beginnings, then the others', async () => {
  for (const name of ['An oak', 'Oak 4', 'Oak 1', 'The oak', 'OAK', 'Oak 2', 'Oak 3'])
    await server.createRecord('categories', { name });
  const found = await names('oak');
  assert.equal(found.length, maxFoundPerKind);
  assert.deepEqual(found, ['OAK', 'Oak 1', 'Oak 2', 'Oak 3', 'Oak 4']);
});

test('treats wildcards as text', async () => {
  await server.createRecord('categories', { name: 'Half 50%_off \\ now' });
  await server.createRecord('categories', { name: 'Half 50 off' });
  assert.deepEqual(await names('50%_'), ['Half 50%_off \\ now']);
  assert.deepEqual(await names('off \\'), ['Half 50%_off \\ now']);
  assert.deepEqual(await find('%%'), []);
});

test('leaves out deleted records, and those of other tenants', async () => {
  const category = await server.createRecord('categories', { name: 'Short-lived' });
  const [, other] = server.tenants;
  assert.deepEqual(await names('short-lived'), ['Short-lived']);
  assert.deepEqual((await search('short-lived', other?.keys.admin)).body.data, []);
  assert.deepEqual((await search(category.id, other?.keys.admin)).body.data, []);
  assert.equal((await server.call('DELETE', `/api/v1/categories/${category.id}`)).status, 204);
  assert.deepEqual(await find('short-lived'), []);
  assert.deepEqual(await find(category.id), []);
});

test('rejects a text that is missing, too short, too long or blank', async () => {
  for (const q of ['', 'a', '   ', 'a'.repeat(256)]) {
    const { status, body } = await search(q);
    assert.deepEqual([status, body.errors?.[0]?.path], [400, 'query.q'], q);
  }
  assert.equal((await server.call('GET', '/api/v1/search')).status, 400);
  assert.equal((await search('a'.repeat(255))).status, 200);
});

test('finds placements with their channel, and the outcome types of a new tenant', async () => {
  const channel = await server.createRecord('channels', { name: 'Quay web', channelType: 'web' });
  const placement = await server.createRecord('placements', { name: 'Harbor banner', channelId: channel.id });
  const expected = { entityType: 'placement', id: placement.id, name: 'Harbor banner', detail: 'Quay web' };
  assert.deepEqual(await find('harbor'), [expected]);
  assert.ok((await find('click')).some(({ entityType }) => entityType === 'outcomeType'));
});

test('finds decision tests with their flow', async () => {
  const flow = await server.createRecord('decision-flows', { name: 'Homepage', key: 'homepage' });
  const given = { now: '2026-12-01T12:00:00Z' };
  const body = { name: 'Minors get no loan', decisionFlowId: flow.id, given, expect: { count: 0 } };
  const { id } = await server.createRecord('decision-tests', body);
  const expected = { entityType: 'decisionTest', id, name: 'Minors get no loan', detail: 'Homepage' };
  assert.deepEqual(await find('no loan'), [expected]);
  assert.deepEqual(await find(id), [expected]);
});

test('lists each kind once', () => assert.equal(new Set(searchedKinds).size, searchedKinds.length));
