import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { run } from '../../run.ts';

// What the server does is tested with the server; here a fake server records its requests.

async function dlq(answer: object, ...args: readonly string[]) {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => {
      requests.push(`${request.method} ${request.url} ${body}`.trim());
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const out: string[] = [];
  const err: string[] = [];
  const code = await run(['dlq', ...args], {
    environment: { ARBITER_URL: url, ARBITER_API_KEY: 'krn_test', XDG_CONFIG_HOME: '/nowhere' },
    print: (line) => out.push(line),
    warn: (line) => err.push(line),
  });
  await new Promise((resolve) => server.close(resolve));
  return { code, out, err, requests };
}

const path = '/api/v1/admin/dlq';
const id = '01a2029b-ab27-746e-9a7a-e14694d7b707';

test('dlq list shows the counts and the newest', async () => {
  const event = {
    id,
    topic: 'mail.send',
    payload: {},
    error: 'refused',
    retryCount: 5,
    failedAt: '2026-01-02T03:04:05.000Z',
  };
  const report = { totalEvents: 11, byTopic: { 'mail.send': 11 }, events: [event], alert: 'WARNING' };
  const { code, out, requests } = await dlq(report, 'list', '--topic', 'mail.send', '--limit', '1');
  assert.equal(code, 0);
  assert.deepEqual(requests, [`GET ${path}?topic=mail.send&limit=1`]);
  assert.equal(out[0], 'WARNING: 11 dead letters (mail.send 11)');
  assert.equal(out.length, 3);
  assert.match(out[2] ?? '', /^01a2029b-ab27-746e-9a7a-e14694d7b707 {2}mail\.send {2}5 .* refused$/);
});

test('dlq retry and purge accept IDs, a job or --all', async () => {
  const retried = await dlq({ action: 'retry', requeued: 1 }, 'retry', id);
  assert.deepEqual(retried.requests, [`POST ${path} {"action":"retry","eventIds":["${id}"]}`]);
  assert.deepEqual(retried.out, ['Requeued 1']);
  const purged = await dlq({ action: 'purge', deleted: 3 }, 'purge', '--topic', 'mail.send');
  assert.deepEqual(purged.requests, [`POST ${path} {"action":"purge","topic":"mail.send"}`]);
  assert.deepEqual(purged.out, ['Deleted 3']);
  const all = await dlq({ action: 'purge', deleted: 0 }, 'purge', '--all');
  assert.deepEqual(all.requests, [`POST ${path} {"action":"purge"}`]);
});

test('dlq purge without a choice, or with two, sends no request', async () => {
  for (const args of [['purge'], ['purge', '--all', id], ['retry'], ['retry', '--all', '--topic', 'mail.send']]) {
    const { code, requests: asked } = await dlq({}, ...args);
    assert.equal(code, 2, args.join(' '));
    assert.deepEqual(asked, []);
  }
});
