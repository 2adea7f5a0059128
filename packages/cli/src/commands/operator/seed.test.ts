import assert from 'node:assert/strict';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { run } from '../../run.ts';

// The server's own tests cover its behavior. These run against a fake server that records its requests.

const list = {
  currentlyLoaded: 'coffee_rewards',
  datasets: [{ key: 'coffee_rewards', name: 'Coffee rewards', description: 'A loyalty programme.', loaded: true }],
};

async function seed(status: number, answer: object, ...args: readonly string[]) {
  const requests: string[] = [];
  let form: FormData | null = null;
  const server = createServer(async (request, response) => {
    requests.push(`${request.method} ${request.url}`);
    const isList = request.method === 'GET';
    const type = request.headers['content-type'];
    const body = Buffer.concat(await request.toArray());
    if (type?.startsWith('multipart/'))
      form = await new Response(body, { headers: { 'content-type': type } }).formData();
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
  return { code, out: out.join('\n'), err: err.join('\n'), requests, form: form as FormData | null };
}

const path = '/api/v1/seed-dataset';

test('seed list marks the loaded dataset', async () => {
  const { code, out, requests } = await seed(200, {}, 'list');
  assert.equal(code, 0);
  assert.deepEqual(requests, [`GET ${path}`]);
  assert.match(out, /coffee_rewards +loaded +Coffee rewards +A loyalty programme\./);
});

test('seed load and unload list what they created and removed', async () => {
  const done = { message: 'Done.', counts: { offers: 12, models: 0 }, datasetKey: 'coffee_rewards' };
  const loaded = await seed(201, done, 'load', 'coffee_rewards', '--force');
  assert.equal(loaded.code, 0, loaded.err);
  assert.deepEqual(loaded.requests, [`POST ${path}/coffee_rewards?force=true`]);
  assert.match(loaded.out, /^Done\.\nrecord +count\noffers +12$/);
  const removed = await seed(200, done, 'unload', 'coffee_rewards');
  assert.deepEqual([removed.code, removed.requests], [0, [`DELETE ${path}/coffee_rewards`]]);
});

test('rejects a second dataset by name and exits 1; a missing key is a wrong command line', async () => {
  const conflict = { status: 'conflict', currentlyLoaded: 'coffee_rewards', requestedLoad: 'telco_care', message: 'x' };
  const refused = await seed(409, conflict, 'load', 'telco_care');
  assert.equal(refused.code, 1);
  assert.match(refused.err, /coffee_rewards is already loaded or loading\. Pass --force to replace it/);
  assert.equal((await seed(201, {}, 'load')).code, 2);
  assert.equal((await seed(200, {}, 'unload', 'a', 'b')).code, 2);
});

test('seed upload sends the file with its name and schema, and names the lines with errors', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'arbiter-seed-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'members of May.csv');
  const text = 'member_id,first_name\nCM-1,Ülkü\n';
  await writeFile(file, text);
  const done = { message: 'Imported 1 row into coffee_members.', rowsInserted: 1 };
  const args = ['upload', 'coffee_rewards', file, '--schema', 'coffee_members'];
  const taken = await seed(200, done, ...args);
  assert.equal(taken.code, 0, taken.err);
  assert.deepEqual(taken.requests, [`POST ${path}/coffee_rewards/upload`]);
  assert.equal(taken.out, done.message);
  const sent = taken.form?.get('file');
  assert.ok(sent instanceof File);
  assert.deepEqual([sent.name, sent.type, await sent.text()], ['members of May.csv', 'text/csv', text]);
  assert.equal(taken.form?.get('schema'), 'coffee_members');
  assert.equal((await seed(200, done, ...args, '--json')).out, JSON.stringify(done));
  const problem = {
    type: 'urn:arbiter:error:csv_invalid',
    title: 'CSV refused',
    status: 400,
    code: 'csv_invalid',
    requestId: '0',
    error: "Line 2 can't be imported. Nothing was changed.",
    errors: [{ path: '/file', message: 'line 2: age must be integer' }],
  };
  const refused = await seed(400, problem, ...args);
  assert.equal(refused.code, 1);
  assert.match(refused.err, /Line 2 can't be imported/);
  assert.match(refused.err, /line 2: age must be integer/);
  const large = join(folder, 'large.csv');
  await writeFile(large, '');
  await truncate(large, 52_428_801);
  for (const [wrong, words] of [
    [['coffee_rewards', '--schema', 'coffee_members'], /expects a dataset key and a file/],
    [['coffee_rewards', file], /needs --schema/],
    [['coffee_rewards', join(folder, 'none.csv'), '--schema', 'coffee_members'], /none\.csv can.t be read/],
    [['coffee_rewards', folder, '--schema', 'coffee_members'], /isn't a file/],
    [
      ['coffee_rewards', large, '--schema', 'coffee_members'],
      /is too large: 52,428,801 bytes, and the limit is 52,428,800/,
    ],
  ] as const) {
    const { code, err, requests: asked } = await seed(200, done, 'upload', ...wrong);
    assert.deepEqual([code, asked], [2, []], err);
    assert.match(err, words);
  }
});
