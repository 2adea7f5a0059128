import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { neverExpires, type RecommendAnswer, type Suppression } from '@arbiter/contract';
import fc from 'fast-check';
import { randomCases } from '../../../../../../test/form.ts';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';

/** Random suppressions of a few customers against an oracle in memory: lists, and what decisions show. */

const dayMs = 86_400_000;
let server: TestServer;
let now = Date.parse('2026-03-10T09:00:00.000Z');
let channelId: string;
/** Offers by category. */
let offers: { readonly id: string; readonly categoryId: string }[];
before(async () => {
  server = await startTestServer({ clock: { now: () => now } });
  channelId = await server.create('channels', { name: 'Web', channelType: 'web' });
  offers = [];
  for (const category of ['Cards', 'Loans']) {
    const categoryId = await server.create('categories', { name: category });
    for (const n of [1, 2]) {
      const name = `${category} ${n}`;
      const offerId = await server.create('offers', { name, status: 'active', categoryId });
      await server.create('creatives', { name, offerId, channelId, status: 'active' });
      offers.push({ id: offerId, categoryId });
    }
  }
});
after(() => server?.close());

/** One of the offers, or one of their categories. */
const target = fc.oneof(
  fc.constant({ scope: 'global' as const, at: 0 }),
  fc.record({ scope: fc.constant('category' as const), at: fc.nat(3) }),
  fc.record({ scope: fc.constant('offer' as const), at: fc.nat(3) }),
);
const customer = fc.nat(2);
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('set' as const),
      customer,
      target,
      days: fc.option(fc.integer({ min: 1, max: 4 })),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('lift' as const), which: fc.nat(9) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('decide' as const), customer }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wait' as const), days: fc.integer({ min: 1, max: 2 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('list' as const), customer, includeExpired: fc.boolean() }) },
);

interface Known {
  readonly id: string;
  readonly customerId: string;
  readonly scope: string;
  readonly scopeId: string;
  readonly triggerCount: number;
  readonly expiresAt: number;
}

let runs = 0;

test('suppressions match a model of them', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 20 }), async (steps) => {
      const run = ++runs;
      const customerOf = (n: number) => `run ${run} customer ${n}`;
      const model = new Map<string, Known>();
      const blocked = (customerId: string, offer: (typeof offers)[number]): boolean =>
        [...model.values()].some(
          (row) =>
            row.customerId === customerId &&
            row.expiresAt > now &&
            (row.scope === 'global' || row.scopeId === (row.scope === 'offer' ? offer.id : offer.categoryId)),
        );
      for (const each of steps) {
        if (each.do === 'wait') now += each.days * dayMs;
        else if (each.do === 'lift') {
          const row = [...model.values()][each.which];
          if (row === undefined) continue;
          assert.equal((await server.call('DELETE', `/api/v1/suppressions/${row.id}`)).status, 204);
          model.delete(`${row.customerId} ${row.scope} ${row.scopeId}`);
        } else if (each.do === 'set') {
          const customerId = customerOf(each.customer);
          const offer = offers[each.target.at]!;
          const { scope } = each.target;
          const scopeId = scope === 'global' ? 'all' : scope === 'offer' ? offer.id : offer.categoryId;
          const ends = each.days === null ? Date.parse(neverExpires) : now + each.days * dayMs;
          const key = `${customerId} ${scope} ${scopeId}`;
          const before = model.get(key);
          const body = {
            customerId,
            scope,
            scopeId,
            reason: 'model',
            ...(each.days === null ? {} : { days: each.days }),
          };
          const answer = await server.call<Suppression>('POST', '/api/v1/suppressions', { body });
          assert.equal(answer.status, before === undefined ? 201 : 200, answer.text);
          model.set(key, {
            id: before?.id ?? String(answer.body.id),
            customerId,
            scope,
            scopeId,
            triggerCount: (before?.triggerCount ?? 0) + 1,
            expiresAt: Math.max(ends, before?.expiresAt ?? 0),
          });
        } else if (each.do === 'decide') {
          const customerId = customerOf(each.customer);
          const answer = await server.call<RecommendAnswer>('POST', '/api/v1/recommend', {
            body: { customerId, channelId, limit: 10 },
          });
          const shown = answer.body.decisions.map(({ offerId }) => offerId).sort();
          const expected = offers.filter((offer) => !blocked(customerId, offer)).map(({ id }) => id);
          assert.deepEqual(shown, expected.sort());
        } else {
          const customerId = customerOf(each.customer);
          const query = `customerId=${encodeURIComponent(customerId)}&includeExpired=${each.includeExpired}&limit=200`;
          const { body } = await server.call<{ data: Suppression[] }>('GET', `/api/v1/suppressions?${query}`);
          const rows = body.data.map(({ id, scope, scopeId, triggerCount, expiresAt, isActive }) => ({
            id,
            scope,
            scopeId,
            triggerCount,
            expiresAt: Date.parse(expiresAt),
            isActive,
          }));
          const expected = [...model.values()]
            .filter((row) => row.customerId === customerId && (each.includeExpired || row.expiresAt > now))
            .sort((a, b) => (a.id > b.id ? -1 : 1))
            .map(({ customerId: _customer, ...row }) => ({ ...row, isActive: row.expiresAt > now }));
          assert.deepEqual(rows, expected);
        }
      }
    }),
    { ...randomCases(25), interruptAfterTimeLimit: 60_000, markInterruptAsFailure: false },
  );
});
