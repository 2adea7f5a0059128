import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { run } from '../run.ts';

// What the server does is tested with the server; here it is played by one that notes what it is asked.

const list = {
  currentlyLoaded: 'coffee_rewards',
  datasets: [{ key: 'coffee_rewards', name: 'Coffee rewards', description: 'A loyalty programme.', loaded: true }],
};

async function seed(status: number, answer: object, ...args: readonly string[]) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    const isList = request.method === 'GET';
    response.writeHead(isList ? 200 : status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isList ? list : answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const out: string[] = [];
  const err: string[] = [];
  const code = await run(['seed', ...args], {
    environment: { ARBITER_URL: url, ARBITER_API_KEY: 'krn_test', XDG_CONFIG_HOME: '/nowhere' },
    print: (line) => out.push(line),
    warn: (line) => err.push(line),
  });
  await new Promise((resolve) => server.close(resolve));
  return { code, out: out.join('\n'), err: err.join('\n'), asked };
}

const path = '/api/v1/seed-dataset';

test('seed list marks the one that is loaded', async () => {
  const { code, out, asked } = await seed(200, {}, 'list');
  assert.equal(code, 0);
  assert.deepEqual(asked, [`GET ${path}`]);
  assert.match(out, /coffee_rewards +loaded +Coffee rewards +A loyalty programme\./);
});

test('seed load and unload say what they made and removed', async () => {
  const done = { message: 'Done.', counts: { offers: 12, models: 0 }, datasetKey: 'coffee_rewards' };
  const loaded = await seed(201, done, 'load', 'coffee_rewards', '--force');
  assert.equal(loaded.code, 0, loaded.err);
  assert.deepEqual(loaded.asked, [`POST ${path}/coffee_rewards?force=true`]);
  assert.match(loaded.out, /^Done\.\nwhat +count\noffers +12$/);
  const removed = await seed(200, done, 'unload', 'coffee_rewards');
  assert.deepEqual([removed.code, removed.asked], [0, [`DELETE ${path}/coffee_rewards`]]);
});

test('a dataset beside another is refused by name, exit code 1; no key is a wrong command line', async () => {
  const conflict = { status: 'conflict', currentlyLoaded: 'coffee_rewards', requestedLoad: 'telco_care', message: 'x' };
  const refused = await seed(409, conflict, 'load', 'telco_care');
  assert.equal(refused.code, 1);
  assert.match(refused.err, /coffee_rewards is loaded or being loaded; --force replaces it/);
  assert.equal((await seed(201, {}, 'load')).code, 2);
  assert.equal((await seed(200, {}, 'unload', 'a', 'b')).code, 2);
});
