import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { operations } from '@arbiter/contract';
import { ApiError, createCaller, type Wire } from './caller.ts';

test('a caller calls an operation of the contract, or its wire form', async () => {
  const urls: string[] = [];
  const caller = createCaller({
    baseUrl: 'https://arbiter.example/',
    apiKey: 'krn_key',
    fetch: async (url, init) => {
      urls.push(`${init?.method} ${url} ${new Headers(init?.headers).get('x-requested-with')}`);
      return Response.json({ id: 'o1' });
    },
  });
  const get: Wire<'offers.get'> = { id: 'offers.get', method: 'GET', path: '/api/v1/offers/{id}', auth: 'credential' };
  assert.equal((await caller.call(get, { params: { id: 'o1' } })).id, 'o1');
  const { status, body } = await caller.send(operations['offers.updateById'], { params: { id: 'o1' }, body: {} });
  assert.equal(status, 200);
  assert.equal(body.id, 'o1');
  assert.deepEqual(urls, [
    'GET https://arbiter.example/api/v1/offers/o1 null',
    'PUT https://arbiter.example/api/v1/offers/o1 arbiter-sdk',
  ]);
  // @ts-expect-error The contract says another path.
  const wrong: Wire<'offers.get'> = { ...get, path: '/api/v1/offer/{id}' };
  assert.ok(wrong);
});

test('a caller throws an ApiError that names the operation', async () => {
  const caller = createCaller({ baseUrl: 'http://localhost', fetch: async () => new Response('', { status: 502 }) });
  await assert.rejects(
    caller.call(operations['offers.list']),
    (error) => error instanceof ApiError && error.operationId === 'offers.list' && error.status === 502,
  );
});

test("the caller's entry point loads neither the operations nor the schema library", () => {
  const loadedBy = (specifier: string): string[] => {
    const script = `
      import { registerHooks } from 'node:module';
      const loaded = [];
      registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
      await import(${JSON.stringify(specifier)});
      console.log(JSON.stringify(loaded));`;
    const args = ['--input-type=module', '-e', script];
    const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: import.meta.dirname, encoding: 'utf8' });
    assert.notEqual(stdout, '', stderr);
    return JSON.parse(stdout);
  };
  const isHeavy = (url: string) => /contract\/src\/(operations|index|offers)\.ts$|\/typebox\//.test(url);
  const files = loadedBy('@arbiter/sdk/caller');
  assert.deepEqual(files.filter(isHeavy), []);
  assert.ok(files.length <= 6, files.join('\n'));
  // Loading the whole client does load them, so the check can fail.
  assert.ok(loadedBy('@arbiter/sdk').some(isHeavy));
});
