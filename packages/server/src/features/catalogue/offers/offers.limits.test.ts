import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';

/** Limits of an offer's optional objects, and the paths of their problems (docs/design/api-catalogue.md 6). */

interface Problem {
  readonly code: string;
  readonly errors: readonly { readonly path: string; readonly message: string }[];
}

let server: TestServer;
before(async () => {
  server = await startTestServer({});
});
after(() => server?.close());

let counter = 0;
const post = (body: object, headers: Record<string, string> = {}) =>
  server.call<Problem & { id: string; version: number }>('POST', '/api/v1/offers', {
    body: { name: `Offer ${++counter}`, ...body },
    headers,
  });

const maxCents = Number.MAX_SAFE_INTEGER;

describe('names the path of each error', () => {
  const wrong: readonly (readonly [object, string])[] = [
    [{ schedule: { startDate: '2026-02-30' } }, '/schedule/startDate'],
    [{ schedule: { endDate: '2026-11-20T10:00' } }, '/schedule/endDate'],
    [{ schedule: { startDate: '2026-11-21', endDate: '2026-11-20' } }, '/schedule/endDate'],
    [{ schedule: { startDate: '2026-11-20T10:00:00Z', endDate: '2026-11-20T10:00:00Z' } }, '/schedule/endDate'],
    [{ schedule: { startDate: '2026-11-20', endDate: '2026-11-20T00:00:00Z' } }, '/schedule/endDate'],
    [{ schedule: { daysOfWeek: [7] } }, '/schedule/daysOfWeek/0'],
    [{ schedule: { daysOfWeek: [1.5] } }, '/schedule/daysOfWeek/0'],
    [{ schedule: { startHour: -1 } }, '/schedule/startHour'],
    [{ schedule: { endHour: 25 } }, '/schedule/endHour'],
    [{ schedule: { timezone: 'europe/berlin' } }, '/schedule/timezone'],
    [{ schedule: [] }, '/schedule'],
    [{ budget: { dailyCapCents: -1 } }, '/budget/dailyCapCents'],
    [{ budget: { lifetimeCapCents: 1.5 } }, '/budget/lifetimeCapCents'],
    [{ budget: { costPerClickCents: maxCents + 2 } }, '/budget/costPerClickCents'],
    [{ budget: { dailyMaxImpressions: 'many' } }, '/budget/dailyMaxImpressions'],
    [{ budget: { maxPerDay: 1, dailyMaxImpressions: 2 } }, '/budget/maxPerDay'],
    [{ budget: { currency: 'XXQ' } }, '/budget/currency'],
    [{ budget: null }, '/budget'],
    [{ inventory: { totalStock: -1 } }, '/inventory/totalStock'],
    [{ inventory: { totalStock: true } }, '/inventory/totalStock'],
    [{ frequencyCaps: { perCustomer: { daily: -1 } } }, '/frequencyCaps/perCustomer/daily'],
    [{ frequencyCaps: { perCustomer: { weekly: 1_000_001 } } }, '/frequencyCaps/perCustomer/weekly'],
    [{ frequencyCaps: { perCustomer: { monthly: 0.5 } } }, '/frequencyCaps/perCustomer/monthly'],
    [{ frequencyCaps: { perCustomer: [1] } }, '/frequencyCaps/perCustomer'],
    [{ eligibility: { propensityThreshold: 1.1 } }, '/eligibility/propensityThreshold'],
    [{ eligibility: { requiredSegments: [''] } }, '/eligibility/requiredSegments/0'],
    [{ eligibility: { conditions: { field: 'age', operator: 'near', value: 1 } } }, '/eligibility/conditions/operator'],
    [{ tags: Array.from({ length: 51 }, (_, at) => `t${at}`) }, '/tags'],
    [{ tags: ['x'.repeat(65)] }, '/tags/0'],
    [{ shortDesc: 'x'.repeat(501) }, '/shortDesc'],
    [{ description: 'x'.repeat(10_001) }, '/description'],
    [{ metadata: { a: 'x'.repeat(65_536) } }, '/metadata'],
    [{ revenueValue: -0.01 }, '/revenueValue'],
    [{ businessValue: 100.5 }, '/businessValue'],
    [{ priority: 50.5 }, '/priority'],
  ];
  for (const [body, path] of wrong) {
    it(JSON.stringify(body).slice(0, 90), async () => {
      const { status, body: problem, text } = await post(body);
      assert.deepEqual([status, problem.code], [400, 'validation_failed'], text);
      assert.deepEqual(
        problem.errors.map((error) => error.path),
        [path],
      );
    });
  }
});

it('accepts limits at both bounds, and null without a limit', async () => {
  for (const body of [
    { frequencyCaps: { perCustomer: { daily: 0, weekly: 1_000_000, monthly: null } } },
    { schedule: { daysOfWeek: [0, 6], startHour: 0, endHour: 24, startDate: null, timezone: null } },
    { schedule: { daysOfWeek: null } },
    { budget: { dailyCapCents: null }, inventory: { totalStock: null } },
    { budget: { dailyCapCents: 0, lifetimeCapCents: maxCents, currency: 'EUR' } },
    { budget: { maxPerDay: 2, dailyMaxImpressions: 2 } },
    { shortDesc: '😀'.repeat(500), tags: Array.from({ length: 50 }, (_, at) => `${at}`.padEnd(64, 'x')) },
  ]) {
    const { status, text } = await post(body);
    assert.equal(status, 201, text);
  }
});

it('keeps and names unknown keys, and ignores known keys of the server', async () => {
  const body = {
    schedule: { startDate: '2026-01-01', note: 'spring' },
    eligibility: { requiredSegment: ['vip'] },
    frequencyCaps: { perCustomer: { dayly: 3 } },
    budget: { currentDailyImpressions: 5, lastDailyResetDate: '2026-11-20' },
  };
  const made = await post(body);
  assert.equal(made.status, 201, made.text);
  assert.equal(
    made.headers['x-unknown-properties'],
    'eligibility.requiredSegment (requiredSegments?), schedule.note, frequencyCaps.perCustomer.dayly (daily?), frequencyCaps (No limit is set, so nothing is capped.)',
  );
  const read = await server.call<typeof body>('GET', `/api/v1/offers/${made.body.id}`);
  assert.deepEqual(read.body.schedule, body.schedule);
  assert.deepEqual(read.body.eligibility, body.eligibility);
  assert.deepEqual(read.body.frequencyCaps, body.frequencyCaps);
  assert.deepEqual(read.body.budget, {});
  assert.equal((await post(body, { prefer: 'handling=strict' })).status, 400);
});

it('a rejected change changes nothing', async () => {
  const made = await post({ schedule: { startHour: 8 } });
  for (const changes of [
    { priority: 99, schedule: { startHour: 25 } },
    { priority: 99, budget: { dailyCapCents: -1 } },
  ]) {
    const refused = await server.call('PUT', '/api/v1/offers', { body: { id: made.body.id, ...changes } });
    assert.equal(refused.status, 400, refused.text);
  }
  const read = await server.call<Record<string, unknown>>('GET', `/api/v1/offers/${made.body.id}`);
  assert.deepEqual([read.body.priority, read.body.version, read.body.schedule], [50, 1, { startHour: 8 }]);
});
