import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { PolicyConflicts } from '@arbiter/contract';
import { type Pack, packs } from '@arbiter/packs';
import { systemActor } from '../../packages/server/src/db/index.ts';
import { loadPack } from '../../packages/server/src/features/operations/seed-packs/index.ts';
import { startTestServer, type TestServer, testLoadPorts } from '../../packages/server/src/main/test-server.ts';
import { shareOf } from '../form.ts';

// What a newcomer gets: each pack, loaded into its own tenant and used through the API.

interface Answer {
  readonly recommendationId: string | null;
  readonly known: boolean;
  readonly count: number;
  readonly emptyReason: string | null;
  readonly decisionFlowKey: string;
  readonly decisions: readonly {
    readonly offerId: string;
    readonly channelType: string;
    readonly content: Readonly<Record<string, string>>;
    readonly personalization: Readonly<Record<string, unknown>>;
  }[];
}

/** Whether a policy has quiet hours for a channel. */
function isQuiet(pack: Pack, channelType: string): boolean {
  const { name } = pack.channels.find((channel) => channel.channelType === channelType) ?? {};
  return pack.contactPolicies.some(({ ruleType, scopeName }) => ruleType === 'time_window' && scopeName === name);
}

/** Returns noon, UTC, of the next Wednesday. */
function nextNoon(): string {
  const today = new Date();
  const days = ((3 - today.getUTCDay() + 7) % 7) + 7;
  return new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate() + days, 12)).toISOString();
}

// A third of the packs in each run.
for (const pack of shareOf(packs, 'packs through the API', 3)) {
  describe(`pack ${pack.key} through the API`, () => {
    let server: TestServer;
    before(async () => {
      server = await startTestServer();
      await server.database.withTenant(server.tenants[0].id, systemActor('test'), (tx) =>
        loadPack(tx, pack, testLoadPorts),
      );
    });
    after(() => server.close());

    const recommend = async (body: object) => {
      const answer = await server.call<Answer>('POST', '/api/v1/recommend', { body });
      assert.equal(answer.status, 200, answer.text);
      return answer.body;
    };

    test('nothing in it conflicts or has no effect', async () => {
      for (const { key } of pack.flows) {
        const answer = await server.call<PolicyConflicts>('POST', '/api/v1/policy-conflicts/analyze', {
          body: { flowId: key },
        });
        assert.equal(answer.status, 200, answer.text);
        const { findings, coverage } = answer.body;
        const told = findings
          .filter(({ severity }) => severity !== 'info')
          .map(({ code, message }) => `${key}: ${code}: ${message}`);
        assert.deepEqual(told, []);
        assert.ok(coverage.proved > 0, JSON.stringify(coverage));
      }
    });

    test('its first customer gets an offer from its first flow on every channel', async () => {
      for (const { channelType } of pack.channels) {
        const answer = await recommend({ customerId: pack.firstCustomer, channel: channelType, dryRun: true });
        if (isQuiet(pack, channelType)) {
          // Whatever the time of the test, at noon on a weekday the customer would get one.
          const body = { customerId: pack.firstCustomer, channel: channelType, now: nextNoon() };
          const then = await server.call<Answer>('POST', '/api/v1/simulate', { body });
          assert.equal(then.status, 200, then.text);
          assert.ok(then.body.count >= 1, `${channelType}: ${then.body.emptyReason}`);
          continue;
        }
        assert.ok(answer.count >= 1, `${channelType}: ${answer.emptyReason}`);
        assert.equal(answer.known, true);
        assert.equal(answer.decisionFlowKey, pack.flows[0]?.key);
        assert.equal(answer.decisions[0]?.channelType, channelType);
      }
    });

    test('decides for many customers without a broken token or formula', async () => {
      const [customers] = pack.schemas;
      assert.ok(customers);
      const idOf = (row: object) => String(Object.values(row)[0]);
      const ids = [...customers.rows(new Date())].filter((_, index) => index % 25 === 0);
      const offers = new Set<string>();
      for (const row of ids) {
        for (const { channelType } of pack.channels) {
          const answer = await recommend({ customerId: idOf(row), channel: channelType, limit: 50, dryRun: true });
          for (const item of answer.decisions) {
            offers.add(item.offerId);
            assert.doesNotMatch(JSON.stringify(item.content), /\{[a-z_]+\}/);
            assert.equal(item.personalization._errors, undefined);
          }
        }
      }
      assert.ok(offers.size >= pack.offers.length / 2, `${offers.size} of ${pack.offers.length} offers reach somebody`);
    });
  });
}

describe('coffee_rewards follows its own rules', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
    const [pack] = packs;
    assert.ok(pack);
    await server.database.withTenant(server.tenants[0].id, systemActor('test'), (tx) =>
      loadPack(tx, pack, testLoadPorts),
    );
  });
  after(() => server.close());

  const countOf = async (channel: string) => {
    const body = { customerId: 'CM-000001', channel };
    const answer = await server.call<Answer>('POST', '/api/v1/recommend', { body });
    return answer.body.emptyReason ?? answer.body.count;
  };

  test('one letter a day, three contacts a day over all channels', async () => {
    assert.deepEqual(
      [
        await countOf('email'),
        await countOf('email'),
        await countOf('web'),
        await countOf('web'),
        await countOf('web'),
      ],
      [1, 'contact_policy', 1, 1, 'contact_policy'],
    );
  });

  test('an offer reaches exactly the customers who match its rules', async () => {
    const offers = await server.call<{ data: { id: string; name: string }[] }>('GET', '/api/v1/offers?limit=100');
    const rows = [...(packs[0]?.schemas[0]?.rows(new Date()) ?? [])];
    // Recent events can also block an offer.
    const met = new Set<unknown>([...(packs[0]?.history(new Date()) ?? [])].map(({ customerId }) => customerId));
    const expected: Readonly<Record<string, (row: (typeof rows)[number]) => boolean>> = {
      'App Install Treat': (row) => row.app_user === false,
      'Morning Streak': (row) => row.app_user === true,
      'We Miss You Latte': (row) => Number(row.days_since_visit) >= 21,
      'Gold Birthday Drink': (row) => row.tier !== 'green',
      'Oat Milk Week': () => true,
    };
    for (const [name, isMeant] of Object.entries(expected)) {
      const excludeOffers = offers.body.data.filter((offer) => offer.name !== name).map((offer) => offer.id);
      assert.equal(excludeOffers.length, 11);
      for (const row of rows.slice(1, 60).filter(({ member_id }) => !met.has(member_id))) {
        const body = { customerId: row.member_id, channel: 'web', excludeOffers, dryRun: true };
        const answer = await server.call<Answer>('POST', '/api/v1/recommend', { body });
        const isOldEnough = Number(row.age) >= 16;
        assert.equal(answer.body.count, isOldEnough && isMeant(row) ? 1 : 0, `${name} for ${JSON.stringify(row)}`);
      }
    }
  });

  test('customers under 16 get nothing', async () => {
    const rows = [...(packs[0]?.schemas[0]?.rows(new Date()) ?? [])];
    const child = rows.find((row) => Number(row.age) < 16);
    const body = { customerId: child?.member_id, channel: 'web', dryRun: true };
    const answer = await server.call<Answer>('POST', '/api/v1/recommend', { body });
    assert.equal(answer.body.emptyReason, 'qualify');
  });
});
