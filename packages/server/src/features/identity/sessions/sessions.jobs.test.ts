import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { systemActor } from '../../../db/index.ts';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';
import { createPeople, trusting } from '../accounts/test-people.ts';

let nowMs = Date.parse('2026-11-20T09:00:00Z');
let server: TestServer;
before(async () => {
  server = await startTestServer({ clock: { now: () => nowMs }, config: trusting });
});
after(() => server?.close());

const days = (count: number) => {
  nowMs += count * 24 * 3_600_000;
};
const run = (name: string) =>
  server.jobs.get(name)!.run({}, { jobId: '1', attempt: 1, dueAt: null, signal: new AbortController().signal }, null);
const count = async (table: string) =>
  (await server.testDatabase.ownerQuery<{ count: number }>(`select count(*)::int as count from arbiter.${table}`))[0]!
    .count;

test('deletes sessions and links thirty days after they end, but no pending registration', async () => {
  const people = createPeople(server);
  const ada = await people.person(server.tenants[0]);
  await people.signIn(ada);
  await server.database.withTenant(server.tenants[0].id, systemActor('test'), async (tx) => {
    const given = { name: 'Ada', tenantName: null, passwordHash: await server.passwords.hash('Passw0rd') };
    await server.links.issue(tx, { userId: ada.id, purpose: 'verification', given });
    await server.links.issue(tx, { userId: ada.id, purpose: 'reset' });
    await server.links.issue(tx, { userId: ada.id, purpose: 'invitation' });
  });
  days(30);
  await run('sessions.sweep');
  assert.deepEqual([await count('user_sessions'), await count('user_tokens')], [1, 3]);
  days(1);
  await run('sessions.sweep');
  assert.deepEqual([await count('user_sessions'), await count('user_tokens')], [0, 2], 'the invitation had seven days');
  days(7);
  await run('sessions.sweep');
  assert.deepEqual(await server.testDatabase.ownerQuery('select purpose from arbiter.user_tokens'), [
    { purpose: 'verification' },
  ]);
});

test('deletes notes between simultaneous registrations after a day', async () => {
  await server.call('POST', '/api/v1/auth/register', {
    key: null,
    body: { name: 'Ben', email: 'ben@example.test', password: 'Passw0rd' },
  });
  await run('accounts.sweep-claims');
  assert.equal(await count('registration_claims'), 1);
  days(1.1);
  await run('accounts.sweep-claims');
  assert.equal(await count('registration_claims'), 0);
});
