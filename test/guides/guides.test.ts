import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { startTestServer } from '../../packages/server/src/main/test-server.ts';
import { callsOf, follow } from './guide.ts';

for (const name of ['modelling-a-bank', 'modelling-a-telco']) {
  test(`${name}: each call answers as the guide says`, async () => {
    const text = await readFile(new URL(`../../docs/guides/${name}.md`, import.meta.url), 'utf8');
    const server = await startTestServer();
    try {
      assert.ok((await follow(server, text)) > 15);
    } finally {
      await server.close();
    }
  });
}

test('a block that cannot be read fails the test, not only the reader', () => {
  const block = (last: string) => `\`\`\`http\nGET /offers\n${last}\n\`\`\``;
  assert.deepEqual(callsOf(block('# 200, $one = data.0.id, data.0.rank is 1'))[0]?.kept, { one: 'data.0.id' });
  for (const last of ['', '# ok', '# 200, what']) assert.throws(() => callsOf(block(last)), last);
});
