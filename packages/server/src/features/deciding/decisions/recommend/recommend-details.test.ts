import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { RecommendAnswer } from '@arbiter/contract';
import { decide } from '@arbiter/engine';
import { startTestServer, type TestServer } from '../../../../main/test-server.ts';
import { deriveKey, keyOf } from '../../../../platform/crypto/crypto.ts';
import { answerOfTrial } from './trials.ts';

/** Recommend field by field (docs/design/api-decisioning.md 2, 10, 11): what each input does, and its limits. */

let server: TestServer;
let now = Date.parse('2026-11-20T09:00:00Z');
const clock = { now: () => now };
const ids: Record<string, string> = {};
const many: string[] = [];

type Answer = RecommendAnswer & { readonly code: string; readonly errors: readonly { readonly path: string }[] };
const recommend = (body: object, headers: Record<string, string> = {}) =>
  server.call<Answer>('POST', '/api/v1/recommend', { body: { customerId: 'C1', ...body }, headers });
const namesIn = ({ decisions }: Pick<RecommendAnswer, 'decisions'>) => decisions.map(({ offerName }) => offerName);
const drops = (answer: RecommendAnswer) => answer.trace.summary.droppedByReason;

before(async () => {
  server = await startTestServer({ clock });
  ids.web = await server.create('channels', { name: 'Web', channelType: 'web' });
  ids.mail = await server.create('channels', { name: 'Mail', channelType: 'email' });
  ids.hero = await server.create('placements', { name: 'Hero', channelId: ids.web, maxSlots: 2 });
  ids.side = await server.create('placements', { name: 'Side', channelId: ids.web, maxSlots: 1 });
  for (let at = 0; at < 18; at++) {
    many.push(await server.create('placements', { name: `P${at}`, channelId: ids.web, maxSlots: 50 }));
  }
  for (const [at, name] of ['A', 'B', 'C', 'D'].entries()) {
    const offer = await server.create('offers', { name, status: 'active', priority: 90 - at * 10 });
    ids[name] = offer;
    ids[`of ${name}`] = await server.create('creatives', {
      name: `of ${name}`,
      offerId: offer,
      channelId: ids.web,
      status: 'active',
    });
  }
  await server.create('qualification-rules', {
    name: 'VIP only',
    ruleType: 'segment_required',
    scope: 'offer',
    scopeId: ids.D,
    stage: 'eligibility',
    config: { requiredSegments: ['VIP'] },
  });
  const flow = (key: string, more: readonly object[]) => ({
    key,
    name: key,
    draftConfig: {
      version: 2,
      nodes: [
        { id: 'inventory', type: 'inventory', config: {} },
        { id: 'creatives', type: 'match_creatives', config: {} },
        { id: 'qualify', type: 'qualify', config: {} },
        { id: 'score', type: 'score', config: { method: 'priority_weighted' } },
        { id: 'rank', type: 'rank', config: { method: 'topN' } },
        ...more,
        { id: 'response', type: 'response', config: {} },
      ],
      flowConfig: {},
    },
  });
  const formula = 'concat(request.locale, "|", request.currency, "|", request.context.page, "|", attributes.color)';
  const compute = {
    id: 'compute',
    type: 'compute',
    config: { formulaExtras: [{ key: 'asked', formula, outputType: 'text' }] },
  };
  for (const body of [flow('main', [compute]), flow('other', [])]) {
    const id = await server.create('decision-flows', body);
    ids[body.key] = id;
    await server.publishFlow(id);
  }
  const set = await server.call('PUT', '/api/v1/decision-flows', { body: { id: ids.main, isDefault: true } });
  assert.equal(set.status, 200, set.text);
});

after(() => server?.close());

const placed = (...names: string[]) => names.map((name) => ({ placementId: ids[name] }));

test('several placements: each gets its own best offer, or what the earlier ones left', async () => {
  const own = (await recommend({ placements: [{ placementId: ids.hero, limit: 5 }, ...placed('side')] })).body;
  assert.deepEqual(namesIn(own), ['A', 'B', 'A'], 'maxSlots of the placement is above its limit');
  assert.deepEqual(
    own.decisions.map(({ rank, placementRank, placementId }) => [rank, placementRank, placementId]),
    [
      [1, 1, ids.hero],
      [2, 2, ids.hero],
      [3, 1, ids.side],
    ],
  );
  assert.deepEqual(Object.keys(own.placementResults ?? {}), [ids.hero, ids.side]);
  assert.deepEqual(namesIn(own.placementResults![ids.side!]!), ['A']);
  const once = (await recommend({ placements: placed('hero', 'side'), deduplicate: true })).body;
  assert.deepEqual(namesIn(once), ['A', 'B', 'C']);
  const turned = (await recommend({ placements: placed('side', 'hero'), deduplicate: true })).body;
  assert.deepEqual(namesIn(turned), ['A', 'B', 'C'], 'they follow the order of the request');
  assert.equal(turned.decisions[0]?.placementId, ids.side);
  const limited = (await recommend({ placements: placed('hero', 'side'), limit: 1 })).body;
  assert.deepEqual(namesIn(limited), ['A', 'A'], 'limit is that of each placement without its own');
  for (const { status, body, text } of [
    await recommend({ placements: placed('hero', 'hero') }),
    await recommend({ placements: placed('hero', 'side', 'hero') }),
  ]) {
    assert.deepEqual([status, body.code], [400, 'validation_failed'], text);
    assert.match(body.errors[0]!.path, /^\/placements\/[12]\/placementId$/);
  }
});

test('a response has at most 50 items, and 20 placements', async () => {
  const placements = [...placed('hero', 'side'), ...many.map((placementId) => ({ placementId }))];
  assert.equal(placements.length, 20);
  const { status, body, text } = await recommend({ placements, limit: 3, dryRun: true });
  assert.equal(status, 200, text);
  assert.equal(body.count, 50);
  assert.deepEqual(
    body.decisions.map(({ rank }) => rank),
    Array.from({ length: 50 }, (_, at) => at + 1),
  );
  const beyond = await recommend({ placements: [...placements, { placementId: ids.main }] });
  assert.equal(beyond.status, 400, beyond.text);
  assert.equal((await recommend({ placements: [] })).status, 400);
  assert.equal((await recommend({ limit: 1_000_000, dryRun: true })).body.count, 3, 'above 50 it becomes 50');
  assert.equal((await recommend({ placements: [{ placementId: ids.hero, limit: 51 }] })).status, 400);
});

test('an anonymous customer is the HMAC of the session, else of address and browser', async () => {
  const master = keyOf(Buffer.alloc(32, 7).toString('base64'))!;
  const key = deriveKey(master, `anonymous customers of ${server.tenants[0].id}`);
  const idOf = (source: string) => `anon-${createHmac('sha256', key).update(source).digest('hex').slice(0, 32)}`;
  const ask = async (body: object) =>
    (await recommend({ dryRun: true, ...body }, { 'user-agent': 'Browser/1 (ü)' })).body;
  for (const customerId of [undefined, '', 'anonymous']) {
    const { customerId: derived, anonymous } = await ask({ customerId, sessionId: 's-1_A' });
    assert.deepEqual([derived, anonymous], [idOf('s:s-1_A'), true]);
  }
  const plain = (await recommend({ dryRun: true, customerId: '' }, { 'user-agent': 'Browser/1' })).body.customerId;
  assert.equal(plain, idOf('n:127.0.0.1\nBrowser/1'));
  const named = await ask({ customerId: 'Anonymous', sessionId: 's-1' });
  assert.deepEqual([named.customerId, named.anonymous], ['Anonymous', false], 'only the very word');
  assert.equal((await recommend({ sessionId: 'a b' })).status, 400);
  assert.equal((await recommend({ sessionId: 'x'.repeat(64), dryRun: true })).status, 200);
  assert.equal((await recommend({ sessionId: 'x'.repeat(65) })).status, 400);
});

test('exclusion lists: reports offers as excluded, one without creatives as no_creative; ignores unknown IDs', async () => {
  const { body } = await recommend({
    excludeOffers: [ids.A!.toUpperCase(), 'nothing', ids.web],
    excludeCreatives: [ids['of B'], ids.A],
    debug: true,
  });
  assert.deepEqual(namesIn(body), ['C']);
  assert.deepEqual(drops(body), { excluded: 1, no_creative: 1, qualification: 1 });
  const dropped = body.meta?.dropped as { offerName: string; stage: string; reason: string }[];
  assert.deepEqual(
    dropped.map(({ offerName, stage, reason }) => [offerName, stage, reason]),
    [
      ['A', 'inventory', 'excluded'],
      ['B', 'match_creatives', 'no_creative'],
      ['D', 'qualify', 'qualification'],
    ],
  );
  const ofMany = (count: number) => Array.from({ length: count }, (_, at) => `id-${at}`);
  for (const field of ['excludeOffers', 'excludeCreatives']) {
    assert.equal((await recommend({ [field]: ofMany(500), dryRun: true })).status, 200);
    const beyond = await recommend({ [field]: ofMany(501) });
    assert.deepEqual([beyond.status, beyond.body.errors[0]?.path], [400, `/${field}`]);
  }
});

test('segments, attributes and context of the request affect only this request; history stores the context', async () => {
  const without = await recommend({ customerId: 'S', dryRun: true });
  assert.deepEqual(namesIn(without.body), ['A', 'B', 'C']);
  const within = await recommend({
    customerId: 'S',
    segments: ['VIP'],
    locale: 'de-DE',
    currency: 'EUR',
    context: { page: 'home' },
    attributes: { color: 'red' },
  });
  assert.deepEqual(namesIn(within.body), ['A', 'B', 'C', 'D']);
  assert.equal(within.body.decisions[0]?.personalization?.asked, 'de-DE|EUR|home|red');
  assert.deepEqual(namesIn((await recommend({ customerId: 'S', dryRun: true })).body), ['A', 'B', 'C']);
  assert.equal((await recommend({ customerId: 'S', segments: ['vip'], dryRun: true })).body.count, 3, 'byte for byte');
  const history = await server.call<{ data: { context: unknown; attributes: unknown }[] }>(
    'GET',
    '/api/v1/interaction-history?customerId=S',
  );
  assert.deepEqual(history.body.data[0]?.context, { page: 'home' });

  const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, at]));
  const nested = (depth: number): object => (depth === 1 ? { x: 1 } : { x: nested(depth - 1) });
  // `{"x":"..."}` of exactly this many bytes.
  const bytes = (size: number) => ({ x: 'y'.repeat(size - 8) });
  const limits: readonly (readonly [object, object, string])[] = [
    [
      { segments: Array.from({ length: 50 }, (_, at) => `s${at}`) },
      { segments: Array.from({ length: 51 }, () => 's') },
      '/segments',
    ],
    [{ segments: ['s'.repeat(128)] }, { segments: ['s'.repeat(129)] }, '/segments/0'],
    [{ attributes: keys(200) }, { attributes: keys(201) }, '/attributes'],
    [{ attributes: nested(5) }, { attributes: nested(6) }, '/attributes'],
    [{ attributes: bytes(65_536) }, { attributes: bytes(65_537) }, '/attributes'],
    [{ context: keys(50) }, { context: keys(51) }, '/context'],
    [{ context: bytes(8_192) }, { context: bytes(8_193) }, '/context'],
    [{ locale: 'de-Latn-DE-1996' }, { locale: 'de_DE' }, '/locale'],
    [{ currency: 'USD' }, { currency: 'usd' }, '/currency'],
    [{ customerId: 'x'.repeat(255) }, { customerId: 'x'.repeat(256) }, '/customerId'],
  ];
  for (const [good, bad, path] of limits) {
    const accepted = await recommend({ dryRun: true, ...good });
    assert.equal(accepted.status, 200, `${path} ${accepted.text.slice(0, 300)}`);
    const refused = await recommend(bad);
    assert.deepEqual([refused.status, refused.body.errors[0]?.path], [400, path], refused.text);
  }
});

test('aliases: maxOffers, flowId and decisionFlowId, by key or id; the documented name wins', async () => {
  assert.equal((await recommend({ maxOffers: 2, dryRun: true })).body.count, 2);
  assert.equal((await recommend({ maxOffers: 2, limit: 1, dryRun: true })).body.count, 1);
  for (const name of ['decisionFlowKey', 'flowId', 'decisionFlowId']) {
    for (const word of ['other', ids.other, ids.other?.toUpperCase()]) {
      const { body, text } = await recommend({ [name]: word, dryRun: true });
      assert.equal(body.decisionFlowKey, 'other', text);
    }
    assert.equal((await recommend({ [name]: 'nowhere' })).status, 404);
  }
  assert.equal((await recommend({ dryRun: true })).body.decisionFlowKey, 'main');
  const both = await recommend({ decisionFlowKey: 'other', flowId: 'main', dryRun: true });
  assert.equal(both.body.decisionFlowKey, 'other');
  const unknown = await recommend({ chanel: 'web', dryRun: true });
  assert.deepEqual([unknown.status, unknown.headers['x-unknown-properties']], [200, 'chanel (channel?)']);
});

test("a requestId with dryRun sets the seed and isn't looked up; an erased customer's is 409", async () => {
  const requestId = '0190a000-1111-4222-8333-444444444444';
  const first = await recommend({ customerId: 'E', requestId, limit: 1 });
  assert.equal(first.status, 200, first.text);
  const dry = await recommend({ customerId: 'E', requestId, limit: 2, dryRun: true });
  assert.deepEqual([dry.status, dry.body.count, dry.headers['idempotent-replay']], [200, 2, undefined]);
  await server.testDatabase.ownerQuery(`delete from arbiter.customer_states where customer_id = 'E'`);
  const erased = await recommend({ customerId: 'E', requestId, limit: 1 });
  assert.deepEqual([erased.status, erased.body.code], [409, 'inputs_unavailable'], erased.text);
});

test('freshness and clock are correct, and the response repeats the request', async () => {
  const { body } = await recommend({ channel: 'web', placement: 'Hero', dryRun: true });
  assert.equal(body.timestamp, '2026-11-20T09:00:00.000Z');
  assert.deepEqual([body.channel, body.channelId, body.placement], ['web', null, 'Hero']);
  for (const age of [body.freshness.configAgeMs, body.freshness.evidenceAgeMs, body.freshness.profileAgeMs]) {
    assert.ok(Number.isInteger(age) && age >= 0);
  }
  assert.ok(body.freshness.configVersion > 0);
  now += 1_000;
  assert.equal((await recommend({ dryRun: true })).body.timestamp, '2026-11-20T09:00:01.000Z');
  assert.equal((await recommend({ channel: 'fax', dryRun: true })).body.emptyReason, 'no_channel');
  assert.equal((await recommend({ placement: 'Nowhere', dryRun: true })).body.emptyReason, 'no_placement');
  const wrong = await recommend({ channel: 'email', channelId: ids.web });
  assert.deepEqual([wrong.status, wrong.body.code], [400, 'validation_failed'], wrong.text);
});

test('debug has at most 500 dropped candidates and 200 scores', async () => {
  const { trials, readCall } = server.decisions;
  const { id: tenantId } = server.tenants[0];
  const call = readCall({ tenantId, ip: '', userAgent: '' }, { customerId: 'C1', dryRun: true, debug: true });
  const [trial] = await trials.read(tenantId, [{ call }], null, Infinity);
  assert.ok(trial);
  const decision = decide(trial.flow.plan, trial.input, { trace: true });
  const { trace } = decision;
  const [score] = trace?.scoringResults ?? [];
  const [drop] = trace?.dropped ?? [];
  assert.ok(trace && score && drop);
  const answer = (dropped: number, scores: number) =>
    answerOfTrial(trial, {
      decision: {
        ...decision,
        trace: { ...trace, dropped: Array(dropped).fill(drop), scoringResults: Array(scores).fill(score) },
      },
      stages: null,
    }).meta;
  const lengths = (meta: Record<string, unknown> = {}) =>
    [meta.dropped, meta.scores].map((rows) => (Array.isArray(rows) ? rows.length : null));
  assert.deepEqual(lengths(answer(500, 200)), [500, 200]);
  assert.deepEqual(lengths(answer(501, 201)), [500, 200]);
  assert.deepEqual(Object.keys(drop).sort(), [
    'detail',
    'nodeId',
    'offerId',
    'offerName',
    'policyId',
    'reason',
    'ruleId',
    'stage',
  ]);
});
