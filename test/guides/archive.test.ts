// Runs in one of 3 turns: what the guides call has tests of its own.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { run } from '../../packages/cli/src/run.ts';
import { startArchiveWorld } from '../../packages/server/src/features/operations/archive/test-archive.ts';
import { commandsOf, follow } from './guide.ts';

const text = await readFile(new URL('../../docs/guides/archive.md', import.meta.url), 'utf8');

test('archive: each call and command responds as the guide says', async () => {
  const world = await startArchiveWorld();
  const { server } = world;
  try {
    await world.decide('C-1');
    await world.publish();
    world.ahead();
    await world.run('history.archive');
    const printed: string[] = [];
    const url = await server.app.listen({ port: 0, host: '127.0.0.1' });
    const shell = {
      environment: { ARBITER_URL: url, ARBITER_API_KEY: server.tenants[0].keys.admin, XDG_CONFIG_HOME: '/nowhere' },
      print: (line: string) => printed.push(line),
      warn: (line: string) => assert.fail(line),
    };
    for (const words of commandsOf(text)) assert.equal(await run(words, shell), 0);
    assert.match(printed.join('\n'), /decisions +archived +1 /);
    const [file] = await world.archives('?kind=impressions');
    assert.ok(file);
    assert.equal(await run(['archive', 'verify', file.id], shell), 0);
    assert.match(String(printed.at(-1)), /^Verified 1 impressions of /);
    assert.equal(await run(['archive', 'restore', file.id], shell), 0);
    assert.match(String(printed.at(-2)), /^Restoring 1 impressions of /);
    assert.equal(await run(['archive', 'list', '--month', file.month, '--kind', 'impressions'], shell), 0);
    const restore = async () => {
      for (const { id, state } of await world.archives()) {
        if (state === 'restoring') await world.run('archive.restore', { archiveId: id });
      }
    };
    assert.equal(await follow(server, text, restore), 4);
  } finally {
    await world.close();
  }
});
