import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { neverExpires, type RecommendAnswer, type Suppression } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';

type Answer = Suppression & { readonly code: string; readonly errors: readonly { readonly path: string }[] };
interface Page {
  readonly data: readonly Suppression[];
  readonly pagination: { readonly total: number; readonly nextCursor: string | null; readonly limit: number };
  readonly code: string;
}

let server: TestServer;
let now = Date.parse('2026-03-10T09:00:00.000Z');
let channelId: string;
let cards: string;
let loans: string;
let gold: string;
let loan: string;
before(async () => {
  server = await startTestServer({ tenants: 2, clock: { now: () => now } });
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
const set = (body: object) => server.call<Answer>('POST', '/api/v1/suppressions', { body });
const list = (query: string) => server.call<Page>('GET', `/api/v1/suppressions?${query}`);
const lift = (id: string | null) => server.call('DELETE', `/api/v1/suppressions?id=${id}`);
async function shownTo(customerId: string, more: object = {}): Promise<string[]> {
  const { status, body, text } = await server.call<RecommendAnswer>('POST', '/api/v1/recommend', {
    body: { customerId, channelId, ...more },
  });
  assert.equal(status, 200, text);
  return body.decisions.map(({ offerId }) => offerId).sort();
}
const reason = 'asked';

describe('manual suppressions', () => {
  it('block their scope from the next decision on, until they end or are lifted', async () => {
    const customerId = 'known to nobody';
    const both = [gold, loan].sort();
    const offer = await set({ customerId, scope: 'offer', scopeId: gold, reason });
    assert.equal(offer.status, 201, offer.text);
    assert.deepEqual(
      [offer.body.expiresAt, offer.body.policyType, offer.body.policyId, offer.body.offerName, offer.body.triggerCount],
      [neverExpires, 'manual', null, 'Gold', 1],
    );
    assert.deepEqual(await shownTo(customerId), [loan]);
    assert.deepEqual(await shownTo(customerId, { dryRun: true }), [loan], 'dry runs obey it too');
    assert.deepEqual(await shownTo('somebody else'), both);
    const category = await set({ customerId, scope: 'category', scopeId: loans, days: 2, reason });
    assert.deepEqual(await shownTo(customerId), []);
    assert.equal((await lift(offer.body.id)).status, 204);
    assert.deepEqual(await shownTo(customerId), [gold]);
    now += 2 * 86_400_000 - 1;
    assert.deepEqual(await shownTo(customerId), [gold]);
    now += 1;
    assert.deepEqual(await shownTo(customerId), both, 'its end is the first instant without it');
    const all = await set({ customerId, scope: 'global', reason });
    assert.equal(all.body.scopeId, 'all');
    assert.deepEqual(await shownTo(customerId), []);
    assert.equal((await server.call('DELETE', `/api/v1/suppressions/${all.body.id}`)).status, 204);
    assert.deepEqual(await shownTo(customerId), both);
    for (const id of [category.body.id, all.body.id, 'nonsense']) {
      const again = id === category.body.id ? await lift(id).then(() => lift(id)) : await lift(id);
      assert.equal(again.status, 404);
    }
  });

  it('drop as suppressed, and a replay agrees', async () => {
    const customerId = 'replayed';
    await set({ customerId, scope: 'offer', scopeId: gold, reason: 'never again' });
    const { body } = await server.call<RecommendAnswer>('POST', '/api/v1/recommend', {
      body: { customerId, channelId, debug: true },
    });
    assert.match(JSON.stringify(body), /"suppressed"/);
    const replay = await server.call<{ identical: boolean }>(
      'POST',
      `/api/v1/decisions/${body.recommendationId}/replay`,
      { body: {} },
    );
    assert.equal(replay.body.identical, true, replay.text);
  });

  it('accept a new end, even an earlier one, and a new reason, and nothing else', async () => {
    const customerId = 'changed';
    const { body: made } = await set({ customerId, scope: 'offer', scopeId: gold, days: 10, reason });
    const put = (path: string, body: object, key?: string) =>
      server.call<Answer>('PUT', `/api/v1/suppressions${path}`, { body, ...(key === undefined ? {} : { key }) });
    const sooner = await put('', { id: made.id, days: 1, reason: 'sooner' });
    assert.equal(sooner.status, 200, sooner.text);
    assert.deepEqual(
      [sooner.body.reason, sooner.body.expiresAt, sooner.body.triggerCount],
      ['sooner', new Date(now + 86_400_000).toISOString(), 1],
    );
    const asItIs = await put(`/${made.id}`, sooner.body);
    assert.deepEqual([asItIs.status, asItIs.body], [200, sooner.body], 'what was read can be sent back');
    assert.deepEqual(await shownTo(customerId), [loan]);
    now += 86_400_000;
    assert.deepEqual(await shownTo(customerId), [gold, loan].sort());
    assert.equal((await put(`/${made.id}`, { ...sooner.body })).status, 200, 'an end that has passed is left as it is');
    for (const [changes, path] of [
      [{ customerId: 'another' }, '/customerId'],
      [{ scope: 'global' }, '/scope'],
      [{ scopeId: loan }, '/scopeId'],
      [{ expiresAt: '2020-01-01T00:00:00Z' }, '/expiresAt'],
      [{ expiresAt: null }, '/expiresAt'],
      [{ days: 1, expiresAt: neverExpires }, '/days'],
      [{ reason: ' ' }, '/reason'],
      [{ id: loan }, '/id'],
    ] as const) {
      const refused = await put(`/${made.id}`, changes);
      assert.deepEqual([refused.status, refused.body.errors[0]?.path], [400, path], JSON.stringify(changes));
    }
    for (const id of ['nonsense', loan]) assert.equal((await put(`/${id}`, { days: 1 })).status, 404);
    assert.equal((await put(`/${made.id}`, { days: 1 }, server.tenants[1]?.keys.admin)).status, 404);
    const forGood = await put(`/${made.id}`, { expiresAt: neverExpires });
    assert.deepEqual([forGood.status, forGood.body.isActive], [200, true]);
    assert.deepEqual(await shownTo(customerId), [loan]);
  });

  it('are one row per customer and scope: a repeat counts and keeps the later end', async () => {
    const body = { customerId: 'repeated', scope: 'offer', scopeId: gold };
    const first = await set({ ...body, days: 10, reason: 'first' });
    const shorter = await set({ ...body, days: 1, reason: 'second' });
    assert.deepEqual(
      [shorter.status, shorter.body.id, shorter.body.triggerCount, shorter.body.expiresAt, shorter.body.reason],
      [200, first.body.id, 2, first.body.expiresAt, 'second'],
    );
    const longer = await set({ ...body, expiresAt: '2030-01-01T00:00:00+01:00', reason });
    assert.deepEqual([longer.body.triggerCount, longer.body.expiresAt], [3, '2029-12-31T23:00:00.000Z']);
    const many = await Promise.all(
      Array.from({ length: 8 }, () => set({ customerId: 'raced', scope: 'global', reason })),
    );
    assert.deepEqual(many.map(({ status }) => status).sort(), [200, 200, 200, 200, 200, 200, 200, 201]);
    assert.equal((await list('customerId=raced')).body.data[0]?.triggerCount, 8);
  });

  it('reject invalid input with its path, and change nothing', async () => {
    const good = { customerId: 'refused', scope: 'offer', scopeId: gold, reason };
    const foreign = await server.call<{ id: string }>('POST', '/api/v1/offers', {
      body: { name: 'Theirs' },
      key: server.tenants[1]!.keys.admin,
    });
    const bad: [object, string, string][] = [
      [{ scopeId: undefined }, '/scopeId', 'validation_failed'],
      [{ scopeId: 'gold' }, '/scopeId', 'validation_failed'],
      [{ scopeId: foreign.body.id }, '/scopeId', 'reference_not_found'],
      [{ scope: 'category' }, '/scopeId', 'reference_not_found'],
      [{ scope: 'global' }, '/scopeId', 'validation_failed'],
      [{ scope: 'channel' }, '/scope', 'validation_failed'],
      [{ days: 0 }, '/days', 'validation_failed'],
      [{ days: 36_501 }, '/days', 'validation_failed'],
      [{ days: 1, expiresAt: '2030-01-01T00:00:00Z' }, '/days', 'validation_failed'],
      [{ expiresAt: new Date(now).toISOString() }, '/expiresAt', 'validation_failed'],
      [{ reason: undefined }, '/reason', 'validation_failed'],
      [{ reason: ' ' }, '/reason', 'validation_failed'],
      [{ customerId: ' x' }, '/customerId', 'validation_failed'],
      [{ customerId: 'anonymous' }, '/customerId', 'validation_failed'],
    ];
    for (const [more, path, code] of bad) {
      const answer = await set({ ...good, ...more });
      assert.deepEqual([answer.status, answer.body.code, answer.body.errors[0]?.path], [400, code, path], answer.text);
    }
    assert.equal((await list('customerId=refused')).body.pagination.total, 0);
    assert.equal((await set({ ...good, days: 36_500 })).status, 201);
    const editor = await server.call('POST', '/api/v1/suppressions', {
      body: good,
      key: server.tenants[0].keys.editor,
    });
    assert.equal(editor.status, 403);
  });

  it('name the customer in the audit log only by a hash', async () => {
    const customerId = 'a person with a name';
    const made = await set({ customerId, scope: 'global', reason: 'because of the divorce' });
    await set({ customerId, scope: 'global', reason: 'again' });
    await lift(made.body.id);
    const audit = await server.call<{ data: { action: string; changes: Record<string, { after: unknown }> }[] }>(
      'GET',
      `/api/v1/audit-logs?entityType=customerSuppression&entityId=${made.body.id}`,
    );
    assert.deepEqual(
      audit.body.data.map(({ action }) => action),
      ['delete', 'update', 'create'],
    );
    assert.ok(!/a person|divorce|again/.test(audit.text), audit.text);
    assert.match(String(audit.body.data[2]?.changes.customerHash?.after), /^[0-9a-f]{64}$/);
  });

  it('belong to their tenant', async () => {
    const key = server.tenants[1]!.keys.admin;
    const made = await set({ customerId: 'shared', scope: 'global', reason });
    assert.equal((await server.call('GET', `/api/v1/suppressions/${made.body.id}`, { key })).status, 404);
    assert.equal((await server.call('DELETE', `/api/v1/suppressions/${made.body.id}`, { key })).status, 404);
    const theirs = await server.call<Page>('GET', '/api/v1/suppressions', { key });
    assert.equal(theirs.body.pagination.total, 0);
  });
});

describe('lists of suppressions', () => {
  it('filter, page, and leave out expired ones by default', async () => {
    const customerId = 'listed';
    await set({ customerId, scope: 'offer', scopeId: gold, days: 1, reason });
    await set({ customerId, scope: 'category', scopeId: cards, reason });
    await set({ customerId, scope: 'global', reason });
    now += 86_400_000;
    const scopes = async (query: string) =>
      (await list(`customerId=listed&${query}`)).body.data.map(({ scope, isActive }) => `${scope} ${isActive}`);
    assert.deepEqual(await scopes(''), ['global true', 'category true']);
    assert.deepEqual(await scopes('includeExpired=true'), ['global true', 'category true', 'offer false']);
    assert.deepEqual(await scopes('scope=category'), ['category true']);
    assert.deepEqual(await scopes('policyType=outcome_based'), []);
    const first = await list('customerId=listed&includeExpired=true&limit=2');
    const second = await list(
      `customerId=listed&includeExpired=true&limit=2&cursor=${first.body.pagination.nextCursor}`,
    );
    assert.deepEqual([first.body.pagination.total, second.body.data[0]?.scope], [3, 'offer']);
    assert.equal((await list('cursor=garbage')).body.code, 'invalid_cursor');
  });
});
