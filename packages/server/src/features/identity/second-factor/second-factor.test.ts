import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Problem, SecondFactorAnswer } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';
import { newId } from '../../../platform/ids.ts';
import { cookieOf, createPeople, type Person, trusting } from '../accounts/test-people.ts';
import { takeMails } from '../mail/test-mailbox.ts';
import { createTestApp, type TestApp } from './test-app.ts';

/** The second factor (docs/design/api-access.md 22). */

let nowMs = Date.parse('2026-11-20T09:00:00Z');
let server: TestServer;
let people: ReturnType<typeof createPeople>;
before(async () => {
  server = await startTestServer({ tenants: 2, clock: { now: () => nowMs }, config: trusting });
  people = createPeople(server);
});
after(() => server?.close());

const tenant = () => server.tenants[0];
const now = () => new Date(nowMs);
const later = (seconds: number) => {
  nowMs += seconds * 1000;
};

type Answer = SecondFactorAnswer & Problem;
const step = (body: object, cookie?: string) =>
  people.open<Answer>('POST', '/api/v1/auth/mfa', { body, ...(cookie === undefined ? {} : { cookie }) });

interface Protected extends Person {
  readonly app: TestApp;
  readonly cookie: string;
  readonly backupCodes: readonly string[];
}

/** Creates a person with a second factor. The code of the previous step is used up. */
async function protectedPerson(options: Parameters<typeof people.person>[1] = {}): Promise<Protected> {
  const person = await people.person(tenant(), options);
  const cookie = await people.signIn(person);
  const begun = await step({ action: 'setup' }, cookie);
  assert.equal(begun.status, 200, begun.text);
  const app = createTestApp(begun.body.secret!);
  const enabled = await step({ action: 'enable', code: app.code(now(), -1) }, cookie);
  assert.equal(enabled.status, 200, enabled.text);
  assert.deepEqual(Object.keys(enabled.body).toSorted(), ['backupCodes', 'enabled']);
  return { ...person, app, cookie, backupCodes: enabled.body.backupCodes! };
}

/** Returns the token that continues a sign-in. */
async function halfIn(person: Person): Promise<string> {
  const answer = await people.login(person);
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.headers['set-cookie'], undefined);
  assert.deepEqual(Object.keys(answer.body).toSorted(), ['expiresAt', 'mfaRequired', 'mfaToken']);
  assert.equal(answer.body.expiresAt, new Date(Math.floor(nowMs / 1000) * 1000 + 300_000).toISOString());
  return answer.body.mfaToken!;
}

const verify = (mfaToken: string, code: string) => step({ action: 'verify', mfaToken, code });
const codeOf = (answer: { status: number; body: Problem }) => [answer.status, answer.body.code];
const pathOf = ({ body }: { body: Problem }) => body.errors?.[0]?.path;
const auditOf = (id: string) =>
  server.testDatabase.ownerQuery<{ action: string; before: unknown; after: unknown }>(
    `select action, before, after from arbiter.audit_logs where entity_id = $1 and action in ('update', 'login', 'login_failed')
      order by sequence`,
    [id],
  );

test("setup and enable turn it on; then the password alone isn't enough, but a code is", async () => {
  await takeMails(server);
  const ada = await protectedPerson();
  assert.equal(new Set(ada.backupCodes).size, 10);
  for (const code of ada.backupCodes) assert.match(code, /^[a-z2-7]{5}-[a-z2-7]{5}$/);
  assert.deepEqual(await takeMails(server), [
    { kind: 'second_factor', to: ada.email, tenantName: tenant().name, change: 'enabled' },
  ]);
  const audited = (await auditOf(ada.id)).at(-1)!;
  assert.deepEqual(
    [audited.action, audited.before, audited.after],
    ['update', { secondFactor: false }, { secondFactor: true }],
  );
  const mfaToken = await halfIn(ada);
  assert.equal((await people.session(`arbiter_session=${mfaToken}`)).authenticated, false);
  const answer = await verify(mfaToken, ada.app.code(now()));
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.body.user?.email, ada.email);
  assert.equal(answer.body.tenant?.id, tenant().id);
  assert.equal((await people.session(cookieOf(answer))).principal?.id, ada.id);
  assert.deepEqual((await auditOf(ada.id)).at(-1)?.action, 'login');
});

test('a code works once: not again, in parallel, or after a newer one', async () => {
  const ada = await protectedPerson();
  const tokens = [await halfIn(ada), await halfIn(ada), await halfIn(ada), await halfIn(ada)];
  const code = ada.app.code(now());
  const answers = await Promise.all(tokens.map((token) => verify(token, code)));
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 401, 401, 401]);
  const token = await halfIn(ada);
  assert.deepEqual(codeOf(await verify(token, code)), [401, 'invalid_credentials']);
  assert.equal((await verify(token, ` ${ada.app.code(now(), 1).replace(/^(...)/, '$1 ')} `)).status, 200);
  later(60);
  // The step two ahead back then is now the current one; the one before it is older than the last used.
  assert.deepEqual(codeOf(await verify(await halfIn(ada), ada.app.code(now(), -1))), [401, 'invalid_credentials']);
  assert.equal((await verify(await halfIn(ada), ada.app.code(now()))).status, 200);
});

test('a clock may be off by one step, not two', async () => {
  const ada = await protectedPerson();
  later(300);
  for (const off of [-2, 2])
    assert.equal((await verify(await halfIn(ada), ada.app.code(now(), off))).status, 401, `${off}`);
  assert.equal((await verify(await halfIn(ada), ada.app.code(now(), -1))).status, 200);
  assert.equal((await verify(await halfIn(ada), ada.app.code(now(), 1))).status, 200);
});

test('a backup code works once, even in parallel', async () => {
  const ada = await protectedPerson();
  const [first, second] = ada.backupCodes as [string, string];
  const tokens = [await halfIn(ada), await halfIn(ada), await halfIn(ada)];
  const answers = await Promise.all(tokens.map((token) => verify(token, first)));
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 401, 401]);
  assert.equal((await verify(await halfIn(ada), first)).status, 401);
  assert.equal((await verify(await halfIn(ada), second.replace('-', ' ').toUpperCase())).status, 200);
  const bob = await protectedPerson();
  assert.equal((await verify(await halfIn(bob), ada.backupCodes[2]!)).status, 401);
});

test('wrong codes count as failed sign-ins: the fifth locks, and then no code works', async () => {
  const ada = await protectedPerson();
  const token = await halfIn(ada);
  await takeMails(server);
  for (let tried = 0; tried < 5; tried += 1) {
    assert.deepEqual(codeOf(await verify(token, '000000')), [401, 'invalid_credentials']);
    // A correct password in between resets nothing.
    if (tried < 4) await halfIn(ada);
  }
  assert.equal((await people.user(tenant(), ada.id)).status, 'locked');
  // Anyone who gets as far as the code has the password.
  const until = new Date(nowMs + 15 * 60_000).toISOString();
  assert.deepEqual(await takeMails(server), [
    { kind: 'locked', to: ada.email, tenantName: tenant().name, until, passwordKnown: true },
  ]);
  assert.deepEqual(codeOf(await verify(token, ada.app.code(now()))), [401, 'invalid_credentials']);
  assert.deepEqual(codeOf(await verify(token, ada.backupCodes[0]!)), [401, 'invalid_credentials']);
  assert.equal((await auditOf(ada.id)).filter(({ action }) => action === 'login_failed').length, 7);
  later(15 * 60);
  assert.equal((await verify(await halfIn(ada), ada.app.code(now()))).status, 200);
});

test('T7: the token of a half sign-in is valid five minutes, for this person and password, and only it works', async () => {
  const ada = await protectedPerson();
  const token = await halfIn(ada);
  const [head, body, mac] = token.split('.') as [string, string, string];
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString());
  const changed = Buffer.from(JSON.stringify({ ...claims, sub: newId() })).toString('base64url');
  const unsigned = Buffer.from(JSON.stringify({ alg: 'none', typ: 'mfa+jwt' })).toString('base64url');
  const session = ada.cookie.split('=')[1]!;
  for (const bad of [
    `${head}.${changed}.${mac}`,
    `${unsigned}.${body}.`,
    session,
    `${token}x`,
    'x',
    `${head}.${body}`,
  ]) {
    assert.deepEqual(codeOf(await verify(bad, ada.app.code(now()))), [401, 'invalid_credentials'], bad);
    assert.equal((await step({ action: 'setup', mfaToken: bad })).status, 401, bad);
  }
  const bearer = await people.open('GET', '/api/v1/offers', { headers: { authorization: `Bearer ${token}` } });
  assert.equal(bearer.status, 401);
  later(299);
  assert.equal((await verify(token, ada.app.code(now()))).status, 200);
  later(1);
  assert.equal((await verify(token, ada.app.code(now(), 1))).status, 401);
  const before = await halfIn(ada);
  await server.testDatabase.ownerQuery(
    `update arbiter.user_passwords set password_hash = password_hash || 'x' where user_id = $1`,
    [ada.id],
  );
  assert.equal((await verify(before, ada.app.code(now(), 1))).status, 401);
});

test('deactivation ends a half sign-in', async () => {
  const ada = await protectedPerson();
  const token = await halfIn(ada);
  await server.testDatabase.ownerQuery('update arbiter.users set deactivated_at = now() where id = $1', [ada.id]);
  assert.deepEqual(codeOf(await verify(token, ada.app.code(now()))), [401, 'invalid_credentials']);
});

test('enable requires a correct code of a setup, and a new setup replaces the old one', async () => {
  const person = await people.person(tenant());
  const cookie = await people.signIn(person);
  assert.deepEqual(codeOf(await step({ action: 'enable', code: '000000' }, cookie)), [409, 'invalid_transition']);
  const first = createTestApp((await step({ action: 'setup' }, cookie)).body.secret!);
  const begun = await step({ action: 'setup' }, cookie);
  const url = new URL(begun.body.otpauthUrl!);
  assert.equal(url.searchParams.get('secret'), begun.body.secret);
  assert.ok(decodeURIComponent(url.pathname).endsWith(`:${person.email}`));
  for (const code of [first.code(now()), '', 'abc']) {
    const answer = await step({ action: 'enable', code }, cookie);
    assert.deepEqual([answer.status, pathOf(answer)], [400, '/code'], code);
  }
  assert.equal((await step({ action: 'enable' }, cookie)).status, 400);
  // Begun is not on: the password alone still opens.
  assert.equal((await people.login(person)).body.mfaRequired, undefined);
  const app = createTestApp(begun.body.secret!);
  const answers = await Promise.all([1, 2, 3].map(() => step({ action: 'enable', code: app.code(now()) }, cookie)));
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 409, 409]);
  assert.deepEqual(codeOf(await step({ action: 'setup' }, cookie)), [409, 'invalid_transition']);
  // The code that enabled it is used.
  assert.equal((await verify(await halfIn(person), app.code(now()))).status, 401);
});

test('disable requires session, password and code; errors count', async () => {
  const ada = await protectedPerson();
  const disable = (given: object, cookie: string | undefined = ada.cookie) =>
    step({ action: 'disable', ...given }, cookie);
  const code = () => ada.app.code(now(), 1);
  assert.equal(pathOf(await disable({ code: code() })), '/password');
  assert.equal(pathOf(await disable({ password: ada.password })), '/code');
  assert.deepEqual(codeOf(await step({ action: 'disable', password: ada.password, code: code() })), [
    401,
    'unauthorized',
  ]);
  const wrong = [
    await disable({ password: 'Wrong0000', code: code() }),
    await disable({ password: ada.password, code: '000000' }),
  ];
  assert.deepEqual(
    wrong.map((answer) => [answer.status, pathOf(answer)]),
    [
      [400, '/password'],
      [400, '/code'],
    ],
  );
  assert.equal((await auditOf(ada.id)).filter(({ action }) => action === 'login_failed').length, 2);
  await takeMails(server);
  const done = await disable({ password: ada.password, code: code() });
  assert.deepEqual([done.status, done.body], [200, { enabled: false }]);
  assert.deepEqual(
    (await takeMails(server)).map((mail) => [mail.kind, mail.to]),
    [['second_factor', ada.email]],
  );
  assert.deepEqual((await auditOf(ada.id)).at(-1)?.after, { secondFactor: false });
  assert.deepEqual(codeOf(await disable({ password: ada.password, code: code() })), [409, 'invalid_transition']);
  assert.equal((await people.login(ada)).body.mfaRequired, undefined);
  // Its backup codes are deleted too.
  const [left] = await server.testDatabase.ownerQuery('select from arbiter.backup_codes where user_id = $1', [ada.id]);
  assert.equal(left, undefined);
});

test('where the tenant requires it, users without one set it up during sign-in', async () => {
  const other = server.tenants[1]!;
  const call = (mfaRequired: boolean) =>
    server.call<{ mfaRequired: boolean }>('PUT', '/api/v1/tenant-settings', {
      key: other.keys.admin,
      body: { mfaRequired },
    });
  const person = await people.person(other);
  assert.equal((await call(true)).body.mfaRequired, true);
  const answer = await people.login(person);
  assert.deepEqual(Object.keys(answer.body).toSorted(), ['expiresAt', 'mfaRequired', 'mfaToken', 'setupRequired']);
  const mfaToken = answer.body.mfaToken!;
  assert.equal((await verify(mfaToken, '000000')).status, 401);
  const app = createTestApp((await step({ action: 'setup', mfaToken })).body.secret!);
  assert.equal(pathOf(await step({ action: 'enable', mfaToken, code: '000000' })), '/code');
  const enabled = await step({ action: 'enable', mfaToken, code: app.code(now()) });
  assert.equal(enabled.status, 200, enabled.text);
  assert.deepEqual(
    [enabled.body.enabled, enabled.body.backupCodes?.length, enabled.body.user?.id],
    [true, 10, person.id],
  );
  assert.equal((await people.session(cookieOf(enabled))).principal?.id, person.id);
  // The same token can't replace what it set up.
  assert.deepEqual(codeOf(await step({ action: 'setup', mfaToken })), [409, 'invalid_transition']);
  const again = await people.login(person);
  assert.deepEqual(Object.keys(again.body).toSorted(), ['expiresAt', 'mfaRequired', 'mfaToken']);
  await call(false);
  assert.equal((await people.login(person)).body.mfaRequired, true);
  assert.equal((await people.login(await people.person(other))).body.mfaRequired, undefined);
});

test('an admin removes it from people of the same tenant, but not their own', async () => {
  const ada = await protectedPerson();
  const reset = (id: string, key: string | null, headers = {}) =>
    server.call<{ id: string; secondFactor: boolean } & Problem>('POST', `/api/v1/users/${id}/reset-mfa`, {
      key,
      headers,
    });
  const { keys } = tenant();
  assert.equal((await reset(ada.id, keys.editor)).status, 403);
  assert.equal((await reset(ada.id, server.tenants[1]!.keys.admin)).status, 404);
  assert.equal((await reset(newId(), keys.admin)).status, 404);
  assert.equal((await reset('nonsense', keys.admin)).status, 404);
  const boss = await protectedPerson({ role: 'admin' });
  assert.deepEqual(codeOf(await reset(boss.id, null, { cookie: boss.cookie })), [403, 'forbidden']);
  await takeMails(server);
  const isShown = async () => (await people.user(tenant(), ada.id)).secondFactor;
  assert.equal(await isShown(), true);
  const answer = await reset(ada.id, null, { cookie: boss.cookie });
  assert.deepEqual([answer.status, answer.body.id, answer.body.secondFactor], [200, ada.id, false]);
  assert.equal(await isShown(), false);
  assert.deepEqual(await takeMails(server), [
    { kind: 'second_factor', to: ada.email, tenantName: tenant().name, change: 'reset' },
  ]);
  assert.equal((await people.session(ada.cookie)).authenticated, false);
  assert.equal((await people.login(ada)).body.mfaRequired, undefined);
  const audited = (await auditOf(ada.id)).length;
  assert.equal((await reset(ada.id, keys.admin)).status, 200);
  assert.deepEqual([(await takeMails(server)).length, (await auditOf(ada.id)).length - audited], [0, 0]);
});

test('seals secrets, hashes codes, and shows none to the read-only role or in the log', async () => {
  const person = await people.person(tenant());
  const cookie = await people.signIn(person);
  const { secret } = (await step({ action: 'setup' }, cookie)).body;
  const app = createTestApp(secret!);
  const { backupCodes } = (await step({ action: 'enable', code: app.code(now()) }, cookie)).body;
  const rows = await server.testDatabase.ownerQuery<{ row: string }>(
    `select f::text || encode(f.sealed, 'escape') as row from arbiter.second_factors f where user_id = $1
     union all select b::text || encode(b.code_hash, 'escape') from arbiter.backup_codes b where user_id = $1
     union all select a::text from arbiter.audit_logs a where entity_id = $1::text`,
    [person.id],
  );
  assert.ok(rows.length > 12);
  const seen = [...rows.map(({ row }) => row), JSON.stringify(server.log)];
  for (const text of seen)
    for (const word of [secret!, ...backupCodes!]) assert.equal(text.includes(word), false, text);
  const rights = await server.testDatabase.ownerQuery<{ allowed: boolean }>(
    `select has_table_privilege('arbiter_readonly', t, 'select') as allowed
       from unnest(array['arbiter.second_factors', 'arbiter.backup_codes', 'arbiter.mails']) as t`,
  );
  assert.deepEqual(
    rights.map(({ allowed }) => allowed),
    [false, false, false],
  );
});

test('T5: without an encryption key nothing is set up; without a session secret nobody continues', async () => {
  const bare = await startTestServer({ config: { ...trusting, DATA_ENCRYPTION_KEY: null } });
  try {
    const others = createPeople(bare);
    const cookie = await others.signIn(await others.person(bare.tenants[0]));
    const answer = await others.open('POST', '/api/v1/auth/mfa', { body: { action: 'setup' }, cookie });
    assert.deepEqual(codeOf(answer), [503, 'not_configured']);
    assert.match(answer.body.detail ?? '', /DATA_ENCRYPTION_KEY/);
    // It can't be required either, who could no longer sign in.
    const put = (mfaRequired: boolean) =>
      bare.call<Problem>('PUT', '/api/v1/tenant-settings', { body: { mfaRequired } });
    const refused = await put(true);
    assert.deepEqual(codeOf(refused), [503, 'not_configured']);
    assert.match(refused.body.detail ?? '', /DATA_ENCRYPTION_KEY/);
    assert.equal((await put(false)).status, 200);
  } finally {
    await bare.close();
  }
  for (const secret of [null, ' ']) {
    const closed = await startTestServer({ config: { ...trusting, NEXTAUTH_SECRET: secret } });
    try {
      const body = { action: 'verify', mfaToken: 'a.b.c', code: '123456' };
      const answer = await createPeople(closed).open('POST', '/api/v1/auth/mfa', { body });
      assert.deepEqual(codeOf(answer), [503, 'not_configured']);
    } finally {
      await closed.close();
    }
  }
});

test('a sign-in that continues responds like a sign-in', async () => {
  const ada = await protectedPerson();
  const answer = await verify(await halfIn(ada), ada.app.code(now()));
  const { user, tenant: where, expiresAt, ...rest } = answer.body;
  assert.deepEqual(Object.keys(rest), []);
  assert.deepEqual(user, { id: ada.id, name: `Name of ${ada.email}`, email: ada.email, role: 'editor' });
  assert.deepEqual(where, { id: tenant().id, name: tenant().name, isPlayground: false });
  assert.equal(expiresAt, new Date(nowMs + 30 * 60_000).toISOString());
});
