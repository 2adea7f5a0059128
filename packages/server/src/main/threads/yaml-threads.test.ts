import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { PolicyPlan } from '@arbiter/contract';
import { AppError } from '../../platform/app-error.ts';
import { readYaml } from '../../platform/read-yaml.ts';
import { startTestServer, type TestServer } from '../test-server.ts';
import { createYamlThread, type YamlThread } from './yaml-threads.ts';

/** The thread that reads large policy files: what comes back, and what happens when it fails. */

const errors: unknown[] = [];
let thread: YamlThread;
let server: TestServer;
before(async () => {
  thread = createYamlThread((error) => errors.push(error));
  server = await startTestServer();
});
after(() => Promise.all([thread.close(), server?.close()]));

/** Returns this thread's computing time for the work in ms, without the rest of the machine. */
async function computing(work: () => Promise<unknown>): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

const rows = Array.from({ length: 5_000 }, (_, at) => `k${at}: { a: [1, -2.5, true, null], "b c": text ${at} }`);
const megabyte = `name: big\n${'# a comment\n'.repeat(90_000)}`;

test('a file from a thread, and its errors, equal those read here', async () => {
  for (const text of [
    rows.join('\n'),
    '__proto__: { a: 1 }',
    '',
    'a: *b',
    `a: 1\n${'\n'.repeat(1_000)}a: 2`,
    'a: {{{',
  ]) {
    assert.deepEqual(await thread.read(text), readYaml(text));
  }
});

test("a large file doesn't block the event loop", async () => {
  const here = await computing(async () => readYaml(megabyte));
  await thread.read('a: 1');
  const there = await computing(() => thread.read(megabyte));
  assert.ok(there < here / 4, `${there} ms of computing here, ${here} without the thread`);
});

test('a plan over HTTP reads its large files there', async () => {
  const plan = (files: readonly object[]) =>
    server.call<PolicyPlan>('POST', '/api/v1/gitops/diff', { body: { files }, key: server.tenants[0].keys.admin });
  const small = { path: 'offers/small.yaml', content: 'name: small\n' };
  await plan([small]);
  const here = await computing(async () => readYaml(megabyte));
  const large = { path: 'offers/big.yaml', content: megabyte };
  let text = '';
  const there = await computing(async () => {
    text = (await plan([small, large])).text;
  });
  assert.deepEqual(JSON.parse(text).summary.create, 2, text);
  assert.ok(there < here, `${there} ms of computing here, ${here} for the file alone`);
  const wrong = await plan([{ ...large, content: `${megabyte}color: red\n` }]);
  assert.equal(wrong.status, 400, wrong.text);
  assert.match(wrong.text, /offers\/big\.yaml#\/color/);
});

test('rejects a file that would need too much memory in advance, and reads the next one', async () => {
  const texts = [
    `a: [${'{},'.repeat(2_000_000)}1]`,
    `a:\n${'- - - - b\n'.repeat(300_000)}`,
    `a: ${'x'.repeat(5_000_000)}`,
  ];
  for (const text of texts) {
    const refused = await thread.read(text);
    assert.ok('problems' in refused && /^must have at most/.test(refused.problems[0]!.message), text.slice(0, 20));
  }
  assert.deepEqual(await thread.read('a: 1'), { value: { a: 1 } });
  assert.deepEqual(errors, []);
});

test('tells waiting callers when the threads end, and rejects work for a full queue', async () => {
  const own = createYamlThread((error) => errors.push(error));
  const outcomes = Promise.allSettled(Array.from({ length: 34 }, () => own.read('a: 1')));
  await own.close();
  const codes = (await outcomes).map((outcome) =>
    outcome.status === 'rejected' && outcome.reason instanceof AppError ? outcome.reason.code : outcome.status,
  );
  assert.deepEqual(codes, [...Array(33).fill('unavailable'), 'overloaded']);
  assert.deepEqual(errors, []);
});
