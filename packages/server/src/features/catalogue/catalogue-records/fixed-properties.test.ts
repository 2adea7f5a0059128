import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';

let server: TestServer;
before(async () => {
  server = await startTestServer();
});
after(() => server?.close());

type Made = { readonly id: string } & Readonly<Record<string, unknown>>;

test('rejects another value for a fixed property, and accepts the same one', async () => {
  const [one, other] = await Promise.all(
    ['One', 'Other'].map(async (name) => {
      const channel = await server.createRecord('channels', { name, channelType: 'web' });
      const category = await server.createRecord('categories', { name });
      return { channelId: channel.id, categoryId: category.id };
    }),
  );
  const cases: [path: string, body: object, property: string, another: unknown][] = [
    ['placements', { channelId: one?.channelId }, 'channelId', other?.channelId],
    ['sub-categories', { categoryId: one?.categoryId }, 'categoryId', other?.categoryId],
    ['outcome-types', { key: 'paid', classification: 'positive' }, 'key', 'repaid'],
    ['ranking-profiles', { key: 'fair', weights: { fairness: 1 } }, 'key', 'unfair'],
    ['decision-flows', { key: 'main' }, 'key', 'side'],
  ];
  for (const [path, body, property, another] of cases) {
    const { id } = await server.createRecord(path, { name: 'It', ...body });
    const of = `/api/v1/${path}/${id}`;
    const before = (await server.call<Made>('GET', of)).body;
    for (const [method, where] of [
      ['PUT', of],
      ['PUT', `/api/v1/${path}`],
    ] as const) {
      for (const value of [another, null]) {
        const refused = await server.call<{ code: string; errors: { path: string }[] }>(method, where, {
          body: { id, [property]: value, name: 'Changed' },
        });
        assert.deepEqual([refused.status, refused.body.code], [400, 'validation_failed'], `${path}: ${refused.text}`);
        assert.equal(refused.body.errors[0]?.path, `/${property}`);
      }
    }
    assert.deepEqual((await server.call('GET', of)).body, before, `${path}: nothing changed`);
    const sentBack = await server.call<Made>('PUT', of, { body: before, headers: { prefer: 'handling=strict' } });
    assert.equal(sentBack.status, 200, `${path}: ${sentBack.text}`);
    assert.equal(sentBack.body[property], before[property]);
    const upper = property === 'key' ? before.key : String(before[property]).toUpperCase();
    const sameId = await server.call<Made>('PUT', of, { body: { [property]: upper } });
    assert.equal(sameId.status, 200, `${path}: ${sameId.text}`);
    assert.equal(sameId.body[property], before[property]);
  }
});
