import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Warning } from '@arbiter/contract';
import { policyHistoryDays } from '@arbiter/engine';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';

test('how far a policy looks back', () => {
  const cases: [Parameters<typeof policyHistoryDays>[0], Parameters<typeof policyHistoryDays>[1], number][] = [
    ['frequency_cap', { maxPerDay: 1 }, 1],
    ['frequency_cap', { maxPerDay: 1, maxPerMonth: 3 }, 31],
    ['frequency_cap', { maxTotal: 3 }, Number.POSITIVE_INFINITY],
    [
      'frequency_cap',
      {
        windows: [
          { max: 1, hours: 36 },
          { max: 2, days: 90 },
        ],
      },
      90,
    ],
    ['cooldown', { cooldownHours: 48 }, 2],
    ['customer_total_cap', { maxTotal: 1 }, Number.POSITIVE_INFINITY],
    ['customer_total_cap', { maxTotal: 1, periodType: 'weekly' }, 7],
    ['cross_channel_cap', { maxTotal: 1 }, 1],
    ['mutual_exclusion', {}, 30],
    ['outcome_based', { suppressForDays: 60 }, 60],
    ['time_window', { startHour: 8 }, 0],
  ];
  for (const [ruleType, config, days] of cases) assert.equal(policyHistoryDays(ruleType, config), days, ruleType);
});

let now = Date.parse('2026-11-22T12:00:00Z');
let server: TestServer;
before(async () => {
  server = await startTestServer({ clock: { now: () => now } });
  const body = { dataClass: 'interactions', retentionDays: 60, legalHold: false };
  await server.call('POST', '/api/v1/admin/retention-configs', { body });
});
after(() => server.close());

interface Written {
  readonly id: string;
  readonly warnings?: readonly Warning[];
}
let made = 0;
const make = async (config: object): Promise<Written> => {
  const body = { name: `Cap ${++made}`, ruleType: 'frequency_cap', scope: 'global', config };
  const answer = await server.call<Written>('POST', '/api/v1/contact-policies', { body });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
};

test('warns about a limit that looks back beyond retention, once history may have been deleted', async () => {
  assert.equal((await make({ maxTotal: 3 })).warnings, undefined, 'nothing is older than the tenant');
  now += 60 * 86_400_000 - 3_600_000;
  assert.equal((await make({ maxTotal: 3 })).warnings, undefined);
  now += 2 * 3_600_000;
  const warned = await make({ maxTotal: 3 });
  assert.deepEqual(warned.warnings, [
    {
      path: '/config',
      code: 'history_too_short',
      message: "History is kept for 60 days. Contacts before that aren't counted when the policy starts.",
      suggestion: 'Use a limit of at most 60 days, or keep interactions longer in the retention settings.',
    },
  ]);
  assert.equal((await make({ windows: [{ max: 3, days: 60 }] })).warnings, undefined);
  const changed = await server.call<Written>('PUT', `/api/v1/contact-policies/${warned.id}`, {
    body: { config: { windows: [{ max: 3, days: 61 }] } },
  });
  assert.equal(changed.body.warnings?.length, 1, changed.text);
  const read = await server.call<Written>('GET', `/api/v1/contact-policies/${warned.id}`);
  assert.deepEqual(read.body.warnings, changed.body.warnings, 'the record is read with the same warning');
});
