import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import type { RecommendAnswer } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../../main/test-server.ts';

/** Models that ask another server, over HTTP with a real one (docs/design/api-decisioning.md 15, external_endpoint). */

interface Asked {
  readonly headers: IncomingMessage['headers'];
  readonly body: {
    readonly requestId: string;
    readonly customerId: string | null;
    readonly decisionFlowId: string | null;
    readonly attributes: Readonly<Record<string, unknown>>;
    readonly candidates: readonly { readonly id: string; readonly name: string; readonly attributes: object }[];
  };
}
type Reply = (response: ServerResponse, asked: Asked) => void;

let server: TestServer;
let port = 0;
let number = 0;
const asked: Asked[] = [];
let reply: Reply;
const ids: Record<string, string> = {};
const secret = 'a secret of the endpoint';

const peer = createServer((request, response) => {
  let text = '';
  request.on('data', (part) => {
    text += part;
  });
  request.on('end', () => {
    const one: Asked = { headers: request.headers, body: JSON.parse(text) };
    asked.push(one);
    reply(response, one);
  });
});
const say = (body: unknown) => (response: ServerResponse) => void response.end(JSON.stringify(body));
const url = (path = '/') => `http://127.0.0.1:${port}${path}`;

before(async () => {
  await new Promise<void>((listening) => peer.listen(0, '127.0.0.1', listening));
  port = (peer.address() as AddressInfo).port;
  server = await startTestServer({ config: { OUTBOUND_ALLOW_CIDRS: ['127.0.0.0/8'], OUTBOUND_HTTP_OK: true } });
  await server.call('PUT', '/api/v1/tenant-settings', {
    body: { decisionTraceEnabled: true, decisionTraceSampleRate: 1 },
  });
  for (const [name, priority] of [
    ['A', 80],
    ['B', 60],
    ['C', 40],
  ] as const) {
    ids[name] = await server.create('offers', { name, status: 'active', priority });
  }
  ids.flow = await server.create('decision-flows', { key: 'asked', name: 'Asked' });
});
after(async () => {
  await server?.close();
  peer.closeAllConnections();
  peer.close();
});

const predictors = ['age', { name: 'priority', source: 'offer.priority' }];

/** A model of its own address, so that the breaker of one test doesn't open for another, and a flow that scores by it. */
async function useModel(config: object = {}): Promise<{ readonly id: string; readonly key: string }> {
  number += 1;
  const key = `endpoint-${number}`;
  const full = { url: url(`/${number}`), timeoutMs: 2000, ...config };
  const id = await server.create('algorithm-models', {
    key,
    name: key,
    modelType: 'external_endpoint',
    status: 'active',
    config: full,
    predictors,
  });
  const nodes = [
    { id: 'i', type: 'inventory', config: {} },
    { id: 's', type: 'score', config: { method: 'propensity', modelKey: key } },
  ];
  const draftConfig = { version: 2, nodes, flowConfig: {} };
  const changed = await server.call('PUT', '/api/v1/decision-flows', { body: { id: ids.flow, draftConfig } });
  assert.equal(changed.status, 200, changed.text);
  await server.publishFlow(ids.flow);
  return { id, key };
}

interface Recorded {
  readonly inputs: {
    readonly external: Readonly<Record<string, { readonly error?: string; readonly candidates?: unknown }>>;
  };
}

/** Decides and replays: the endpoint isn't asked again, and the bytes are the same. */
async function decide(body: object = {}) {
  number += 1;
  const before = asked.length;
  const call = { customerId: `C${number}`, decisionFlowKey: 'asked', attributes: { age: 41 }, ...body };
  const {
    status,
    body: answer,
    text,
  } = await server.call<RecommendAnswer>('POST', '/api/v1/recommend', { body: call });
  assert.equal(status, 200, text);
  const calls = asked.slice(before);
  const path = `/api/v1/decisions/${answer.recommendationId}`;
  const replay = await server.call('POST', `${path}/replay`, { body: {} });
  assert.deepEqual([replay.status, replay.body.identical, replay.body.differences], [200, true, []], replay.text);
  const { external } = (await server.call<Recorded>('GET', `${path}?include=inputs`)).body.inputs;
  assert.equal(asked.length, before + calls.length, 'a replay asks nobody');
  const items = answer.decisions.map(({ offerName, score, propensitySource }) => [offerName, score, propensitySource]);
  return { items, calls, external, degraded: answer.degradedScoring };
}

test('are called once, before the decision, and score with the response', async () => {
  const { key } = await useModel({ authSecret: secret });
  reply = say({ scores: { [ids.A!]: 0.1, [ids.B!.toUpperCase()]: 0.9, [ids.C!]: 0.5, [ids.flow!]: 1 } });
  const { items, calls, external, degraded } = await decide();
  assert.deepEqual(items, [
    ['B', 0.9, 'model'],
    ['C', 0.5, 'model'],
    ['A', 0.1, 'model'],
  ]);
  assert.equal(degraded, false);
  const [{ headers, body }] = calls as [Asked];
  assert.equal(calls.length, 1);
  assert.equal(headers.authorization, `Bearer ${secret}`);
  assert.equal(body.decisionFlowId, ids.flow);
  assert.deepEqual(body.attributes, { age: 41 });
  assert.deepEqual(
    body.candidates.map(({ id, name, attributes }) => [id, name, attributes]),
    [
      [ids.A, 'A', { priority: 80 }],
      [ids.B, 'B', { priority: 60 }],
      [ids.C, 'C', { priority: 40 }],
    ],
  );
  const entry = (offerId: string | undefined, score: number) => ({ offerId, score, drop: false });
  assert.deepEqual(external, {
    [`model:${key}`]: { candidates: [entry(ids.A, 0.1), entry(ids.B, 0.9), entry(ids.C, 0.5)] },
  });
});

test('reads a list of objects where the mapping says', async () => {
  await useModel({ responseMapping: { scoresPath: '$.data.rows', offerIdField: 'id', scoreField: 'p' } });
  reply = say({
    data: { rows: [{ id: ids.C, p: 0.8 }, { id: ids.A, p: 0.2 }, { id: ids.B, p: 0.3 }, 'x', { id: ids.C, p: 0 }] },
  });
  assert.deepEqual(
    (await decide()).items.map(([name, score]) => [name, score]),
    [
      ['C', 0.8],
      ['B', 0.3],
      ['A', 0.2],
    ],
  );
});

test('an offer without a valid score gets fallbackScore, else another propensity and a degraded decision', async () => {
  await useModel({ fallbackScore: 0.4 });
  reply = say({ scores: { [ids.A!]: 0.7, [ids.B!]: 1.5, [ids.C!]: '0.9' } });
  const withFallback = await decide();
  assert.deepEqual(withFallback.items, [
    ['A', 0.7, 'model'],
    ['B', 0.4, 'model'],
    ['C', 0.4, 'model'],
  ]);
  assert.equal(withFallback.degraded, false);
  await useModel();
  reply = say({ scores: { [ids.A!]: 0.7 } });
  const without = await decide();
  assert.equal(without.degraded, true);
  assert.deepEqual(
    without.items.filter(([, , source]) => source === 'model').map(([name]) => name),
    ['A'],
  );
});

const broken: readonly [name: string, error: string, reply: Reply, config?: object][] = [
  ['hangs', 'timeout', () => undefined, { timeoutMs: 100 }],
  [
    'sends byte by byte',
    'timeout',
    (response) => {
      const timer = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(timer));
    },
    { timeoutMs: 200 },
  ],
  ['resets', 'failed', (response) => void response.destroy()],
  [
    'redirects to metadata',
    'status_302',
    (response) => void response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
  ],
  ['answers 500', 'status_500', (response) => void response.writeHead(500).end('{"scores":{}}')],
  ['answers no JSON', 'invalid_answer', (response) => void response.end('<html>')],
  ['answers another shape', 'invalid_answer', say({ score: 1 })],
  ['answers too much', 'too_large', (response) => void response.end(`"${'x'.repeat(70_000)}"`)],
];
for (const [name, error, breaks, config = {}] of broken) {
  test(`an endpoint that ${name} doesn't stop the decision: it's recorded, and the fallback scores`, async () => {
    const { key } = await useModel({ fallbackScore: 0.25, ...config });
    reply = breaks;
    const { items, external, calls, degraded } = await decide();
    assert.deepEqual(
      items.map(([, score]) => score),
      [0.25, 0.25, 0.25],
    );
    assert.deepEqual([external, calls.length, degraded], [{ [`model:${key}`]: { error } }, 1, false]);
    const plain = await useModel(config);
    const second = await decide();
    assert.deepEqual([second.degraded, second.external], [true, { [`model:${plain.key}`]: { error } }]);
  });
}

test('five failures in a row pause the address', async () => {
  const { key } = await useModel({ fallbackScore: 0.25 });
  reply = (response) => void response.writeHead(503).end();
  for (let time = 0; time < 5; time += 1) assert.equal((await decide()).calls.length, 1);
  const paused = await decide();
  assert.deepEqual([paused.calls.length, paused.external], [0, { [`model:${key}`]: { error: 'breaker_open' } }]);
});

test('never calls a shadow model', async () => {
  const { key } = await useModel();
  const nodes = [
    { id: 'i', type: 'inventory', config: {} },
    { id: 's', type: 'score', config: { method: 'propensity', shadowModelKeys: [key] } },
  ];
  const draftConfig = { version: 2, nodes, flowConfig: {} };
  assert.equal(
    (await server.call('PUT', '/api/v1/decision-flows', { body: { id: ids.flow, draftConfig } })).status,
    200,
  );
  await server.publishFlow(ids.flow);
  const before = asked.length;
  const { status } = await server.call('POST', '/api/v1/recommend', {
    body: { customerId: 'S', decisionFlowKey: 'asked' },
  });
  assert.deepEqual([status, asked.length], [200, before]);
});

test('scores on request, alone and for several offers', async () => {
  const { id } = await useModel({ authSecret: secret });
  reply = say({ scores: { [ids.A!]: 0.1, [ids.B!]: 0.9 } });
  const one = await server.call('POST', `/api/v1/algorithm-models/${id}/score`, {
    body: { attributes: { age: 20 }, offerId: ids.B },
  });
  assert.deepEqual(
    [one.status, one.body.score, asked.at(-1)?.headers.authorization],
    [200, 0.9, `Bearer ${secret}`],
    one.text,
  );
  const body = { attributes: {}, offerIds: [ids.A, ids.B] };
  const several = await server.call<{ results: { score: number }[] }>(
    'POST',
    `/api/v1/algorithm-models/${id}/score-offer-set`,
    { body },
  );
  assert.deepEqual(
    several.body.results.map(({ score }) => score),
    [0.9, 0.1],
  );
  const bare = await server.call('POST', `/api/v1/algorithm-models/${id}/score`, { body: { attributes: {} } });
  assert.equal(bare.status, 400);
  const missing = await server.call('POST', `/api/v1/algorithm-models/${id}/score`, {
    body: { attributes: {}, offerId: ids.C },
  });
  assert.deepEqual([missing.status, missing.body.code], [400, 'model_unsupported']);
});

test('hides its secret, keeps it behind bullets, and never sends it to another address', async () => {
  const { id } = await useModel({ authSecret: secret });
  const path = `/api/v1/algorithm-models/${id}`;
  const shown = await server.call<{ config: Record<string, unknown> }>('GET', path);
  assert.match(String(shown.body.config.authSecret), /^•+$/);
  const put = (config: object) => server.call('PUT', '/api/v1/algorithm-models', { body: { id, config } });
  assert.equal((await put({ ...shown.body.config, timeoutMs: 1500 })).status, 200);
  reply = say({ scores: {} });
  await decide();
  assert.equal(asked.at(-1)?.headers.authorization, `Bearer ${secret}`);
  const moved = await put({ ...shown.body.config, url: `http://localhost:${port}/` });
  assert.deepEqual([moved.status, JSON.stringify(moved.body).includes('/config/authSecret')], [400, true], moved.text);
  for (const table of ['algorithm_models', 'record_versions', 'audit_logs', 'outbox', 'model_secrets']) {
    const rows = await server.testDatabase.ownerQuery(`select t::text as row from arbiter.${table} t`);
    assert.ok(!JSON.stringify(rows).includes(secret), table);
  }
  const {
    config: { authSecret: _, ...without },
  } = shown.body;
  assert.equal((await put(without)).status, 200);
  await decide();
  assert.equal(asked.at(-1)?.headers.authorization, undefined);
});

test('rejects addresses that calls must not reach, and configs that cannot act', async () => {
  const bad: [object, string][] = [
    [{}, '/config/url'],
    [{ url: 'http://169.254.169.254/latest' }, '/config/url'],
    [{ url: 'ftp://a.example' }, '/config/url'],
    [{ url: 'https://user:password@a.example' }, '/config/url'],
    [{ url: url(), timeoutMs: 49 }, '/config/timeoutMs'],
    [{ url: url(), timeoutMs: 5001 }, '/config/timeoutMs'],
    [{ url: url(), fallbackScore: 1.1 }, '/config/fallbackScore'],
    [{ url: url(), responseMapping: { scoresPath: 'scores' } }, '/config/responseMapping/scoresPath'],
    [{ url: url(), authSecret: 'line\nbreak' }, '/config/authSecret'],
    [{ url: url(), authSecret: '••••••••' }, '/config/authSecret'],
  ];
  for (const [config, path] of bad) {
    const body = { key: 'bad', name: 'Bad', modelType: 'external_endpoint', config };
    const { status, text } = await server.call('POST', '/api/v1/algorithm-models', { body });
    assert.equal(status, 400, JSON.stringify(config));
    assert.ok(text.includes(`"${path}"`), text);
  }
});
