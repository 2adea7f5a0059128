// Caps per calendar day over both daylight saving changes, in the tenant's zone, with expiring reservations: a server
// of one process with a given clock, compared with a checker over history that knows the calendar but not the engine.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { RecommendAnswer } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../packages/server/src/main/test-server.ts';
import {
  type CapRule,
  type Contact,
  contactRows,
  contactsOf,
  countedAt,
  dayStartIn,
  findExcess,
  type HistoryRow,
} from './cap-history.ts';
import { loadCatalogue } from './catalogue.ts';

const zone = 'Europe/Berlin';
const max = 3;
const parallel = Number(process.env.CAP_PARALLEL ?? 40);
const hourMs = 3_600_000;
const minuteMs = 60_000;
const ttlMs = 30 * minuteMs;

let server: TestServer;
let now = Date.parse('2026-03-20T10:00:00Z');

before(async () => {
  server = await startTestServer({ clock: { now: () => now } });
  const settings = await server.call('PUT', '/api/v1/tenant-settings', {
    body: { timezone: zone, reservationTtlSeconds: ttlMs / 1000 },
  });
  assert.equal(settings.status, 200, settings.text);
  const { policy } = await loadCatalogue(
    async (method, path, body) => {
      const answer = await server.call<Record<string, unknown>>(method, `/api${path}`, { body: body ?? {} });
      return { ...answer, headers: {}, error: null, ms: 0 };
    },
    { offers: 8, cap: 1_000 },
  );
  const changed = await server.call('PUT', '/api/v1/contact-policies', {
    body: { id: policy, config: { maxPerDay: max } },
  });
  assert.equal(changed.status, 200, changed.text);
});
after(() => server?.close());

async function race(customerId: string, channel: string): Promise<number> {
  const answers = await Promise.all(
    Array.from({ length: parallel }, () =>
      server.call<RecommendAnswer>('POST', '/api/v1/recommend', { body: { customerId, channel, limit: 1 } }),
    ),
  );
  return answers.reduce((sum, { status, body, text }) => {
    assert.equal(status, 200, text);
    return sum + body.decisions.length;
  }, 0);
}

const days = [
  { what: 'an hour is left out', from: '2026-03-28T12:00:00Z', hours: 23, day: '2026-03-29' },
  { what: 'an hour comes twice', from: '2026-10-24T12:00:00Z', hours: 25, day: '2026-10-25' },
] as const;

for (const { what, from, hours, day } of days) {
  test(`${day}, when ${what}: the cap holds from midnight to midnight, and expired contacts can be shown again`, async (t) => {
    const dayStart = dayStartIn(zone);
    const rule: CapRule = { max, from: dayStart };
    const noonBefore = Date.parse(from);
    const midnight = dayStart(noonBefore + 24 * hourMs);
    const nextMidnight = midnight + hours * hourMs;
    assert.equal(dayStart(nextMidnight), nextMidnight, 'the day is as long as that');
    assert.equal(dayStart(nextMidnight - 1), midnight);
    const customerId = `on ${day}`;
    const contacts = async (): Promise<Contact[]> =>
      contactsOf(await server.testDatabase.ownerQuery<HistoryRow>(contactRows)).filter(
        (each) => each.customerId === customerId,
      );
    const instants = [
      noonBefore,
      midnight - 1,
      midnight,
      // Half an hour each, from an hour before to two hours after the change.
      ...Array.from({ length: 9 }, (_, i) => midnight + i * 30 * minuteMs + 1),
      midnight + 12 * hourMs,
      nextMidnight - hourMs,
      nextMidnight - 1,
      nextMidnight,
      nextMidnight + ttlMs - 1,
      nextMidnight + ttlMs,
    ];
    let shown = 0;
    for (const [i, at] of instants.entries()) {
      now = at;
      // Everything that history says is free now is shown to the last item: no more, and nothing is lost.
      const free = max - countedAt(await contacts(), rule, at);
      const channel = i % 4 === 3 || at === midnight + 12 * hourMs ? 'email' : 'phone';
      assert.equal(await race(customerId, channel), free, `${new Date(at).toISOString()}, ${free} free`);
      shown += free;
    }
    const all = await contacts();
    assert.deepEqual(findExcess(all, rule), []);
    assert.equal(all.length, shown);
    const fixed: CapRule = { max, from: (at) => at - 24 * hourMs };
    assert.notEqual(findExcess(all, fixed).length, 0, 'a day of 24 hours is another rule');
    t.diagnostic(`${shown} contacts at ${instants.length} instants`);
  });
}
