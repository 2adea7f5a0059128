import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import type { RecommendAnswer } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../../main/test-server.ts';

/** What the webhook received. */
interface Asked {
  readonly headers: IncomingMessage['headers'];
  readonly body: {
    readonly hook: string;
    readonly requestId: string;
    readonly customerId: string;
    readonly candidates: readonly {
      readonly offerId: string;
      readonly score: number | null;
      readonly rank: number | null;
    }[];
  };
}
type Reply = (response: ServerResponse, asked: Asked) => void;

let server: TestServer;
let port = 0;
const asked: Asked[] = [];
let reply: Reply;
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
const metricsToken = 'a token of the webhook tests';
const ids = { a: '', b: '', c: '', flow: '' };
let offers: readonly string[] = [];
let number = 0;

const url = (path = '/hook') => `http://127.0.0.1:${port}${path}`;
const webhook = (hook: string, more: object = {}) => ({
  id: 'hook',
  type: 'extension_point',
  config: { hook, kind: 'webhook', url: url(`/${number}`), timeoutMs: 2000, ...more },
});
const inventory = { id: 'i', type: 'inventory', config: {} };
const score = { id: 's', type: 'score', config: { method: 'priority_weighted' } };
const rank = { id: 'r', type: 'rank', config: {} };

/** Publishes nodes as the flow, each time under an address of its own, so that no breaker remembers another test. */
async function publish(...nodes: readonly object[]): Promise<void> {
  const draftConfig = { version: 2, nodes, flowConfig: {} };
  const changed = await server.call('PUT', '/api/v1/decision-flows', { body: { id: ids.flow, draftConfig } });
  assert.equal(changed.status, 200, changed.text);
  await server.publishFlow(ids.flow);
}

interface DecisionRecord {
  readonly resultHash: string;
  readonly flows: readonly { readonly key: string; readonly version: number }[];
  readonly inputs: {
    readonly external: Readonly<Record<string, { readonly error?: string; readonly candidates?: unknown }>>;
  };
}

/** Decides and replays: no webhook is asked again, and the bytes are the same. */
async function decide(body: object = {}) {
  number += 1;
  const before = asked.length;
  const {
    status,
    body: answer,
    text,
  } = await server.call<RecommendAnswer>('POST', '/api/v1/recommend', {
    body: { customerId: `C${number}`, decisionFlowKey: 'hooked', ...body },
  });
  assert.equal(status, 200, text);
  const calls = asked.slice(before);
  const path = `/api/v1/decisions/${answer.recommendationId}`;
  const replay = await server.call('POST', `${path}/replay`, { body: {} });
  assert.deepEqual([replay.status, replay.body.identical, replay.body.differences], [200, true, []], replay.text);
  const record = await server.call<DecisionRecord>('GET', `${path}?include=inputs`);
  assert.equal(record.status, 200, record.text);
  assert.equal(asked.length, before + calls.length, 'replay asks nobody');
  return { names: answer.decisions.map(({ offerName }) => offerName), answer, calls, record: record.body };
}

before(async () => {
  await new Promise<void>((listening) => peer.listen(0, '127.0.0.1', listening));
  port = (peer.address() as AddressInfo).port;
  server = await startTestServer({
    config: { OUTBOUND_ALLOW_CIDRS: ['127.0.0.0/8'], OUTBOUND_HTTP_OK: true, METRICS_TOKEN: metricsToken },
  });
  ids.a = await server.create('offers', { name: 'A', status: 'active', priority: 80 });
  ids.b = await server.create('offers', { name: 'B', status: 'active', priority: 60 });
  ids.c = await server.create('offers', { name: 'C', status: 'active', priority: 40 });
  offers = [ids.a, ids.b, ids.c];
  ids.flow = await server.create('decision-flows', { key: 'hooked', name: 'Hooked' });
});
after(async () => {
  await server?.close();
  peer.closeAllConnections();
  peer.close();
});

test('pre_score receives the candidates without scores, and drops those it names', async () => {
  await publish(inventory, webhook('pre_score'), score);
  reply = say({
    candidates: [
      { offerId: ids.b, drop: true },
      { offerId: ids.c, score: 9 },
      { offerId: ids.flow, drop: true },
    ],
  });
  const { names, calls, record } = await decide();
  assert.deepEqual(names, ['A', 'C']);
  const [{ headers, body }] = calls as [Asked];
  assert.equal(calls.length, 1);
  assert.deepEqual(
    [body.hook, body.customerId, body.candidates],
    ['pre_score', `C${number}`, offers.map((offerId) => ({ offerId, score: null, rank: null }))],
  );
  assert.equal(headers['webhook-id'], `${body.requestId}hook`);
  assert.equal(headers['content-type'], 'application/json');
  const entry = { offerId: ids.b, score: null, drop: true };
  assert.deepEqual(record.inputs.external, {
    hook: { candidates: [entry, { offerId: ids.c, score: 9, drop: false }] },
  });
});

test('score_override sets scores; other offers keep theirs', async () => {
  await publish(inventory, score, webhook('score_override'), rank);
  reply = say({ candidates: [{ offerId: ids.c.toUpperCase(), score: 0.7 }] });
  const { answer, calls } = await decide();
  assert.deepEqual(
    answer.decisions.map(({ offerName, score: own }) => [offerName, own]),
    [
      ['A', 0.8],
      ['C', 0.7],
      ['B', 0.6],
    ],
  );
  assert.deepEqual(
    calls[0]?.body.candidates,
    offers
      .map((offerId, at) => ({ offerId, score: 0.8 - at * 0.2, rank: at + 1 }))
      .map(({ score: own, ...rest }) => ({ ...rest, score: Number(own.toFixed(1)) })),
  );
});

test('post_rank orders the items of the response, whose probability is then an estimate', async () => {
  await publish(inventory, score, rank, webhook('post_rank'));
  reply = say({
    candidates: [
      { offerId: ids.a, drop: true },
      { offerId: ids.b, score: 1 },
      { offerId: ids.c, score: 2 },
    ],
  });
  const { names, answer } = await decide({ limit: 3 });
  assert.deepEqual(names, ['C', 'B']);
  assert.deepEqual(
    answer.decisions.map(({ selection }) => selection?.estimated),
    [true, true],
  );
});

test('calls several in order, each with what the earlier ones left', async () => {
  const second = { ...webhook('score_override'), id: 'second' };
  await publish(inventory, webhook('pre_score'), score, second, rank);
  reply = (response, { body }) =>
    say({
      candidates: body.hook === 'pre_score' ? [{ offerId: ids.a, drop: true }] : [{ offerId: ids.c, score: 5 }],
    })(response);
  const { names, calls } = await decide();
  assert.deepEqual(names, ['C', 'B']);
  assert.deepEqual(
    calls.map(({ body }) => [body.hook, body.candidates.length]),
    [
      ['pre_score', 3],
      ['score_override', 2],
    ],
  );
});

test("doesn't call a node that a conditional skips", async () => {
  const jump = {
    id: 'c',
    type: 'conditional',
    config: {
      conditions: [{ field: 'attributes.vip', operator: 'eq', value: true }],
      onTrue: { action: 'skip_to', nodeId: 's' },
    },
  };
  await publish(inventory, jump, webhook('pre_score'), score);
  reply = say({ candidates: offers.map((offerId) => ({ offerId, drop: true })) });
  const vip = await decide({ attributes: { vip: true } });
  assert.deepEqual([vip.names, vip.calls.length], [['A', 'B', 'C'], 0]);
  const other = await decide({ attributes: { vip: false } });
  assert.deepEqual([other.names, other.calls.length], [[], 1]);
});

const broken: readonly [name: string, error: string, reply: Reply, more?: object][] = [
  ['another status', 'status_500', (response) => void response.writeHead(500).end('{"candidates":[]}')],
  ['a redirect', 'status_302', (response) => void response.writeHead(302, { location: url('/elsewhere') }).end()],
  ['no JSON', 'invalid_answer', (response) => void response.end('<html>')],
  ['another shape', 'invalid_answer', say([])],
  ['an entry without an offer', 'invalid_answer', say({ candidates: [{ score: 1 }] })],
  ['a score as text', 'invalid_answer', (response) => say({ candidates: [{ offerId: ids.a, score: '1' }] })(response)],
  [
    'a negative score',
    'invalid_answer',
    (response) =>
      say({
        candidates: [
          { offerId: ids.c, drop: true },
          { offerId: ids.a, score: -0.001 },
        ],
      })(response),
  ],
  [
    'a score that is not finite',
    'invalid_answer',
    (response) => void response.end(`{"candidates":[{"offerId":"${ids.a}","score":1e999}]}`),
  ],
  [
    'too much',
    'too_large',
    (response) => void response.end(JSON.stringify({ candidates: [], more: 'x'.repeat(65_536) })),
  ],
  ['a broken connection', 'failed', (response) => void response.destroy()],
  ['silence', 'timeout', () => undefined, { timeoutMs: 50 }],
];

test('an invalid response is handled by onError, and the record says why', async () => {
  for (const [name, error, wrong, more = {}] of broken) {
    reply = wrong;
    await publish(inventory, webhook('pre_score', more), score);
    const closed = await decide();
    assert.deepEqual([closed.names, closed.record.inputs.external], [[], { hook: { error } }], name);
    await publish(inventory, webhook('pre_score', { ...more, onError: 'continue' }), score);
    const open = await decide();
    assert.deepEqual(open.names, ['A', 'B', 'C'], name);
    assert.equal(open.calls.length, 1, `${name}: asked once, and nowhere else`);
  }
});

test('reads 64 KB and not a byte more', async () => {
  for (const [bytes, error] of [
    [65_536, undefined],
    [65_537, 'too_large'],
  ] as const) {
    await publish(inventory, webhook('pre_score', { onError: 'continue' }), score);
    const body = JSON.stringify({ candidates: [], more: '' });
    reply = (response) => void response.end(body.replace('""', `"${'x'.repeat(bytes - body.length)}"`));
    assert.equal((await decide()).record.inputs.external.hook?.error, error, `${bytes}`);
  }
});

/** Returns the value of one line of /metrics, or 0. */
async function metric(line: string): Promise<number> {
  const { status, text } = await server.call('GET', '/api/v1/metrics', {
    key: null,
    headers: { authorization: `Bearer ${metricsToken}` },
  });
  assert.equal(status, 200, text);
  const found = text.split('\n').find((each) => each.startsWith(`${line} `));
  return found === undefined ? 0 : Number(found.slice(line.length + 1));
}

test('metrics show calls, results, durations and breakers', async () => {
  const lines = [
    'svc_webhook_requests_total{hook="score_override",result="ok"}',
    'svc_webhook_requests_total{hook="score_override",result="status"}',
    'svc_webhook_requests_total{hook="score_override",result="invalid_answer"}',
    'svc_webhook_requests_total{hook="score_override",result="breaker_open"}',
    'svc_webhook_seconds_count{hook="score_override"}',
    'svc_breaker_transitions_total{name="webhook",to="open"}',
  ];
  const read = () => Promise.all(lines.map(metric));
  await publish(inventory, score, webhook('score_override'), rank);
  const before = await read();
  reply = say({ candidates: [] });
  await decide();
  reply = (response) => void response.end('no JSON');
  await decide();
  reply = (response) => void response.writeHead(302, { location: url('/elsewhere') }).end();
  for (let at = 0; at < 5; at++) await decide();
  const after = await read();
  assert.deepEqual(
    after.map((value, at) => value - before[at]!),
    // The first of the redirects is the second failure in a row, so the fifth decision is no longer asked.
    [1, 4, 1, 1, 6, 1],
  );
});

test('stops calling after five failures in a row, but still calls another address', async () => {
  await publish(inventory, score, webhook('score_override'), rank);
  reply = (response) => void response.writeHead(503).end();
  for (let at = 0; at < 5; at++) assert.equal((await decide()).calls.length, 1);
  const sixth = await decide();
  assert.deepEqual([sixth.names, sixth.calls.length], [['A', 'B', 'C'], 0]);
  assert.deepEqual(sixth.record.inputs.external, { hook: { error: 'breaker_open' } });
  await publish(inventory, score, webhook('score_override'), rank);
  assert.equal((await decide()).calls.length, 1);
});

test("doesn't call a blocked address, or one whose hidden values are missing", async () => {
  const closed = await startTestServer();
  try {
    const refused = await closed.call<{ errors: { path: string; code: string }[] }>('POST', '/api/v1/decision-flows', {
      body: {
        key: 'inside',
        name: 'Inside',
        draftConfig: { version: 2, nodes: [inventory, webhook('pre_score'), score], flowConfig: {} },
      },
    });
    assert.equal(refused.status, 400);
    assert.deepEqual(
      refused.body.errors.map(({ path, code }) => [path, code]),
      [['/draftConfig/nodes/1/config/url', 'invalid_config']],
    );
  } finally {
    await closed.close();
  }
  // The name is judged when it is called: `localhost` was no mistake when the flow was published.
  await publish(inventory, webhook('pre_score', { url: `https://localhost.:${port}/` }), score);
  const { record, calls } = await decide();
  assert.equal(calls.length, 0);
  assert.ok(
    ['failed', 'unresolved'].includes(record.inputs.external.hook?.error ?? ''),
    JSON.stringify(record.inputs.external),
  );
  await publish(inventory, webhook('pre_score', { headers: { 'X-Token': 'hush' } }), score);
  await server.testDatabase.ownerQuery('delete from arbiter.flow_secrets where flow_id = $1 and version > 0', [
    ids.flow,
  ]);
  const without = await decide();
  assert.deepEqual([without.calls.length, without.record.inputs.external], [0, { hook: { error: 'not_configured' } }]);
});

test("sends hidden headers and the URL's user, and stores them in no record", async () => {
  reply = say({ candidates: [] });
  const address = `http://me:p%40ss@127.0.0.1:${port}/${number}`;
  await publish(inventory, webhook('pre_score', { url: address, headers: { 'X-Token': 'hush-hush' } }), score);
  const { calls, answer } = await decide({ debug: true });
  assert.equal(calls[0]?.headers['x-token'], 'hush-hush');
  assert.equal(calls[0]?.headers.authorization, `Basic ${Buffer.from('me:p@ss').toString('base64')}`);
  const flow = await server.call('GET', `/api/v1/decision-flows/${ids.flow}`);
  for (const text of [JSON.stringify(answer), flow.text]) assert.doesNotMatch(text, /hush-hush|p%40ss|p@ss/);
});

test('a dry run also calls, once, and stores nothing', async () => {
  await publish(inventory, webhook('pre_score'), score);
  reply = say({ candidates: [{ offerId: ids.a, drop: true }] });
  const before = asked.length;
  const { status, body, text } = await server.call<RecommendAnswer>('POST', '/api/v1/recommend', {
    body: { customerId: 'dry', decisionFlowKey: 'hooked', dryRun: true },
  });
  assert.equal(status, 200, text);
  assert.deepEqual(
    body.decisions.map(({ offerName }) => offerName),
    ['B', 'C'],
  );
  assert.equal(asked.length, before + 1);
});

test('calls once for a repeated request ID, with the same response', async () => {
  await publish(inventory, webhook('pre_score'), score);
  reply = say({ candidates: [{ offerId: ids.b, drop: true }] });
  const before = asked.length;
  const body = { customerId: 'twice', decisionFlowKey: 'hooked', requestId: '0199a0a0-0000-7000-8000-00000000abcd' };
  const first = await server.call('POST', '/api/v1/recommend', { body });
  const second = await server.call('POST', '/api/v1/recommend', { body });
  assert.deepEqual([first.status, second.status, second.text], [200, 200, first.text]);
  assert.equal(asked.length, before + 1);
});

test('a slow webhook delays no other customer, and the catalogue may change in the meantime', async () => {
  await publish(inventory, webhook('pre_score'), score);
  const plain = await server.create('decision-flows', {
    key: 'plain',
    name: 'Plain',
    draftConfig: { version: 2, nodes: [inventory, score], flowConfig: {} },
  });
  await server.publishFlow(plain);
  const held = Promise.withResolvers<ServerResponse>();
  reply = (response) => held.resolve(response);
  const slow = server.call<RecommendAnswer>('POST', '/api/v1/recommend', {
    body: { customerId: 'slow', decisionFlowKey: 'hooked' },
  });
  const response = await held.promise;
  // The same customer, through a flow without webhooks: no lock is held while the other flow's webhook is slow.
  const other = await server.call<RecommendAnswer>('POST', '/api/v1/recommend', {
    body: { customerId: 'slow', decisionFlowKey: 'plain' },
  });
  assert.deepEqual(
    other.body.decisions.map(({ offerName }) => offerName),
    ['A', 'B', 'C'],
  );
  // The plan has changed, so the webhook is asked again for the new one.
  const changed = await server.call('PUT', '/api/v1/offers', { body: { id: ids.c, priority: 41 } });
  assert.equal(changed.status, 200, changed.text);
  reply = say({ candidates: [{ offerId: ids.a, drop: true }] });
  say({ candidates: [{ offerId: ids.b, drop: true }] })(response);
  const { status, body, text } = await slow;
  assert.equal(status, 200, text);
  assert.deepEqual(
    body.decisions.map(({ offerName }) => offerName),
    ['B', 'C'],
  );
});
