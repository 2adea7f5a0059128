import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RecommendAnswer, Suppression } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';

interface Page {
  readonly data: readonly Suppression[];
  readonly pagination: { readonly total: number; readonly nextCursor: string | null };
}

let server: TestServer;
let channelId: string;
let cards: string;
let loans: string;
let gold: string;
let loan: string;
before(async () => {
  server = await startTestServer();
  channelId = await server.create('channels', { name: 'Web', channelType: 'web', impressionMode: 'explicit' });
  cards = await server.create('categories', { name: 'Cards' });
  loans = await server.create('categories', { name: 'Loans' });
  gold = await offerOf('Gold', cards);
  loan = await offerOf('Loan', loans);
});
after(() => server?.close());

async function offerOf(name: string, categoryId: string): Promise<string> {
  const offerId = await server.create('offers', { name, status: 'active', categoryId });
  await server.create('creatives', { name, offerId, channelId, status: 'active' });
  return offerId;
}
const set = (body: object) => server.call<Suppression>('POST', '/api/v1/suppressions', { body });
const list = (query: string) => server.call<Page>('GET', `/api/v1/suppressions?${query}`);
const lift = (id: string | null) => server.call('DELETE', `/api/v1/suppressions?id=${id}`);
async function shownTo(customerId: string): Promise<string[]> {
  const { status, body, text } = await server.call<RecommendAnswer>('POST', '/api/v1/recommend', {
    body: { customerId, channelId },
  });
  assert.equal(status, 200, text);
  return body.decisions.map(({ offerId }) => offerId).sort();
}
const reason = 'asked';

/** Rows are sorted by their milliseconds. */
async function laterThan(instant: number): Promise<void> {
  while (Date.now() <= instant) await sleep(1);
}

const hoursOf = (row: Suppression | undefined): number =>
  row === undefined ? Number.NaN : (Date.parse(row.expiresAt) - Date.parse(row.createdAt)) / 3_600_000;

describe('lists of suppressions', () => {
  it('show running cooldowns among the rows of a customer, page by page, without an id to delete', async () => {
    const customerId = 'cooling';
    const policies = await Promise.all([
      server.create('contact-policies', {
        name: 'Each offer',
        ruleType: 'cooldown',
        scope: 'global',
        config: { cooldownHours: 24, per: 'offer' },
      }),
      server.create('contact-policies', {
        name: 'Cards',
        ruleType: 'cooldown',
        scope: 'category',
        scopeId: cards,
        config: { cooldownHours: 48 },
      }),
    ]);
    const before = await set({ customerId, scope: 'offer', scopeId: loan, days: 5, reason });
    await laterThan(Date.now());
    assert.deepEqual(await shownTo(customerId), [gold], 'its reservation is a contact');
    await laterThan(Date.now());
    const behind = await set({ customerId, scope: 'category', scopeId: loans, days: 5, reason });
    const { body } = await list(`customerId=${customerId}`);
    assert.deepEqual(
      body.data.map(({ id, scope, policyType }) => [id === null, scope, policyType]),
      [
        [false, 'category', 'manual'],
        ...body.data.slice(1, 3).map(({ scope }) => [true, scope, 'cooldown']),
        [false, 'offer', 'manual'],
      ],
    );
    assert.deepEqual([body.data[0]?.id, body.data[3]?.id, body.pagination.total], [behind.body.id, before.body.id, 4]);
    const offer = body.data.find(({ policyId }) => policyId === policies[0]);
    assert.deepEqual([offer?.scopeId, offer?.offerName, offer?.reason, hoursOf(offer)], [gold, 'Gold', 'cooldown', 24]);
    assert.equal(body.data.find(({ policyId }) => policyId === policies[1])?.scopeId, cards);
    const walked: Suppression[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: Awaited<ReturnType<typeof list>> = await list(
        `customerId=${customerId}&limit=1${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
      );
      assert.equal(page.status, 200, page.text);
      walked.push(...page.body.data);
      cursor = page.body.pagination.nextCursor;
    }
    assert.deepEqual(walked, body.data);
    const tool = await server.call<{ data: object[]; total: number; customerId: string }>(
      'GET',
      `/api/v1/customers/${customerId}/suppressions`,
    );
    assert.deepEqual(tool.body, {
      customerId,
      data: body.data.map(({ customerId: _customer, ...row }) => row),
      total: 4,
    });
    assert.equal((await lift('null')).status, 404);
    const unknown = await server.call<object>('GET', '/api/v1/customers/nobody/suppressions');
    assert.deepEqual(unknown.body, { customerId: 'nobody', data: [], total: 0 });
  });
});
