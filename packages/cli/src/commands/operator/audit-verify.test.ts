import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { run } from '../../run.ts';

// What the server answers is tested with the server; here it is played by one that says what this test needs.

interface Scripted {
  readonly status: number;
  readonly body: object;
}

async function verify(answers: readonly Scripted[], ...args: readonly string[]) {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    const answer = answers[requests.length - 1] ?? { status: 500, body: {} };
    response.writeHead(answer.status, { 'content-type': answer.status === 200 ? 'application/json' : problem });
    response.end(JSON.stringify(answer.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const out: string[] = [];
  const err: string[] = [];
  const code = await run(['audit', 'verify', ...args], {
    environment: { ARBITER_URL: url, ARBITER_API_KEY: 'krn_test', XDG_CONFIG_HOME: '/nowhere' },
    print: (line) => out.push(line),
    warn: (line) => err.push(line),
  });
  await new Promise((resolve) => server.close(resolve));
  return { code, out, err, requests };
}

const problem = 'application/problem+json';
const page = (fromSequence: number, verified: number, nextSequence: number | null): Scripted => ({
  status: 200,
  body: { intact: true, verified, total: 250, scanned: verified, fromSequence, nextSequence, checkpoint: null },
});
const later: Scripted = {
  status: 429,
  body: {
    type: 'urn:arbiter:error:rate_limited',
    code: 'rate_limited',
    status: 429,
    error: 'Slow.',
    errors: [],
    retryAfterSeconds: 0,
  },
};
const path = '/api/v1/audit-logs/verify';

test('--all follows nextSequence to the end, and waits as long as the server asks', async () => {
  const { code, out, requests } = await verify(
    [page(1, 100, 101), later, page(101, 100, 201), page(201, 50, null)],
    '--all',
  );
  assert.equal(code, 0);
  assert.deepEqual(out, ['Intact: verified 250 of 250 rows, from row 1']);
  assert.deepEqual(requests, [
    `${path}?fromSequence=1`,
    `${path}?fromSequence=101`,
    `${path}?fromSequence=101`,
    `${path}?fromSequence=201`,
  ]);
});

test('without --all, checks the newest rows to the end, even if the server stops early', async () => {
  const { code, out, requests: asked } = await verify([page(51, 120, 171), page(171, 80, null)]);
  assert.equal(code, 0);
  assert.deepEqual(out, [
    'Intact: verified 200 of 250 rows, from row 51',
    "Rows 1 to 50 weren't verified. Use --all to verify every row.",
  ]);
  assert.deepEqual(asked, [path, `${path}?fromSequence=171`]);
});

test('exits 4 at a break on any page, and stops there', async () => {
  const broken: Scripted = {
    status: 200,
    body: {
      ...{ intact: false, verified: 7, total: 250, scanned: 100, fromSequence: 101, nextSequence: null },
      ...{ checkpoint: null, brokenAtId: 'row-108', brokenReason: 'hash_mismatch' },
    },
  };
  const shown = await verify([page(1, 100, 101), broken], '--all');
  assert.equal(shown.code, 4);
  assert.deepEqual(shown.out, ['Broken at row row-108: hash_mismatch. The 107 rows before it are intact.']);
  const json = await verify([page(1, 100, 101), broken], '--all', '--json');
  assert.equal(json.code, 4);
  assert.deepEqual(JSON.parse(json.out[0] ?? ''), { ...broken.body, fromSequence: 1, verified: 107, scanned: 200 });
});

test('a refusal is exit code 1: at once when waiting does not help, else after it was asked to wait for long', async () => {
  const forbidden = {
    ...later.body,
    code: 'forbidden',
    type: 'urn:arbiter:error:forbidden',
    retryAfterSeconds: undefined,
  };
  const refused = await verify([{ status: 403, body: forbidden }], '--all');
  assert.deepEqual([refused.code, refused.requests.length], [1, 1]);
  const tired = await verify(Array.from({ length: 20 }, () => later));
  assert.deepEqual([tired.code, tired.requests.length], [1, 11]);
});
