import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestServer, type TestServer } from '../../../../main/test-server.ts';

let server: TestServer;
before(async () => {
  server = await startTestServer();
});
after(() => server?.close());

test('names that give the same key at the same moment get different keys', async () => {
  const made = (path: string, body: object) =>
    server.call<{ id: string; key: string }>('POST', `/api/v1/${path}`, { body });
  const { id: channelId } = (await made('channels', { name: 'Shop', channelType: 'web' })).body;
  for (const [path, body] of [
    ['channels', { channelType: 'web' }],
    ['placements', { channelId }],
    ['ranking-profiles', { weights: { margin: 1 } }],
  ] as const) {
    const names = ['', '!', '!!', '!!!', '!!!!', '!!!!!'].map((end) => `Front page${end}`);
    const answers = await Promise.all(names.map((name) => made(path, { name, ...body })));
    for (const { status, text } of answers) assert.equal(status, 201, `${path}: ${text}`);
    assert.deepEqual(
      answers.map((answer) => answer.body.key).sort(),
      ['front-page', 'front-page-2', 'front-page-3', 'front-page-4', 'front-page-5', 'front-page-6'],
      path,
    );
  }
});
