import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';
import { takeMails } from '../mail/test-mailbox.ts';
import { createPeople, trusting } from './test-people.ts';

/** Many tenants that claim to know an address, of which only a few are checked (docs/design/api-access.md 22 "Accounts, sessions"). */

let server: TestServer;
let people: ReturnType<typeof createPeople>;
before(async () => {
  server = await startTestServer({ tenants: 12, config: trusting });
  people = createPeople(server);
});
after(() => server?.close());

const email = 'owner@example.test';

test("accounts that tenants invented, however new, never displace the owner's", async () => {
  const [home, ...hostile] = server.tenants;
  const own = await people.person(home, { email });
  assert.equal(hostile.length, 11);
  for (const [index, tenant] of hostile.entries()) {
    // Half of them by their directories, as if they were used just now, half by invitations.
    if (index % 2 === 0) {
      const made = await server.call('POST', '/api/v1/scim/v2/Users', {
        key: tenant.keys.admin,
        body: { userName: email },
        headers: { 'content-type': 'application/scim+json' },
      });
      assert.equal(made.status, 201, made.text);
      await server.testDatabase.ownerQuery('update arbiter.users set last_login_at = now() where id = $1', [
        made.body.id,
      ]);
    } else {
      const invited = await server.call('POST', '/api/v1/users', { key: tenant.keys.admin, body: { email } });
      assert.equal(invited.status, 201, invited.text);
    }
  }
  await takeMails(server);
  const answer = await people.login({ email, password: own.password });
  assert.deepEqual([answer.status, answer.body.tenant?.id], [200, home.id], answer.text);

  assert.equal((await people.open('POST', '/api/v1/auth/forgot-password', { body: { email } })).status, 202);
  assert.equal((await takeMails(server, home.id)).length, 1);

  const body = { name: 'Owner', email, password: 'Passw0rd' };
  assert.equal((await people.open('POST', '/api/v1/auth/register', { body })).status, 201);
  const kinds = (await takeMails(server)).filter(({ to }) => to === email).map(({ kind }) => kind);
  assert.deepEqual([kinds.includes('registration_known'), kinds.includes('verification')], [true, false]);
});
