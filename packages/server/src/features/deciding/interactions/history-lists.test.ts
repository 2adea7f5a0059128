import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { InteractionRow, InteractionSummary, Pagination, RecommendAnswer, SummaryGroup } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';

/** History, summaries and reservations over HTTP, compared with what was decided and answered. */
let server: TestServer;
let web: string;
let mail: string;
let category: string;
const offers: string[] = [];
const creatives: string[] = [];

async function decide(body: object): Promise<RecommendAnswer> {
  const { status, body: answer, text } = await server.call<RecommendAnswer>('POST', '/api/v1/recommend', { body });
  assert.equal(status, 200, text);
  return answer;
}

async function respond(body: object): Promise<string> {
  const answer = await server.call<{ interactionId: string }>('POST', '/api/v1/respond', { body });
  assert.equal(answer.status, 200, answer.text);
  return answer.body.interactionId;
}

interface Page<Row> {
  readonly data: Row[];
  readonly pagination: Pagination;
}

async function get<Body>(path: string, filters: Readonly<Record<string, string>>, key?: string): Promise<Body> {
  const url = `/api/v1/${path}?${new URLSearchParams(filters)}`;
  const { status, body, text } = await server.call<Body>('GET', url, key === undefined ? {} : { key });
  assert.equal(status, 200, `${url}: ${text}`);
  return body;
}

const history = (filters: Readonly<Record<string, string>>) =>
  get<Page<InteractionRow>>('interaction-history', filters);
const idsOf = async (filters: Readonly<Record<string, string>>) =>
  (await history({ limit: '200', ...filters })).data.map(({ id }) => id);

let shown: RecommendAnswer;
let reserved: RecommendAnswer;
let other: RecommendAnswer;
const click = '2026-01-05T23:30:00.000Z';
const late = '2025-12-31T23:30:00.000Z';
const rows: Record<'click' | 'buy' | 'confirm' | 'old', string> = { click: '', buy: '', confirm: '', old: '' };

before(async () => {
  server = await startTestServer({ tenants: 2 });
  const settings = { timezone: 'Europe/Berlin' };
  assert.equal((await server.call('PUT', '/api/v1/tenant-settings', { body: settings })).status, 200);
  category = await server.create('categories', { name: 'Cards' });
  web = await server.create('channels', { name: 'Web', channelType: 'web' });
  mail = await server.create('channels', { name: 'Mail', channelType: 'email', impressionMode: 'explicit' });
  for (const [number, channelId] of [web, web, mail].entries()) {
    const status = { status: 'active', priority: 90 - number };
    offers[number] = await server.create('offers', { name: `Offer ${number}`, categoryId: category, ...status });
    const creative = { offerId: offers[number], channelId, status: 'active' };
    creatives[number] = await server.create('creatives', { name: `Creative ${number}`, ...creative });
  }
  shown = await decide({ customerId: 'C', channelId: web, context: { page: 'home' }, excludeOffers: [offers[2]] });
  assert.equal(shown.count, 2);
  reserved = await decide({ customerId: 'C', channelId: mail, excludeOffers: offers.slice(0, 2) });
  assert.equal(reserved.count, 1);
  other = await decide({ customerId: 'D', channelId: web, limit: 1 });
  const { recommendationId } = shown;
  rows.click = await respond({ recommendationId, rank: 1, outcome: 'click', timestamp: click, attributes: { a: 1 } });
  rows.buy = await respond({ recommendationId, rank: 1, outcome: 'convert', conversionValue: 12.5 });
  rows.confirm = await respond({ recommendationId: reserved.recommendationId, rank: 1, outcome: 'impression' });
  rows.old = await respond({ customerId: 'C', creativeId: creatives[1], outcome: 'dismiss', timestamp: late });
});
after(() => server?.close());

const itemIds = (answer: RecommendAnswer) => answer.decisions.map((item) => item.interactionId!);
const newestFirst = (ids: readonly string[]) => [...ids].sort().reverse();
const ofC = () => [...itemIds(shown), ...itemIds(reserved), rows.click, rows.buy, rows.confirm, rows.old];

test('lists every row of history once, newest first, with page breaks inside a decision', async () => {
  const all = newestFirst([...ofC(), ...itemIds(other)]);
  for (const limit of [1, 2, 3, 200]) {
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Page<InteractionRow> = await history({
        limit: String(limit),
        ...(cursor === null ? {} : { cursor }),
      });
      assert.equal(page.pagination.total, all.length);
      assert.equal(page.pagination.hasMore, page.pagination.nextCursor !== null);
      seen.push(...page.data.map(({ id }) => id));
      cursor = page.pagination.nextCursor;
    } while (cursor !== null);
    assert.deepEqual(seen, all, `limit ${limit}`);
  }
});

test('a row says what happened, with offer and creative', async () => {
  const { data } = await history({ customerId: 'C', limit: '200' });
  const row = (id: string) => data.find((each) => each.id === id)!;
  const { createdAt, ...clicked } = row(rows.click);
  assert.ok(createdAt > click);
  assert.deepEqual(clicked, {
    id: rows.click,
    customerId: 'C',
    offerId: offers[0],
    creativeId: creatives[0],
    channelId: web,
    placementId: null,
    interactionType: 'response',
    outcomeTypeKey: 'click',
    classification: 'positive',
    direction: 'inbound',
    recommendationId: shown.recommendationId,
    rank: 1,
    campaignId: null,
    journeyId: null,
    conversionValue: null,
    context: null,
    attributes: { a: 1 },
    timestamp: click,
    offer: { id: offers[0], name: 'Offer 0', status: 'active' },
    creative: { id: creatives[0], name: 'Creative 0' },
  });
  const seen = row(itemIds(shown)[1]!);
  assert.deepEqual(
    [seen.interactionType, seen.outcomeTypeKey, seen.rank, seen.context, seen.timestamp],
    ['impression', 'impression', 2, { page: 'home' }, shown.timestamp],
  );
  const [reservation, confirmation] = [row(itemIds(reserved)[0]!), row(rows.confirm)];
  assert.deepEqual([reservation.interactionType, reservation.outcomeTypeKey], ['recommendation', null]);
  assert.equal(confirmation.interactionType, 'impression');
  assert.deepEqual(
    [confirmation.recommendationId, confirmation.rank],
    [reservation.recommendationId, reservation.rank],
  );
  assert.equal(row(rows.buy).conversionValue, 12.5);
});

test('each filter keeps exactly the matching rows, in days of the zone', async () => {
  const cases: [Record<string, string>, string[]][] = [
    [{ customerId: 'C' }, ofC()],
    [{ customerId: 'D' }, itemIds(other)],
    [{ customerId: 'X' }, []],
    [{ customerId: 'C', offerId: offers[1]! }, [itemIds(shown)[1]!, rows.old]],
    [{ customerId: 'C', creativeId: creatives[0]! }, [itemIds(shown)[0]!, rows.click, rows.buy]],
    [{ offerId: offers[0]!, creativeId: creatives[1]! }, []],
    [{ channelId: mail }, [...itemIds(reserved), rows.confirm]],
    [{ type: 'recommendation' }, itemIds(reserved)],
    [{ type: 'impression', customerId: 'C' }, [...itemIds(shown), rows.confirm]],
    [{ type: 'response' }, [rows.click, rows.buy, rows.old]],
    [{ outcome: 'impression', customerId: 'C' }, [...itemIds(shown), rows.confirm]],
    [{ outcome: 'convert' }, [rows.buy]],
    [{ type: 'impression', outcome: 'click' }, []],
    [{ offerId: 'garbage' }, []],
    [{ from: click, to: '2026-01-05T23:30:00.001Z' }, [rows.click]],
    [{ to: click }, [rows.old]],
    [{ from: '2026-01-06', to: '2026-01-07' }, [rows.click]],
    [{ from: '2026-01-05', to: '2026-01-06' }, []],
    [{ from: '2026-01-01', to: '2026-01-02' }, [rows.old]],
    [{ from: '2026-01-06', to: '2026-01-06' }, []],
  ];
  for (const [filters, ids] of cases) {
    assert.deepEqual(await idsOf(filters), newestFirst(ids), JSON.stringify(filters));
  }
});

test('summaries by period follow the zone, page by page, with totals', async () => {
  const list = (filters: Readonly<Record<string, string>>) =>
    get<Page<InteractionSummary>>('interaction-summaries', { customerId: 'C', ...filters });
  const all = (await list({ limit: '200' })).data;
  assert.deepEqual([...new Set(all.map((row) => row.periodType))], ['alltime', 'daily', 'monthly', 'weekly']);
  const ofDay = (await list({ periodType: 'daily', periodKey: '2026-01-06' })).data;
  assert.deepEqual(ofDay, [
    {
      periodType: 'daily',
      periodKey: '2026-01-06',
      customerId: 'C',
      offerId: offers[0],
      creativeId: creatives[0],
      channelId: web,
      direction: 'inbound',
      impressions: 0,
      positive: 1,
      negative: 0,
      neutral: 0,
      converts: 0,
      totalValue: 0,
      lastContactAt: null,
      lastOutcomeKey: 'click',
    },
  ]);
  assert.equal((await list({ periodKey: '2026-W01', offerId: offers[1]! })).data[0]?.negative, 1);
  assert.equal((await list({ periodKey: '2026-01', channelId: web })).data.length, 2);
  assert.deepEqual((await list({ offerId: 'garbage' })).data, []);
  const seen: InteractionSummary[] = [];
  let cursor: string | null = null;
  do {
    const page: Page<InteractionSummary> = await list({ limit: '2', ...(cursor === null ? {} : { cursor }) });
    assert.equal(page.pagination.total, all.length);
    seen.push(...page.data);
    cursor = page.pagination.nextCursor;
  } while (cursor !== null);
  assert.deepEqual(seen, all);

  interface OfCustomer {
    readonly periodType: string;
    readonly data: (InteractionSummary & { readonly offerName: string })[];
    readonly totals: Record<string, number>;
  }
  const own = await get<OfCustomer>('customers/C/summaries', {});
  assert.equal(own.periodType, 'alltime');
  const totals = { impressions: 3, positive: 2, negative: 1, neutral: 0, converts: 1, totalValue: 12.5 };
  assert.deepEqual(own.totals, totals);
  assert.deepEqual([...new Set(own.data.map((row) => row.offerName))].sort(), ['Offer 0', 'Offer 1', 'Offer 2']);
  const nobody = await get<OfCustomer>('customers/X/summaries', { periodType: 'weekly' });
  assert.deepEqual([nobody.data, nobody.totals.impressions, nobody.periodType], [[], 0, 'weekly']);
});

test('each filter of summaries keeps some rows and drops others, for lists and for one customer', async () => {
  const rowsOf = async (filters: Readonly<Record<string, string>>) =>
    (await get<Page<InteractionSummary>>('interaction-summaries', { customerId: 'C', limit: '200', ...filters })).data;
  const all = await rowsOf({});
  const cases: [Record<string, string>, (row: InteractionSummary) => boolean][] = [
    [{ periodType: 'daily' }, (row) => row.periodType === 'daily'],
    [{ periodType: 'weekly' }, (row) => row.periodType === 'weekly'],
    [{ periodType: 'monthly' }, (row) => row.periodType === 'monthly'],
    [{ periodType: 'alltime' }, (row) => row.periodType === 'alltime'],
    [{ periodKey: '2026-01-01' }, (row) => row.periodKey === '2026-01-01'],
    [{ periodKey: 'all' }, (row) => row.periodKey === 'all'],
    [{ offerId: offers[1]! }, (row) => row.offerId === offers[1]],
    [{ channelId: mail }, (row) => row.channelId === mail],
    [{ channelId: web, offerId: offers[0]! }, (row) => row.channelId === web && row.offerId === offers[0]],
  ];
  for (const [filters, holds] of cases) {
    const kept = all.filter(holds);
    assert.ok(kept.length > 0 && kept.length < all.length, JSON.stringify(filters));
    assert.deepEqual(await rowsOf(filters), kept, JSON.stringify(filters));
    const periodType = filters.periodType ?? (filters.periodKey === '2026-01-01' ? 'daily' : 'alltime');
    const own = await get<{ data: InteractionSummary[]; totals: Record<string, number> }>('customers/C/summaries', {
      ...filters,
      periodType,
    });
    const expected = kept.filter((row) => row.periodType === periodType);
    assert.deepEqual(
      own.data.map(({ periodKey, offerId, creativeId, channelId, impressions }) => [
        ...[periodKey, offerId, creativeId, channelId, impressions],
      ]),
      expected.map(({ periodKey, offerId, creativeId, channelId, impressions }) => [
        ...[periodKey, offerId, creativeId, channelId, impressions],
      ]),
      JSON.stringify(filters),
    );
    for (const name of ['impressions', 'positive', 'negative', 'neutral', 'converts'] as const) {
      assert.equal(
        own.totals[name],
        expected.reduce((sum, row) => sum + row[name], 0),
        `${name} of ${JSON.stringify(filters)}`,
      );
    }
  }
});

interface Summed {
  readonly groupBy: string;
  readonly days: number;
  readonly data: SummaryGroup[];
  readonly total: number;
}

test("the tenant's figures by customer are exact at once, and end with the requested days", async () => {
  const found = await get<Summed>('interaction-summary', { groupBy: 'customer' });
  assert.deepEqual([found.groupBy, found.days, found.total], ['customer', 30, 2]);
  const [first, second] = found.data;
  assert.deepEqual(first, {
    id: 'C',
    name: null,
    status: null,
    impressions: 3,
    positive: 1,
    negative: 0,
    neutral: 0,
    converts: 1,
    total: 1,
    ctr: 0,
    cvr: 33.33,
    totalValue: 12.5,
  });
  assert.deepEqual([second?.id, second?.impressions], ['D', 1]);
  const cut = await get<Summed>('interaction-summary', { groupBy: 'customer', limit: '1' });
  assert.deepEqual([cut.data.length, cut.total], [1, 2]);
  const year = await get<Summed>('interaction-summary', { groupBy: 'customer', days: '365' });
  assert.deepEqual([year.data[0]?.positive, year.data[0]?.negative], [2, 1]);
});

const reserveFor = (customerId: string) => decide({ customerId, channelId: mail, excludeOffers: offers.slice(0, 2) });

test('reservations show their current state', async () => {
  interface Reservations {
    readonly data: { readonly id: string; readonly state: string; readonly offerId: string }[];
    readonly total: number;
  }
  const open = await decide({ customerId: 'C', channelId: mail, excludeOffers: offers.slice(0, 2) });
  const read = () => get<Reservations>('customers/C/reservations', {});
  const [newest, oldest] = (await read()).data;
  assert.deepEqual([newest?.id, newest?.state, newest?.offerId], [itemIds(open)[0], 'open', offers[2]]);
  assert.deepEqual([oldest?.id, oldest?.state], [itemIds(reserved)[0], 'confirmed']);
  await server.testDatabase.ownerQuery(
    `update arbiter.interactions set reservation_expires_at = now() - interval '1 second' where id = $1`,
    [newest!.id],
  );
  assert.equal((await read()).data[0]?.state, 'expired', 'although nothing swept it yet');
  const [released, late] = [await reserveFor('Z'), await reserveFor('Z')];
  for (const { recommendationId } of [released, late]) {
    await respond({ recommendationId, rank: 1, outcome: 'not_presented' });
  }
  await respond({ recommendationId: late.recommendationId, rank: 1, outcome: 'impression' });
  const ofZ = await get<Reservations>('customers/Z/reservations', {});
  assert.deepEqual(
    ofZ.data.map(({ id, state }) => [id, state]),
    [
      [itemIds(late)[0], 'confirmed'],
      [itemIds(released)[0], 'released'],
    ],
  );
  assert.equal((await get<Reservations>('customers/X/reservations', {})).total, 0);
});

test('rejects an invalid filter, with its path', async () => {
  const wrong: [string, string][] = [
    ['interaction-history?type=click', 'query.type'],
    ['interaction-history?from=today-----', 'query.from'],
    ['interaction-summaries', 'query.customerId'],
    ['interaction-summaries?customerId=C&periodType=hourly', 'query.periodType'],
    ['interaction-summaries?customerId=C&periodKey=2026', 'query.periodKey'],
    ['interaction-summary?days=0', 'query.days'],
    ['interaction-summary?days=366', 'query.days'],
    ['interaction-summary?groupBy=day', 'query.groupBy'],
    ['customers/C/summaries?periodType=day', 'query.periodType'],
  ];
  for (const [path, place] of wrong) {
    const { status, body } = await server.call<{ errors: { path: string }[] }>('GET', `/api/v1/${path}`);
    assert.equal(status, 400, path);
    assert.equal(body.errors[0]?.path, place, path);
  }
  for (const path of ['interaction-history?cursor=x', 'interaction-summaries?customerId=C&cursor=x']) {
    const { status, body } = await server.call('GET', `/api/v1/${path}`);
    assert.deepEqual([status, body.code], [400, 'invalid_cursor']);
  }
});

test('another tenant reads none of it', async () => {
  const key = server.tenants[1]!.keys.viewer;
  assert.equal((await get<Page<unknown>>('interaction-history', {}, key)).pagination.total, 0);
  assert.equal((await get<Page<unknown>>('interaction-summaries', { customerId: 'C' }, key)).pagination.total, 0);
  assert.equal((await get<Summed>('interaction-summary', { groupBy: 'customer' }, key)).total, 0);
  for (const tool of ['summaries', 'reservations']) {
    assert.deepEqual((await get<{ data: unknown[] }>(`customers/C/${tool}`, {}, key)).data, []);
  }
});
