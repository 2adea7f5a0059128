import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { run } from '../run.ts';

// The server's own tests cover its behavior. These run against a fake server that records its requests.

async function experiments(answers: Readonly<Record<string, object>>, ...args: readonly string[]) {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answers[request.url?.split('?')[0] ?? ''] ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const out: string[] = [];
  const err: string[] = [];
  const code = await run(['experiments', ...args], {
    environment: { ARBITER_URL: url, ARBITER_API_KEY: 'krn_test', XDG_CONFIG_HOME: '/nowhere' },
    print: (line) => out.push(line),
    warn: (line) => err.push(line),
  });
  await new Promise((resolve) => server.close(resolve));
  return { code, out, err, requests };
}

const path = '/api/v1/experiments';
const id = '01a2029b-ab27-746e-9a7a-e14694d7b707';
const listed = {
  data: [
    { id, key: 'x', name: 'Trees', status: 'active', startedAt: '2026-11-01T00:00:00.000Z', autoPromoteVerdict: null },
  ],
  pagination: { nextCursor: null },
};
const champion = {
  ...{ variant: '__champion__', modelId: id, share: 50, exposed: 1000, converted: 120, rate: 0.12, ciLower: 0.101299 },
  ...{ ciUpper: 0.141609, absoluteUplift: null, relativeUplift: null, zScore: null, pValue: null, significant: null },
};
const challenger = {
  ...champion,
  ...{ variant: 'two', converted: 150, rate: 0.15, ciLower: 0.12921, ciUpper: 0.173469, absoluteUplift: 0.03 },
  ...{ relativeUplift: 0.25, zScore: 1.96305, pValue: 0.04964, significant: true },
};
const results = {
  ...{ experimentId: id, experimentKey: 'x', status: 'active', metric: 'positive', variants: [champion, challenger] },
  ...{ srm: { chiSquare: 0, pValue: 1, mismatch: false }, autoPromoteVerdict: null },
};

test('experiments list shows them by key', async () => {
  const { code, out, requests } = await experiments({ [path]: listed }, 'list', '--status', 'active');
  assert.equal(code, 0);
  assert.deepEqual(requests, [`GET ${path}?limit=200&status=active`]);
  assert.match(out[1] ?? '', /^x {2,}active {2,}2026-11-01T00:00:00.000Z {2,}- {2,}Trees$/);
  assert.deepEqual((await experiments({ [path]: { ...listed, data: [] } }, 'list')).out, ['No experiments.']);
});

test('experiments results finds one by its key, and compares its variants', async () => {
  const answers = { [path]: listed, [`${path}/${id}/results`]: results };
  const { code, out, requests } = await experiments(answers, 'results', 'x');
  assert.deepEqual([code, requests.at(-1)], [0, `GET ${path}/${id}/results`]);
  assert.equal(out[0], 'x is active. Conversions: positive.');
  assert.match(out[2] ?? '', /^__champion__ +1000 +120 +12.00% +10.13% to 14.16% +- +- +-$/);
  assert.match(out[3] ?? '', /^two +1000 +150 +15.00% +12.92% to 17.35% +3.00% +0.0496 +yes$/);
  assert.equal(out.length, 4);
});

test('experiments results warns of a mismatch and shows the verdict', async () => {
  const judged = {
    ...results,
    srm: { chiSquare: 30, pValue: 0.0000001, mismatch: true },
    autoPromoteVerdict: 'sample_ratio_mismatch',
  };
  const { out } = await experiments({ [path]: listed, [`${path}/${id}/results`]: judged }, 'results', id);
  assert.match(out.at(-2) ?? '', /^The group sizes don't match the configured shares \(p 1\.00e-7\)/);
  assert.equal(out.at(-1), 'Verdict: sample_ratio_mismatch');
  const misused = await experiments({}, 'results');
  assert.deepEqual([misused.code, misused.requests], [2, []]);
});
