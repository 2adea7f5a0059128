// Runs in one of 2 turns: caps, acknowledged writes and keys are tested in each (cap-*, kill, database, keyed-work-kill).

// One clock decides: a server with a wrong clock shows no more and no less than one with the right time.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../packages/server/src/db/test-database.ts';
import { sized } from '../form.ts';
import { type Answer, type Caller, createPatientCaller, type Item, itemsOf, must } from './api.ts';
import { type Catalogue, loadCatalogue } from './catalogue.ts';
import { clockAhead, createInstallation, type Installation, type ServerProcess } from './server-process.ts';

const secondMs = 1_000;
const hourMs = 3_600_000;
const cap = 3;
const customersPerCase = sized('CLOCK_CUSTOMERS', { short: 2, long: 6 });
const callsPerServer = 6;
const budget = 5;
const shifts: readonly (readonly [what: string, aheadMs: number])[] = [
  ['2 s ahead', 2 * secondMs],
  ['2 s behind', -2 * secondMs],
  ['1 h ahead', hourMs],
  ['1 h behind', -hourMs],
  ['25 h ahead', 25 * hourMs],
];

let db: TestDatabase;
let installation: Installation;
let server: ServerProcess;
let call: Caller;
let catalogue: Catalogue;

const callerOf = (some: ServerProcess): Caller => createPatientCaller(() => some.url, installation.tenants[0]!.key);

before(async () => {
  db = await createTestDatabase();
  installation = await createInstallation({ DATABASE_URL: db.url }, ['Clocks']);
  server = await installation.start();
  call = callerOf(server);
  catalogue = await loadCatalogue(call, { offers: 6, cap: 1_000 });
  const config = { windows: [{ max: cap, hours: 24 }] };
  await must(call('PUT', '/v1/contact-policies', { id: catalogue.policy, config }));
});
after(async () => {
  await installation?.stopAll();
  await db?.close();
});

function itemsIn(answers: readonly Answer[]): readonly Item[] {
  for (const answer of answers) assert.equal(answer.status, 200, answer.text || String(answer.error));
  return answers.flatMap(({ body }) => itemsOf(body));
}

/** Calls both servers at once, several times each. */
const race = (callers: readonly Caller[], body: object): Promise<Answer[]> =>
  Promise.all(
    Array.from({ length: callsPerServer * callers.length }, (_, i) =>
      callers[i % callers.length]!('POST', '/v1/recommend', { limit: 1, ...body }),
    ),
  );

/** Reports impressions at an instant of the test's clock, which is the database's. */
async function contactAt(customerId: string, at: number): Promise<void> {
  for (let n = 0; n < cap; n++) {
    await must(
      call('POST', '/v1/respond', {
        customerId,
        offerId: catalogue.offers[n],
        outcome: 'impression',
        timestamp: new Date(at + n).toISOString(),
      }),
    );
  }
}

for (const [what, aheadMs] of shifts) {
  describe(`next to a server ${what}`, () => {
    let other: ServerProcess;
    let both: readonly [Caller, Caller];
    before(async () => {
      other = await installation.start(clockAhead(aheadMs));
      both = [call, callerOf(other)];
    });
    after(async () => {
      if (other?.running()) other.kill('SIGKILL');
      await other?.ended;
    });
    const customers = (kind: string) => Array.from({ length: customersPerCase }, (_, i) => `${kind} ${what} ${i}`);

    for (const channel of ['email', 'phone'] as const) {
      test(`a rolling cap holds exactly on ${channel}, on either server and after the clock steps back`, async () => {
        for (const customerId of customers(channel)) {
          const items = itemsIn(await race(both, { customerId, channel }));
          assert.equal(items.length, cap, `${customerId}: ${items.length} items for a cap of ${cap}`);
          for (const each of both) {
            const [late] = await race([each], { customerId, channel });
            assert.deepEqual([late?.body.count, late?.body.emptyReason], [0, 'contact_policy'], customerId);
          }
        }
      });
    }

    test('a contact leaves the window by the shared clock', async () => {
      const [counted, free] = [`inside ${what}`, `outside ${what}`];
      const now = Date.now();
      await contactAt(counted, now - 23.9 * hourMs);
      await contactAt(free, now - 24.1 * hourMs);
      for (const each of both)
        assert.equal(itemsIn(await race([each], { customerId: counted, channel: 'email' })).length, 0);
      assert.equal(itemsIn(await race([both[1]], { customerId: free, channel: 'email' })).length, cap);
    });

    test('a daily budget is shared', async () => {
      const id = catalogue.offers[0]!;
      const setLimit = () => must(call('PUT', '/v1/offers', { id, budget: { dailyMaxImpressions: 100_000 } }));
      await setLimit();
      // The first decision under a limit counts earlier impressions.
      itemsIn(await race([call], { customerId: `limited ${what}`, channel: 'email' }));
      const limited = await setLimit();
      const { currentDailyImpressions: used } = limited.budget as { currentDailyImpressions: number };
      await must(call('PUT', '/v1/offers', { id, budget: { dailyMaxImpressions: used + budget } }));
      const answers = await Promise.all(
        Array.from({ length: 4 * budget }, (_, i) =>
          both[i % 2]!('POST', '/v1/recommend', { customerId: `budget ${what} ${i}`, channel: 'email', limit: 1 }),
        ),
      );
      const ofOffer = itemsIn(answers).filter((item) => item.offerId === id);
      assert.equal(ofOffer.length, budget);
    });

    test('responses and history use the shared clock', async () => {
      const startedAt = Date.now();
      const customerId = `dated ${what}`;
      const shown = await must(both[1]('POST', '/v1/recommend', { customerId, channel: 'phone', limit: 1 }));
      const [item] = itemsOf(shown);
      assert.ok(item);
      const told = await must(
        both[1]('POST', '/v1/respond', { interactionId: item.interactionId, outcome: 'impression' }),
      );
      assert.equal(told.impression, 'confirmed');
      const rows = await db.ownerQuery<{ at: number; made: number }>(
        `select (extract(epoch from occurred_at) * 1000)::float8 as at,
           ('x' || translate(left(id::text, 13), '-', ''))::bit(48)::bigint::float8 as made
         from arbiter.interaction_history where customer_id = $1`,
        [customerId],
      );
      assert.equal(rows.length, 2);
      for (const { at, made } of rows) {
        for (const instant of [at, made]) {
          assert.ok(
            instant >= startedAt - secondMs && instant <= Date.now() + secondMs,
            `${instant - startedAt} ms off`,
          );
        }
      }
    });
  });
}
