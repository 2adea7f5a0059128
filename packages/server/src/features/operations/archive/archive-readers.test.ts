import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type ArchiveWorld, startArchiveWorld } from './test-archive.ts';

// Readers of history row by row count archived months, or say that they leave them out.

let world: ArchiveWorld;
const secret = 'the cron secret of a test';
const month = new Date().toISOString().slice(0, 7);
type Warned = { readonly warnings?: readonly { readonly code: string; readonly message: string }[] };

before(async () => {
  world = await startArchiveWorld({ config: { CRON_SECRET: secret } });
  await world.decide('C-1', { limit: 3 });
  await world.publish();
  world.ahead();
  await world.run('history.archive');
});
after(() => world?.close());

test('a new cap with a longer window counts archived contacts', async () => {
  // The next write of the customer's state drops contacts that no policy counts.
  assert.equal((await world.decide('C-1', { limit: 3 })).count, 3);
  const policy = { name: 'Four times in eighty days', ruleType: 'frequency_cap', scope: 'global', status: 'active' };
  const config = { windows: [{ max: 4, hours: 24 * 80 }] };
  await world.server.createRecord('contact-policies', { ...policy, config });
  assert.equal((await world.decide('C-1', { limit: 3 })).count, 0);
  assert.ok((await world.decide('C-2', { limit: 3 })).count > 0, 'others are not affected');
});

test('a projection of a cap says which months it leaves out', async () => {
  const ask = (periodDays: number) =>
    world.server.call<Warned>('POST', '/api/v1/contact-policies/impact-preview', {
      body: { policyType: 'frequency_cap', config: { maxFrequency: 1, periodDays, outcomeType: 'impression' } },
    });
  const long = await ask(200);
  assert.equal(long.status, 200, long.text);
  assert.match(long.body.warnings?.[0]?.message ?? '', new RegExp(`leaves out archived rows of ${month}`));
  assert.equal((await ask(1)).body.warnings, undefined);
});

test('an export lists months archived before it, and later months wait for it', async () => {
  const answer = await world.server.call<{ tenants: { archivedMonths?: string[] }[] }>(
    'GET',
    '/api/v1/cron/export-interactions',
    { key: null, headers: { authorization: `Bearer ${secret}` } },
  );
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(answer.body.tenants[0]?.archivedMonths, [month]);
  // From now on the tenant exports, and unexported history isn't archived.
  await world.decide('C-3');
  world.ahead(45 + 31);
  await world.run('history.archive');
  assert.notEqual(await world.count('decision_impressions'), 0);
});
