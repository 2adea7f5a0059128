import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { DecisionListRow, Pagination, RecommendAnswer } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../../main/test-server.ts';

/** Lists of decisions and of traces: each filter against what the decisions answered. */
let server: TestServer;
let web: string;
let mail: string;
const offers: Record<'first' | 'second' | 'ruled' | 'blocked', string> = {
  first: '',
  second: '',
  ruled: '',
  blocked: '',
};
let ruleId: string;
let policyId: string;

interface Page {
  readonly data: DecisionListRow[];
  readonly pagination: Pagination;
}
interface Traces {
  readonly traces: { readonly recommendationId: string }[];
  readonly total: number;
}

async function decide(body: object): Promise<RecommendAnswer> {
  const { status, body: answer, text } = await server.call<RecommendAnswer>('POST', '/api/v1/recommend', { body });
  assert.equal(status, 200, text);
  return answer;
}

const query = (filters: Readonly<Record<string, string>>) => new URLSearchParams(filters).toString();

async function list(filters: Readonly<Record<string, string>>, key?: string): Promise<Page> {
  const path = `/api/v1/decisions?${query(filters)}`;
  const { status, body, text } = await server.call<Page>('GET', path, key === undefined ? {} : { key });
  assert.equal(status, 200, text);
  return body;
}

const idsOf = async (filters: Readonly<Record<string, string>>) =>
  (await list({ limit: '200', ...filters })).data.map((row) => row.recommendationId);

async function tracesOf(filters: Readonly<Record<string, string>>): Promise<string[]> {
  const { status, body, text } = await server.call<Traces>('GET', `/api/v1/decision-traces?${query(filters)}`);
  assert.equal(status, 200, text);
  assert.equal(body.total, body.traces.length);
  return body.traces.map((trace) => trace.recommendationId);
}

async function makeFlow(key: string, explore: object | null): Promise<string> {
  const nodes = [
    { id: 'i', type: 'inventory', config: {} },
    { id: 'q', type: 'qualify', config: {} },
    { id: 'c', type: 'contact_policy', config: {} },
    { id: 'm', type: 'match_creatives', config: { requireCreative: false } },
    { id: 's', type: 'score', config: { method: 'priority_weighted' } },
    { id: 'r', type: 'rank', config: { method: 'topN' } },
  ];
  const draftConfig = { version: 2, nodes, ...(explore === null ? {} : { flowConfig: { explore } }) };
  const id = await server.create('decision-flows', { key, name: key, draftConfig });
  await publish(id);
  return id;
}

async function publish(id: string): Promise<void> {
  await server.publishFlow(id);
}

const made: RecommendAnswer[] = [];

before(async () => {
  server = await startTestServer({ tenants: 2 });
  const settings = { decisionTraceEnabled: true, decisionTraceSampleRate: 1, timezone: 'Europe/Berlin' };
  assert.equal((await server.call('PUT', '/api/v1/tenant-settings', { body: settings })).status, 200);
  web = await server.create('channels', { name: 'Web', channelType: 'web' });
  mail = await server.create('channels', { name: 'Mail', channelType: 'email', impressionMode: 'explicit' });
  for (const name of ['first', 'second', 'ruled', 'blocked'] as const) {
    offers[name] = await server.create('offers', { name, status: 'active', priority: name === 'first' ? 90 : 50 });
  }
  ruleId = await server.create('qualification-rules', {
    name: 'Rich',
    ruleType: 'attribute_condition',
    scope: 'offer',
    scopeId: offers.ruled,
    config: { attribute: 'attributes.income', operator: 'gt', value: 10 },
  });
  policyId = await server.create('contact-policies', {
    name: 'Never',
    ruleType: 'segment_exclusion',
    scope: 'offer',
    scopeId: offers.blocked,
    config: { excludeSegments: ['left'] },
  });
  const plain = await makeFlow('plain', null);
  await makeFlow('curious', { rate: 0.2, poolSize: 50 });
  const segments = ['left'];
  made.push(await decide({ customerId: 'A', decisionFlowKey: 'plain', limit: 1, segments }));
  made.push(await decide({ customerId: 'B', decisionFlowKey: 'plain', limit: 2, channelId: web, segments }));
  await publish(plain);
  made.push(await decide({ customerId: 'A', decisionFlowKey: 'plain', limit: 5, segments }));
  made.push(await decide({ customerId: 'A', decisionFlowKey: 'plain', channel: 'sms' }));
  const excluded = Object.values(offers);
  made.push(await decide({ customerId: 'B', decisionFlowKey: 'curious', excludeOffers: excluded }));
  for (let n = 0; n < 60; n += 1) {
    const answer = await decide({ customerId: `E${n}`, decisionFlowKey: 'curious', limit: 1, segments });
    made.push(answer);
    if (answer.decisions[0]?.selection?.explored === true && n > 5) break;
  }
});
after(() => server?.close());

const idsWhere = (holds: (answer: RecommendAnswer) => boolean): string[] =>
  made
    .filter(holds)
    .map((answer) => answer.recommendationId!)
    .reverse();
const shows = (answer: RecommendAnswer, offerId: string) => answer.decisions.some((item) => item.offerId === offerId);
const explores = (answer: RecommendAnswer) => answer.decisions.some((item) => item.selection?.explored === true);

test('a row shows what the response said, newest first, page by page', async () => {
  const { data, pagination } = await list({ customerId: 'B' });
  assert.deepEqual(
    data.map((row) => row.recommendationId),
    idsWhere((answer) => answer.customerId === 'B'),
  );
  assert.equal(pagination.total, 2);
  const [empty, shown] = data as [DecisionListRow, DecisionListRow];
  const answer = made[1]!;
  const { decidedAt, ...rest } = shown;
  assert.equal(decidedAt, answer.timestamp);
  assert.deepEqual(rest, {
    requestId: answer.requestId,
    recommendationId: answer.recommendationId,
    traceId: answer.trace.traceId,
    customerId: 'B',
    source: 'recommend',
    flow: { id: answer.decisionFlowId, key: 'plain', version: 1 },
    configVersion: answer.freshness.configVersion,
    channelId: web,
    itemCount: 2,
    topOffer: { offerId: answer.decisions[0]?.offerId, offerName: answer.decisions[0]?.offerName },
    emptyReason: null,
    explored: false,
    minProbability: 1,
  });
  assert.deepEqual([empty.itemCount, empty.emptyReason, empty.minProbability], [0, made[4]!.emptyReason, null]);
  assert.equal(empty.topOffer, null);
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const page: Page = await list({ limit: '3', ...(cursor === null ? {} : { cursor }) });
    assert.equal(page.pagination.total, made.length);
    seen.push(...page.data.map((row) => row.recommendationId));
    cursor = page.pagination.nextCursor;
  } while (cursor !== null);
  assert.deepEqual(
    seen,
    idsWhere(() => true),
  );
});

test('each filter keeps exactly the matching decisions', async () => {
  assert.ok(made.some(explores), 'exploration chose something');
  const { requestId: _, timestamp } = made[2]!;
  const cases: [Record<string, string>, (answer: RecommendAnswer) => boolean][] = [
    [{ customerId: 'A' }, (a) => a.customerId === 'A'],
    [{ customerId: 'nobody' }, () => false],
    [{ decisionFlowKey: 'plain' }, (a) => a.decisionFlowKey === 'plain'],
    [{ decisionFlowKey: 'none' }, () => false],
    [{ decisionFlowKey: 'plain', version: '1' }, (a) => a.decisionFlowKey === 'plain' && a.decisionFlowVersion === 1],
    [{ version: '2' }, (a) => a.decisionFlowVersion === 2],
    [{ channelId: web }, (a) => a.channelId === web],
    [{ channelId: 'garbage' }, () => false],
    [{ offerId: offers.first }, (a) => shows(a, offers.first)],
    [{ offerId: offers.second, customerId: 'B' }, (a) => a.customerId === 'B' && shows(a, offers.second)],
    [{ offerId: offers.ruled }, () => false],
    [{ source: 'recommend' }, () => true],
    [{ source: 'journey' }, () => false],
    [{ emptyReason: 'no_channel' }, (a) => a.emptyReason === 'no_channel'],
    [{ emptyReason: 'inventory' }, (a) => a.emptyReason === 'inventory'],
    [{ explored: 'true' }, explores],
    [{ explored: 'false', decisionFlowKey: 'curious' }, (a) => a.decisionFlowKey === 'curious' && !explores(a)],
    [{ from: timestamp }, (a) => a.timestamp >= timestamp],
    [{ to: timestamp }, (a) => a.timestamp < timestamp],
    [{ from: '2199-01-01' }, () => false],
  ];
  for (const [filters, holds] of cases) {
    assert.deepEqual(await idsOf(filters), idsWhere(holds), JSON.stringify(filters));
  }
});

test('finds an offer that is only reserved', async () => {
  const lone = await server.create('offers', { name: 'lone', status: 'active', priority: 99 });
  await server.create('creatives', { name: 'lone', offerId: lone, channelId: mail, status: 'active' });
  const answer = await decide({ customerId: 'R', decisionFlowKey: 'plain', channelId: mail, limit: 5 });
  const reserved = answer.decisions.find((item) => item.offerId === lone);
  assert.ok(reserved?.reservation, JSON.stringify(answer.decisions));
  made.push(answer);
  assert.deepEqual(await idsOf({ offerId: lone }), [answer.recommendationId]);
  const { data } = await list({ offerId: lone });
  assert.equal(data[0]?.topOffer?.offerId, answer.decisions[0]?.offerId, 'reserved items count as shown');
});

test('rejects an invalid filter with its path', async () => {
  const wrong: [string, string][] = [
    ['emptyReason=nothing', 'query.emptyReason'],
    ['from=yesterday-', 'query.from'],
    ['to=2026-13-01', 'query.to'],
    ['source=mail', 'query.source'],
    ['version=0', 'query.version'],
    ['version=2147483648', 'query.version'],
    ['explored=yes', 'query.explored'],
    ['limit=0', 'query.limit'],
  ];
  for (const [text, path] of wrong) {
    const { status, body } = await server.call<{ errors: { path: string }[] }>('GET', `/api/v1/decisions?${text}`);
    assert.equal(status, 400, text);
    assert.equal(body.errors[0]?.path, path, text);
  }
  const { status, body } = await server.call('GET', '/api/v1/decisions?cursor=garbage');
  assert.deepEqual([status, body.code], [400, 'invalid_cursor']);
});

test('another tenant lists none of it, and a viewer may list', async () => {
  const { data, pagination } = await list({}, server.tenants[1]!.keys.viewer);
  assert.deepEqual([data, pagination.total], [[], 0]);
  assert.equal((await list({}, server.tenants[0].keys.viewer)).pagination.total, made.length);
});

test('finds traces by decision, by the fate of an offer, and by what dropped it', async () => {
  const traced = (holds: (answer: RecommendAnswer) => boolean) => idsWhere(holds).slice(0, 200);
  const filters: [Record<string, string>, (answer: RecommendAnswer) => boolean][] = [
    [{ decisionFlowKey: 'plain', version: '2' }, (a) => a.decisionFlowKey === 'plain' && a.decisionFlowVersion === 2],
    [{ emptyReason: 'no_channel' }, (a) => a.emptyReason === 'no_channel'],
    [{ explored: 'true' }, explores],
    [{ channelId: web }, (a) => a.channelId === web],
    [{ customerId: 'A', fate: 'selected' }, (a) => a.customerId === 'A' && a.count > 0],
    [{ offerId: offers.second, fate: 'selected' }, (a) => shows(a, offers.second)],
    [{ customerId: 'A', ruleId }, (a) => a.customerId === 'A' && a.emptyReason === null],
    [{ customerId: 'A', policyId, fate: 'contact_policy' }, (a) => a.customerId === 'A' && a.emptyReason === null],
    [{ offerId: offers.blocked, policyId, stage: 'contact_policy', customerId: 'B' }, (a) => a === made[1]],
    [{ offerId: offers.first, policyId }, () => false],
    [{ customerId: 'A', offerId: offers.ruled, reason: 'qualification' }, (a) => a === made[0] || a === made[2]],
    [{ offerId: offers.ruled, fate: 'qualification', reason: 'contact_policy' }, () => false],
    [{ offerId: offers.first, fate: 'scored_too_low', customerId: 'A' }, () => false],
    [{ offerId: offers.second, fate: 'scored_too_low', customerId: 'A' }, (a) => a === made[0]],
    [{ fate: 'selected', stage: 'qualify' }, () => false],
    [{ ruleId: 'garbage' }, () => false],
  ];
  for (const [each, holds] of filters) {
    assert.deepEqual(await tracesOf({ limit: '200', ...each }), traced(holds), JSON.stringify(each));
  }
});

test('shows an erased customer as null, and finds nothing by their ID', async () => {
  const { id: tenantId } = server.tenants[0];
  await server.testDatabase.ownerQuery(
    'delete from arbiter.customer_states where tenant_id = $1 and customer_id = $2',
    [tenantId, 'B'],
  );
  assert.deepEqual(await idsOf({ customerId: 'B' }), []);
  const row = (await list({ limit: '200' })).data.find((each) => each.recommendationId === made[1]!.recommendationId);
  assert.deepEqual([row?.customerId, row?.itemCount], [null, 2]);
});

test('finds an empty decision by the requested channel', async () => {
  const placement = (channelId: string, name: string) =>
    server.create('placements', { channelId, name, key: name.toLowerCase(), slotType: 'card' });
  const [hero, inbox] = [await placement(web, 'Hero'), await placement(mail, 'Inbox')];
  const all = await server.call<{ data: { id: string }[] }>('GET', '/api/v1/offers?limit=100');
  const excludeOffers = all.body.data.map(({ id }) => id);
  const asked = async (body: object): Promise<string> => {
    const nothing = { customerId: 'Z', decisionFlowKey: 'plain', excludeOffers, ...body };
    const { count, recommendationId } = await decide(nothing);
    assert.equal(count, 0);
    return recommendationId!;
  };
  const ofWeb = [
    await asked({ channelId: web }),
    await asked({ channel: 'web' }),
    await asked({ placement: 'Hero' }),
    await asked({ channel: 'web', placement: 'nowhere' }),
    await asked({ placements: [{ placementId: hero }] }),
  ];
  const ofMail = [await asked({ channel: 'email' }), await asked({ placements: [{ placementId: inbox, limit: 2 }] })];
  const ofNone = [
    await asked({}),
    await asked({ channel: 'sms' }),
    await asked({ placements: [{ placementId: hero }, { placementId: inbox }] }),
  ];
  await server.create('channels', { name: 'Second web', channelType: 'web' });
  ofNone.push(await asked({ channel: 'web' }));
  ofWeb.push(await asked({ channel: 'web', placement: 'Hero' }));
  assert.deepEqual(await idsOf({ customerId: 'Z', channelId: web }), ofWeb.toReversed());
  assert.deepEqual(await idsOf({ customerId: 'Z', channelId: mail }), ofMail.toReversed());
  const rows = (await list({ customerId: 'Z', limit: '200' })).data;
  const withoutChannel = rows.filter(({ channelId }) => channelId === null).map((row) => row.recommendationId);
  assert.deepEqual(withoutChannel.toSorted(), ofNone.toSorted());
});
