import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { scimUserAttributes } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';
import { entra, okta } from './recorded-requests.ts';

/** SCIM over HTTP (docs/design/api-access.md 4.4, 22; docs/design/quality.md T11, E6 to E8). */

const base = '/api/v1/scim/v2';
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const json = { 'content-type': 'application/scim+json' };

interface Resource {
  readonly id: string;
  readonly [name: string]: unknown;
}

interface List {
  readonly totalResults: number;
  readonly startIndex: number;
  readonly itemsPerPage: number;
  readonly Resources: readonly Resource[];
}

let server: TestServer;
before(async () => {
  server = await startTestServer({ tenants: 20 });
});
after(() => server?.close());

/** Each test has a tenant of its own. */
let used = 0;
function fresh() {
  used += 1;
  const tenant = server.tenants[used];
  assert.ok(tenant, 'make more tenants');
  const call = <Body = Resource>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    server.call<Body>(method, `${base}${path}`, {
      key: tenant.keys.admin,
      ...(body === undefined ? {} : { body }),
      headers: { ...(body === undefined ? {} : json), ...headers },
    });
  const made = async (body: unknown): Promise<Resource> => {
    const answer = await call('POST', '/Users', body);
    assert.equal(answer.status, 201, answer.text);
    return answer.body;
  };
  const found = async (filter: string): Promise<unknown[]> => {
    const { status, body, text } = await call<List>('GET', `/Users?filter=${encodeURIComponent(filter)}`);
    assert.equal(status, 200, text);
    assert.equal(body.totalResults, body.Resources.length);
    return body.Resources.map(({ userName }) => userName);
  };
  const refused = async (
    status: number,
    scimType: string | undefined,
    method: string,
    path: string,
    body?: unknown,
  ) => {
    const answer = await call<{ scimType?: string; status: string }>(method, path, body);
    assert.deepEqual([answer.status, answer.body.scimType], [status, scimType], `${method} ${path}: ${answer.text}`);
    assert.equal(answer.body.status, String(status));
  };
  return { tenant, call, made, found, refused };
}

test('creates a user as sent: verified, with the role member and its own address', async () => {
  const { tenant, call, made } = fresh();
  const { status, body, headers } = await call('POST', '/Users', okta.create);
  assert.equal(status, 201);
  assert.equal(headers['content-type'], 'application/scim+json');
  const { id, meta, ...rest } = body;
  const { password: _, groups: __, ...kept } = okta.create;
  assert.deepEqual(rest, kept);
  const location = `http://localhost:3000${base}/Users/${id}`;
  assert.equal(headers.location, location);
  const { created, lastModified, ...others } = meta as Record<string, string>;
  assert.deepEqual(others, { resourceType: 'User', location });
  assert.equal(created, lastModified);
  assert.deepEqual((await call('GET', `/Users/${id}`)).body, body);

  const user = await server.call(`GET`, `/api/v1/users/${id}`, { key: tenant.keys.admin });
  assert.equal(user.body.role, 'member');
  assert.equal(user.body.source, 'scim');
  assert.equal(user.body.status, 'active');
  assert.notEqual(user.body.emailVerifiedAt, null);

  const other = await made({ emails: [{ value: 'Only@Mail.example' }] });
  assert.deepEqual([other.userName, other.displayName], ['Only@Mail.example', 'Only@Mail.example']);
});

test('E8: displayName, else the parts of the name, else userName; lists split the full name', async () => {
  const { call, made } = fresh();
  const name = { givenName: 'Mary Ann', familyName: 'van der Berg' };
  const people = [
    await made({ userName: 'a', name }),
    await made({ userName: 'b', name, displayName: '  Dr.\u00a0Mary  ' }),
    await made({ userName: 'c' }),
    await made({ userName: 'd', name: { formatted: 'Only Formatted' } }),
    await made({ userName: 'e', displayName: 'Cher' }),
  ];
  const shown = ['Mary Ann van der Berg', '  Dr.\u00a0Mary  ', 'c', 'Only Formatted', 'Cher'];
  assert.deepEqual(
    people.map(({ displayName }) => displayName),
    shown,
  );
  assert.deepEqual(people[0]?.name, name);
  const { body } = await call<List>('GET', '/Users');
  assert.deepEqual(
    body.Resources.map((user) => user.name),
    [
      { givenName: 'Mary', familyName: 'Ann van der Berg' },
      { givenName: 'Dr.', familyName: 'Mary' },
      { givenName: 'c', familyName: '' },
      { givenName: 'Only', familyName: 'Formatted' },
      { givenName: 'Cher', familyName: '' },
    ],
  );
});

test('userName is any text of 1 to 255 characters, unique whatever the letter case; equal addresses do not collide', async () => {
  const { call, made, refused } = fresh();
  const emails = [{ value: 'shared@example.com' }];
  await made({ userName: 'a@x.com', emails });
  await refused(409, 'uniqueness', 'POST', '/Users', { userName: 'A@X.COM' });
  await made({ userName: 'jdoe', emails });
  await made({ userName: 'x'.repeat(255) });
  for (const userName of ['x'.repeat(256), '', 7]) await refused(400, 'invalidValue', 'POST', '/Users', { userName });
  await refused(400, 'invalidValue', 'POST', '/Users', {});
  await refused(400, 'invalidValue', 'POST', '/Users', { displayName: 'Nobody' });
  const { body } = await call<List>('GET', '/Users');
  assert.equal(body.totalResults, 3);

  const other = fresh();
  await other.made({ userName: 'a@x.com' });
});

test('takes one name once: by twenty parallel POSTs, and by two PUTs', async () => {
  const { call, made } = fresh();
  const posts = await Promise.all(Array.from({ length: 20 }, () => call('POST', '/Users', { userName: 'Same@x.com' })));
  assert.deepEqual(posts.map(({ status }) => status).sort(), [201, ...Array.from({ length: 19 }, () => 409)]);
  const two = [await made({ userName: 'one' }), await made({ userName: 'two' })];
  const puts = await Promise.all(two.map(({ id }) => call('PUT', `/Users/${id}`, { userName: 'wanted' })));
  assert.deepEqual(puts.map(({ status }) => status).sort(), [200, 409]);
  assert.ok(puts.every(({ status, body }) => status === 200 || body.scimType === 'uniqueness'));
});

test("E6: clamps pages, in a stable order; they're empty beyond the end", async () => {
  const { call, made, refused } = fresh();
  for (let n = 0; n < 3; n += 1) await made({ userName: `user ${n}` });
  const page = async (query: string) => {
    const { status, body, text } = await call<List>('GET', `/Users?${query}`);
    assert.equal(status, 200, text);
    const names = body.Resources.map(({ userName }) => String(userName).slice(-1)).join('');
    return [body.totalResults, body.startIndex, body.itemsPerPage, names];
  };
  assert.deepEqual(await page(''), [3, 1, 3, '012']);
  for (const count of ['0', '-5', '-99999999999999999999'])
    assert.deepEqual(await page(`count=${count}`), [3, 1, 1, '0']);
  for (const start of ['0', '-1']) assert.deepEqual(await page(`startIndex=${start}&count=2`), [3, 1, 2, '01']);
  assert.deepEqual(await page('startIndex=2&count=201'), [3, 2, 2, '12']);
  assert.deepEqual(await page('startIndex=4'), [3, 4, 0, '']);
  assert.deepEqual(await page('startIndex=9007199254740993'), [3, 9007199254740991, 0, '']);
  for (const query of ['count=1.5', 'count=x', 'count=', 'startIndex=1e2', 'count=%D9%A1']) {
    await refused(400, 'invalidValue', 'GET', `/Users?${query}`);
  }
});

test('lists at most 200 users, whatever is requested', async () => {
  const { tenant, call } = fresh();
  await server.testDatabase.ownerQuery(
    `insert into arbiter.users (tenant_id, id, email, email_key, name, role, source, created_at, updated_at)
     select $1, gen_random_uuid(), n::text, n::text, n::text, 'member', 'scim', now(), now() from generate_series(1, 205) n`,
    [tenant.id],
  );
  for (const [query, expected] of [
    ['count=200', 200],
    ['count=201', 200],
    ['', 100],
  ] as const) {
    const { body } = await call<List>('GET', `/Users?${query}`);
    assert.deepEqual([body.totalResults, body.itemsPerPage, body.Resources.length], [205, expected, expected]);
  }
});

test('filters compare as specified, and an invalid one never lists everyone', async () => {
  const { call, made, found, refused } = fresh();
  const mary = await made({
    userName: 'Mary@Example.com',
    displayName: 'Mary Müller',
    externalId: 'EXT-1',
    emails: [{ value: 'm.m@example.com' }],
  });
  const john = await made({ userName: 'john"\\s', externalId: 'ext-2', active: false });
  const cases: [string, unknown[]][] = [
    ['userName eq "mary@example.COM"', [mary.userName]],
    ['USERNAME EQ "mary@example.com"', [mary.userName]],
    ['urn:ietf:params:scim:schemas:core:2.0:User:userName eq "mary@example.com"', [mary.userName]],
    ['userName eq "john\\"\\\\s"', [john.userName]],
    ['userName sw "MARY"', [mary.userName]],
    ['userName co "EXAMPLE"', [mary.userName]],
    ['userName eq "mary%"', []],
    ['userName co "_"', []],
    ['displayName co "müll"', [mary.userName]],
    ['externalId eq "ext-1"', [mary.userName]],
    ['externalId sw "EXT"', [mary.userName, john.userName]],
    [`id eq "${mary.id}"`, [mary.userName]],
    ['id eq "nonsense"', []],
    ['emails eq "M.M@example.com"', [mary.userName]],
    ['emails.value eq "m.m@example.com"', [mary.userName]],
    ['emails.value eq "mary@example.com"', []],
    ['active eq true', [mary.userName]],
    ['active eq "False"', [john.userName]],
    ['active eq false and userName sw "j"', [john.userName]],
    ['(active eq true and (externalId eq "EXT-1")) and userName sw "m"', [mary.userName]],
    ['userName eq "nobody"', []],
  ];
  for (const [filter, names] of cases) assert.deepEqual(await found(filter), names, filter);
  const odd = [
    '',
    ' ',
    'userName',
    'userName eq',
    'userName eq "a',
    'userName eq a',
    'userName eq 1',
    'userName eq true',
    'userName ne "a"',
    'userName pr',
    'userName gt "a"',
    'userName eq "a" or userName eq "b"',
    'not (userName eq "a")',
    'userName eq "a" userName eq "b"',
    '(userName eq "a"',
    'userName eq "a")',
    'active co "t"',
    'active eq "yes"',
    'name.givenName eq "Mary"',
    'emails.type eq "work"',
    'emails[type eq "work"].value eq "a"',
    'password eq "a"',
    'meta.created gt "2020-01-01T00:00:00Z"',
    'userName eq "\\u0000"',
    'userName eq "\\ud800"',
    "userName eq 'a'",
    'userName.x eq "a"',
    `userName eq "a"${' and userName eq "a"'.repeat(50)}`,
  ];
  for (const filter of odd) await refused(400, 'invalidFilter', 'GET', `/Users?filter=${encodeURIComponent(filter)}`);
  assert.equal((await call<List>('GET', '/Users')).body.totalResults, 2);
});

test('keeps every attribute of the standard, in any letter case, and drops others', async () => {
  const { call, made } = fresh();
  const value = (name: string) => `${name} of Mary`;
  const sample: Record<string, unknown> = {};
  for (const { name, type, multiValued, subAttributes = [], mutability } of scimUserAttributes) {
    if (mutability === 'writeOnly' || name === 'active') continue;
    const parts = Object.fromEntries(
      subAttributes.map((sub) => [sub.name, sub.type === 'boolean' ? true : value(sub.name)]),
    );
    sample[name] = type !== 'complex' ? value(name) : multiValued === true ? [parts] : parts;
  }
  const extension = { employeeNumber: '7', department: 'R&D', manager: { value: 'm1', displayName: 'Boss' } };
  const sent = { ...sample, externalId: 'e', active: true, [enterprise]: extension };
  const user = await made({
    ...sent,
    favouriteColor: 'red',
    password: 'Secret123',
    id: 'x',
    groups: [{ value: 'g' }],
  });
  const { schemas, id, meta: _, ...rest } = user;
  assert.deepEqual(rest, sent);
  assert.deepEqual(schemas, ['urn:ietf:params:scim:schemas:core:2.0:User', enterprise]);
  assert.notEqual(id, 'x');
  const dump = await server.testDatabase.ownerQuery<{ text: string }>(
    'select u::text as text from arbiter.users u where id = $1',
    [id],
  );
  assert.ok(!dump[0]?.text.includes('Secret123') && !dump[0]?.text.includes('favouriteColor'));

  const odd = await made({
    USERNAME: 'odd',
    Name: { GIVENNAME: 'Odd' },
    EMAILS: [{ Value: 'odd@x.com', Primary: 'True' }],
  });
  assert.deepEqual(
    [odd.userName, odd.name, odd.emails],
    ['odd', { givenName: 'Odd' }, [{ value: 'odd@x.com', primary: true }]],
  );

  // PUT keeps omitted values, removes null ones, and replaces the rest.
  const put = await call('PUT', `/Users/${id}`, {
    userName: 'new',
    title: null,
    name: { givenName: 'New' },
    nickName: 'N',
  });
  assert.equal(put.status, 200, put.text);
  const { title: __, ...left } = sample;
  const { schemas: s, id: i, meta: m, ...after } = put.body;
  assert.ok(s && i && m);
  assert.deepEqual(after, {
    ...left,
    userName: 'new',
    name: { givenName: 'New' },
    nickName: 'N',
    externalId: 'e',
    active: true,
    [enterprise]: extension,
  });
});

test('attributes and excludedAttributes select what is shown', async () => {
  const { call, made, refused } = fresh();
  const { id } = await made({ ...okta.create, [enterprise]: { department: 'D', division: 'V' } });
  const keys = async (query: string) => {
    const { body } = await call('GET', `/Users/${id}?${query}`);
    return body;
  };
  const only = await keys('attributes=USERNAME,name.givenName,emails.value,nonsense');
  assert.deepEqual(only, {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User', enterprise],
    id,
    userName: okta.create.userName,
    name: { givenName: 'Test' },
    emails: [{ value: okta.create.userName }],
  });
  const without = await keys(`excludedAttributes=id,meta,emails,name.familyName,${enterprise}:division`);
  assert.deepEqual(Object.keys(without).sort(), [
    'active',
    'displayName',
    'externalId',
    'id',
    'locale',
    'name',
    'schemas',
    enterprise,
    'userName',
  ]);
  assert.deepEqual([without.name, without[enterprise]], [{ givenName: 'Test' }, { department: 'D' }]);
  const { body } = await call<List>('GET', '/Users?attributes=userName');
  assert.deepEqual(Object.keys(body.Resources[0] ?? {}).sort(), ['id', 'schemas', 'userName']);
  await refused(400, 'invalidValue', 'GET', `/Users/${id}?attributes=id&excludedAttributes=id`);
});

describe('PATCH', () => {
  test('accepts what Entra ID and Okta send', async () => {
    const { call, made } = fresh();
    const user = await made(entra.create);
    assert.deepEqual(user[enterprise], { department: 'bob', manager: { value: 'Suzzy' } });
    const patch = async (body: unknown) => {
      const answer = await call('PATCH', `/Users/${user.id}`, body);
      assert.equal(answer.status, 200, answer.text);
      return answer.body;
    };
    assert.equal((await patch(entra.deactivate)).active, false);
    assert.equal((await patch(entra.reactivate)).active, true);
    assert.equal((await patch(okta.deactivate)).active, false);
    const updated = await patch(entra.update);
    assert.deepEqual(updated.emails, [{ ...entra.create.emails[0], value: 'updatedEmail@microsoft.com' }]);
    assert.deepEqual(updated.name, { ...entra.create.name, familyName: 'updatedFamilyName' });
    assert.deepEqual(updated.phoneNumbers, [{ type: 'mobile', value: '+49 170 1' }]);
    assert.deepEqual(updated[enterprise], { manager: { value: 'b4f6' } });
    // It was made from the parts of the name, and follows them.
    assert.equal(updated.displayName, 'givenName updatedFamilyName');
    const again = await patch(entra.updateWithoutPath);
    assert.deepEqual(
      [again.displayName, again.name],
      ['Bjfe', { ...entra.create.name, familyName: 'updatedFamilyName', givenName: 'Kacey' }],
    );
    assert.deepEqual(again.addresses, [{ type: 'work', locality: 'Berlin' }]);
    assert.deepEqual(again[enterprise], { manager: { value: 'b4f6' }, employeeNumber: '42' });
  });

  test('adds, replaces and removes values of lists; only one is preferred', async () => {
    const { call, made, refused } = fresh();
    const work = { value: 'w@x.com', type: 'work', primary: true };
    const home = { value: 'h@x.com', type: 'home' };
    const { id } = await made({ userName: 'lists', emails: [work, home], title: 'Boss' });
    const emails = async (...Operations: unknown[]) => {
      const answer = await call('PATCH', `/Users/${id}`, { Operations });
      assert.equal(answer.status, 200, answer.text);
      return answer.body.emails;
    };
    const other = { value: 'o@x.com', type: 'other', primary: true };
    assert.deepEqual(await emails({ op: 'add', path: 'emails', value: [other] }), [
      { ...work, primary: false },
      home,
      other,
    ]);
    assert.deepEqual(await emails({ op: 'add', path: 'emails', value: [{ ...home }] }), [
      { ...work, primary: false },
      other,
      home,
    ]);
    assert.deepEqual(await emails({ op: 'replace', path: 'emails[type eq "work"].primary', value: 'True' }), [
      work,
      { ...other, primary: false },
      home,
    ]);
    assert.deepEqual(await emails({ op: 'remove', path: 'emails[type eq "OTHER"]' }), [work, home]);
    assert.deepEqual(await emails({ op: 'remove', path: 'emails', value: [{ value: 'h@x.com' }] }), [work]);
    assert.deepEqual(await emails({ op: 'replace', path: 'emails', value: [home] }), [home]);
    assert.deepEqual(await emails({ op: 'remove', path: 'emails' }), undefined);
    const many = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, n) => ({ value: `${from + n}@x.com` }));
    assert.equal(((await emails({ op: 'add', path: 'emails', value: many(0, 100) })) as unknown[]).length, 100);
    await refused(400, 'invalidValue', 'PATCH', `/Users/${id}`, {
      Operations: [{ op: 'add', path: 'emails', value: many(100, 101) }],
    });
    await emails({ op: 'remove', path: 'emails' });
    const one = (op: string, path: unknown, value?: unknown) => ({ Operations: [{ op, path, value }] });
    const cases: [string, unknown][] = [
      ['invalidPath', one('replace', 'nonsense', 1)],
      ['invalidPath', one('replace', 'emails[type eq "work"', 1)],
      ['invalidPath', one('replace', 'emails[type eq "work"].nonsense', 1)],
      ['invalidPath', one('replace', 'title[type eq "work"]', 1)],
      ['invalidPath', one('replace', 'name.x', 'y')],
      ['invalidPath', one('replace', '', 'y')],
      ['invalidFilter', one('replace', 'emails[type gt "work"].value', 'x')],
      ['mutability', one('replace', 'id', 'x')],
      ['mutability', one('remove', 'meta.created')],
      ['noTarget', one('remove', null)],
      ['noTarget', one('replace', 'emails[type sw "w"].value', 'x')],
      ['invalidValue', one('remove', 'userName')],
      ['invalidValue', one('remove', 'active')],
      ['invalidValue', one('replace', 'active', 'yes')],
      ['invalidValue', one('replace', 'title', 7)],
      ['invalidValue', one('replace', 'userName', 'x'.repeat(256))],
      ['invalidValue', one('replace', null, 'active')],
      ['invalidSyntax', one('move', 'title', 'x')],
      ['invalidSyntax', { Operations: [] }],
      ['invalidSyntax', {}],
      // The first operation is valid, and is rolled back with the second.
      [
        'invalidPath',
        {
          Operations: [
            { op: 'replace', path: 'title', value: 'X' },
            { op: 'add', path: 'zz', value: 1 },
          ],
        },
      ],
    ];
    for (const [scimType, body] of cases) await refused(400, scimType, 'PATCH', `/Users/${id}`, body);
    const after = await call('GET', `/Users/${id}`);
    assert.deepEqual([after.body.title, after.body.active, after.body.userName], ['Boss', true, 'lists']);
    assert.equal(
      (await call('PATCH', `/Users/${id}`, { operations: [{ OP: 'REMOVE', Path: 'TITLE' }] })).body.title,
      undefined,
    );
  });
});

test("T11, E7: deactivation isn't a login lock", async () => {
  const { tenant, call, made, refused } = fresh();
  const { id } = await made({ userName: 'who@x.com' });
  const row = async () => {
    const user = await server.call(`GET`, `/api/v1/users/${id}`, { key: tenant.keys.admin });
    const { body } = await call('GET', `/Users/${id}`);
    return [user.body.status, user.body.lockedUntil, body.active];
  };
  const lock = (until: string) =>
    server.testDatabase.ownerQuery('update arbiter.users set locked_until = $2 where id = $1', [id, until]);
  // A lock after wrong passwords is the account's, and no matter of the directory.
  await lock('2098-01-01T00:00:00Z');
  assert.deepEqual(await row(), ['locked', '2098-01-01T00:00:00.000Z', true]);
  assert.equal((await call('PUT', `/Users/${id}`, { userName: 'who@x.com', active: true })).status, 200);
  assert.deepEqual(await row(), ['locked', '2098-01-01T00:00:00.000Z', true]);
  for (let n = 0; n < 2; n += 1) {
    assert.equal((await call('DELETE', `/Users/${id}`)).status, 204);
    assert.deepEqual(await row(), ['deactivated', '2099-12-31T00:00:00.000Z', false]);
  }
  // A lock that comes later neither shortens nor lifts it.
  await lock('2030-01-01T00:00:00Z');
  assert.deepEqual(await row(), ['deactivated', '2099-12-31T00:00:00.000Z', false]);
  await refused(409, 'uniqueness', 'POST', '/Users', { userName: 'WHO@x.com' });
  // Omitted counts as true, and clears both.
  assert.equal((await call('PUT', `/Users/${id}`, { userName: 'who@x.com' })).body.active, true);
  assert.deepEqual(await row(), ['active', null, true]);
  assert.equal((await call('PUT', `/Users/${id}`, { userName: 'who@x.com', active: false })).body.active, false);
  const born = await made({ userName: 'gone', active: false });
  assert.equal(born.active, false);
});

test("each call writes an audit row of the scim user; another tenant's user isn't found", async () => {
  const { tenant, call, made, refused } = fresh();
  const { id } = await made({ userName: 'audited' });
  await call('GET', `/Users/${id}`);
  await call('GET', '/Users');
  await call('PUT', `/Users/${id}`, { userName: 'audited', title: 'T' });
  await call('PATCH', `/Users/${id}`, entra.deactivate);
  await call('DELETE', `/Users/${id}`);
  const rows = await server.call<{ data: { action: string; entityType: string; entityId: string; userId: string }[] }>(
    'GET',
    '/api/v1/audit-logs?userId=scim',
    { key: tenant.keys.admin },
  );
  const said = rows.body.data.map(({ action, entityType, entityId, userId }) => [action, entityType, entityId, userId]);
  assert.deepEqual(said.reverse(), [
    ['create', 'user', id, 'scim'],
    ['read', 'user', id, 'scim'],
    ['read', 'user', 'list', 'scim'],
    ['update', 'user', id, 'scim'],
    ['update', 'user', id, 'scim'],
    ['update', 'user', id, 'scim'],
  ]);
  const stranger = server.tenants[0].keys.admin;
  for (const [method, body] of [
    ['GET'],
    ['PUT', { userName: 'x' }],
    ['PATCH', entra.deactivate],
    ['DELETE'],
  ] as const) {
    const answer = await server.call(method, `${base}/Users/${id}`, {
      key: stranger,
      ...(body === undefined ? {} : { body, headers: json }),
    });
    assert.deepEqual([answer.status, answer.body.status], [404, '404']);
  }
  await refused(404, undefined, 'GET', '/Users/nonsense');
});

test('every error below /scim/v2 has the SCIM format', async () => {
  const { tenant, call } = fresh();
  const id = '018f0000-0000-7000-8000-000000000000';
  const send = (method: string, path: string, headers: Record<string, string>, key: string | null, body?: unknown) =>
    server.call<{ schemas: string[]; status: string }>(method, `${base}${path}`, {
      key,
      headers,
      ...(body === undefined ? {} : { body }),
    });
  const { admin, viewer } = tenant.keys;
  const cases = [
    [401, await send('GET', '/Users', {}, null)],
    [401, await send('GET', '/Users', { authorization: 'Basic YTpi' }, null)],
    [401, await send('GET', '/Users', {}, 'krn_wrongwrongwrongwrongwrong')],
    [401, await send('GET', '/Users', {}, 'eyJhbGciOiJIUzI1NiJ9.e30.x')],
    [403, await send('GET', '/Users', {}, viewer)],
    [403, await send('GET', '/Users', { 'x-tenant-id': server.tenants[0].id }, admin)],
    [404, await send('GET', `/Users/${id}`, {}, admin)],
    [404, await send('GET', '/Nothing', {}, admin)],
    [404, await send('GET', '/Schemas/urn:nothing', {}, admin)],
    [405, await send('DELETE', '/Users', {}, admin)],
    [405, await send('POST', '/Groups', json, admin, {})],
    [413, await send('POST', '/Users', json, admin, { userName: 'x'.repeat(1024 * 1024) })],
    [415, await send('POST', '/Users', { 'content-type': 'text/plain' }, admin, {})],
  ] as const;
  for (const [status, answer] of cases) {
    assert.equal(answer.status, status, answer.text);
    assert.equal(answer.headers['content-type'], 'application/scim+json');
    assert.deepEqual(
      [answer.body.schemas, answer.body.status],
      [['urn:ietf:params:scim:api:messages:2.0:Error'], String(status)],
    );
    if (status === 401) assert.match(String(answer.headers['www-authenticate']), /^Bearer/);
  }
  await server.testDatabase.ownerQuery('delete from arbiter.rate_limit_windows where tenant_id = $1', [tenant.id]);
  const paths = ['/Users', '/ServiceProviderConfig', `/Users/${id}`];
  // Six hundred in a minute over all of them together.
  const statuses: number[] = [];
  for (let n = 0; n < 600; n += 100) {
    const some = Array.from({ length: 100 }, (_, index) => call('GET', paths[index % paths.length] ?? ''));
    statuses.push(...(await Promise.all(some)).map(({ status }) => status));
  }
  assert.ok(statuses.every((status) => status !== 429));
  const over = await send('GET', '/Schemas', {}, admin);
  assert.deepEqual([over.status, over.body.status], [429, '429']);
  assert.ok(Number(over.headers['retry-after']) > 0);
});

test('the SCIM documents describe what is supported', async () => {
  const { call } = fresh();
  const config = await call<Record<string, { supported: boolean }>>('GET', '/ServiceProviderConfig');
  const supported = ['patch', 'filter', 'bulk', 'sort', 'etag', 'changePassword'].map(
    (name) => config.body[name]?.supported,
  );
  assert.deepEqual(supported, [true, true, false, false, false, false]);
  const types = await call<List>('GET', '/ResourceTypes');
  assert.deepEqual(
    types.body.Resources.map(({ id, endpoint }) => [id, endpoint]),
    [['User', '/Users']],
  );
  assert.deepEqual((await call('GET', '/ResourceTypes/User')).body, types.body.Resources[0]);
  const schemas = await call<List>('GET', '/Schemas');
  assert.deepEqual(
    schemas.body.Resources.map(({ id }) => id),
    ['urn:ietf:params:scim:schemas:core:2.0:User', enterprise],
  );
  assert.deepEqual((await call('GET', `/Schemas/${enterprise}`)).body, schemas.body.Resources[1]);
  const groups = await call<List>('GET', '/Groups?startIndex=0');
  assert.deepEqual(
    [groups.status, groups.body.totalResults, groups.body.startIndex, groups.body.Resources],
    [200, 0, 1, []],
  );
  for (const answer of [config, types, schemas, groups]) {
    assert.equal(answer.headers['content-type'], 'application/scim+json');
  }
});
