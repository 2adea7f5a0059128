import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { startServerOn } from '../../../main/test-server.ts';
import {
  type AnsweredProvider,
  type NotificationServer,
  providers,
  startNotificationServer,
} from './test-notifications.ts';

/** Destinations over HTTP (docs/design/api-access.md 9, 22). */

const bullets = '••••••••';

let world: NotificationServer;
before(async () => {
  world = await startNotificationServer();
});
after(() => world?.close());

test('a destination: created without its config in the response, read with bullets, listed with its types', async () => {
  const secret = 'a signing secret of the test';
  const created = await world.webhook('/made', { secret, headers: { Authorization: 'Bearer x' } });
  assert.deepEqual(Object.keys(created.body).sort(), ['createdAt', 'enabled', 'id', 'kind', 'name', 'updatedAt']);
  const { body, text } = await world.server.call<AnsweredProvider>('GET', `${providers}/${created.body.id}`);
  assert.deepEqual(body.config, { url: world.peer.url('/made'), secret: bullets, headers: { Authorization: bullets } });
  assert.deepEqual(
    [body.configSummary, body.lastResult, body.enabled],
    [new URL(world.peer.url('/')).host, null, true],
  );
  const list = await world.server.call<{ data: AnsweredProvider[]; kinds: { kind: string }[] }>(
    'GET',
    `${providers}?limit=1`,
    {
      key: world.server.tenants[0].keys.viewer,
    },
  );
  assert.deepEqual(list.body.data, [body]);
  assert.deepEqual(
    list.body.kinds.map(({ kind }) => kind),
    ['slack', 'teams', 'webhook', 'ops_email'],
  );
  const stored = await world.server.testDatabase.ownerQuery<{ text: string }>(
    `select (select json_agg(p)::text from arbiter.notification_providers p)
       || (select json_agg(l)::text from arbiter.audit_logs l) as text`,
  );
  for (const shown of [text, list.text, created.text, stored[0]!.text]) {
    assert.ok(!shown.includes(secret) && !shown.includes('Bearer x'));
  }
  const other = { key: world.server.tenants[1]!.keys.admin };
  assert.equal((await world.server.call('GET', `${providers}/${body.id}`, other)).status, 404);
  assert.equal((await world.server.call('DELETE', `${providers}/${body.id}`, other)).status, 404);
  assert.equal((await world.server.call('GET', `${providers}/nonsense`)).status, 404);
  assert.equal((await world.server.call('GET', `${providers}?cursor=nonsense`)).status, 400);
  assert.equal((await world.server.call('DELETE', `${providers}/${body.id}`)).status, 204);
  assert.equal((await world.server.call('DELETE', `${providers}/${body.id}`)).status, 404);
});

test('the roles: viewers and editors read, admins write and send', async () => {
  const id = await world.made(world.webhook('/roles'));
  for (const role of ['viewer', 'editor'] as const) {
    const key = world.server.tenants[0].keys[role];
    assert.equal((await world.server.call('GET', `${providers}/${id}`, { key })).status, 200);
    for (const [method, path, body] of [
      ['POST', providers, { kind: 'webhook', name: 'x', config: { url: world.peer.url('/') } }],
      ['PATCH', `${providers}/${id}`, { name: 'x' }],
      ['DELETE', `${providers}/${id}`, undefined],
      ['POST', `${providers}/${id}/test`, undefined],
      ['POST', '/api/v1/notifications/send', { providerIds: [id], notification: { title: 'a', message: 'b' } }],
    ] as const) {
      const call = { key, ...(body === undefined ? {} : { body }) };
      assert.equal((await world.server.call(method, path, call)).status, 403, `${role} ${method} ${path}`);
    }
  }
  assert.equal(world.peer.got('/roles').length, 0);
});

describe('rejects invalid configs', () => {
  const url = 'https://hooks.example.com/x';
  for (const [words, body, status, path] of [
    ['an unknown kind', { kind: 'pager', config: {} }, 400, '/kind'],
    ['a config that is a list', { kind: 'slack', config: [] }, 400, '/config'],
    ['slack without its address', { kind: 'slack', config: {} }, 422, '/config/webhookUrl'],
    ['an address that is none', { kind: 'teams', config: { webhookUrl: 'there' } }, 422, '/config/webhookUrl'],
    ['another protocol', { kind: 'webhook', config: { url: 'ftp://example.com/' } }, 422, '/config/url'],
    ['a user in the address', { kind: 'webhook', config: { url: 'https://me@example.com/' } }, 422, '/config/url'],
    ['the metadata service', { kind: 'webhook', config: { url: 'https://169.254.169.254/' } }, 422, '/config/url'],
    [
      'a private address, spelled otherwise',
      { kind: 'webhook', config: { url: 'https://0xA.1/' } },
      422,
      '/config/url',
    ],
    ['a secret of 15', { kind: 'webhook', config: { url, secret: 's'.repeat(15) } }, 422, '/config/secret'],
    ['a secret of 257', { kind: 'webhook', config: { url, secret: 's'.repeat(257) } }, 422, '/config/secret'],
    ['bullets for a secret', { kind: 'webhook', config: { url, secret: bullets } }, 422, '/config/secret'],
    ['bullets for an address', { kind: 'slack', config: { webhookUrl: bullets } }, 422, '/config/webhookUrl'],
    ['the header Host', { kind: 'webhook', config: { url, headers: { Host: 'x' } } }, 422, '/config/headers/Host'],
    [
      'the signature as a header',
      { kind: 'webhook', config: { url, headers: { 'X-Service-Signature': 'x' } } },
      422,
      '/config/headers/X-Service-Signature',
    ],
    [
      'a line break in a header',
      { kind: 'webhook', config: { url, headers: { A: 'x\r\nB: y' } } },
      422,
      '/config/headers/A',
    ],
    [
      '21 headers',
      {
        kind: 'webhook',
        config: { url, headers: Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`h${at}`, 'x'])) },
      },
      422,
      '/config/headers',
    ],
    ['no address', { kind: 'ops_email', config: { toEmails: [] } }, 422, '/config/toEmails'],
    [
      '51 addresses',
      { kind: 'ops_email', config: { toEmails: Array(51).fill('a@b.example') } },
      422,
      '/config/toEmails',
    ],
    [
      'two addresses in one',
      { kind: 'ops_email', config: { toEmails: ['a@b.example, c@d.example'] } },
      422,
      '/config/toEmails/0',
    ],
    ['a name of 121', { kind: 'slack', name: 'n'.repeat(121), config: { webhookUrl: url } }, 400, '/name'],
  ] as const) {
    test(words, async () => {
      const before = await world.server.call('GET', providers);
      const answer = await world.post(body);
      assert.equal(answer.status, status, answer.text);
      assert.equal(answer.body.errors[0]?.path, path);
      if (status === 422) assert.equal(answer.body.code, 'config_invalid');
      assert.equal((await world.server.call('GET', providers)).text, before.text);
    });
  }

  test('accepts the largest values, and reports values without effect', async () => {
    const headers = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`h${at}`, 'x']));
    await world.made(world.webhook('/greatest', { secret: 's'.repeat(256), headers }));
    await world.made(
      world.post({ kind: 'ops_email', config: { toEmails: Array(50).fill('a@b.example') }, name: 'n'.repeat(120) }),
    );
    const told = await world.post({ kind: 'webhook', config: { url: world.peer.url('/told'), sekret: 'x' } });
    assert.equal(told.headers['x-unknown-properties'], 'config.sekret (secret?)');
    assert.deepEqual((await world.get(told.body.id)).config, { url: world.peer.url('/told') });
  });

  test('allows http only where the operator does, and secrets only with an encryption key', async () => {
    const beside = (config: object) => {
      const { testDatabase } = world.server;
      const { call, close } = startServerOn({ ...testDatabase, close: async () => undefined }, { config });
      const key = world.server.tenants[0].keys.admin;
      return { close, on: { call: ((method, path, more) => call(method, path, { key, ...more })) as typeof call } };
    };
    const strict = beside({});
    const keyless = beside({ ...world.config, DATA_ENCRYPTION_KEY: null });
    try {
      const { status, body } = await world.post(
        { kind: 'webhook', config: { url: 'http://hooks.example.com/' } },
        strict.on,
      );
      assert.deepEqual([status, body.code, body.errors?.[0]?.path], [422, 'config_invalid', '/config/url']);
      const slack = { kind: 'slack', config: { webhookUrl: 'https://hooks.example.com/x' } };
      const refused = await world.post(slack, keyless.on);
      assert.deepEqual([refused.status, refused.body.code], [503, 'not_configured']);
      const mail = { kind: 'ops_email', config: { toEmails: ['a@b.example'] } };
      assert.equal((await world.post(mail, keyless.on)).status, 201);
    } finally {
      await Promise.all([strict.close(), keyless.close()]);
    }
  });
});

test('a change merges: bullets keep, null removes, the result is validated, and the type is fixed', async () => {
  const secret = 'the first secret of the test';
  const id = await world.made(world.webhook('/merged', { secret, headers: { A: 'one', B: 'two' } }));
  const changed = await world.patch(id, {
    config: { secret: bullets, headers: { A: bullets, B: null, C: 'three' } },
    name: 'New',
  });
  assert.equal(changed.status, 200, changed.text);
  assert.deepEqual(changed.body.config, {
    url: world.peer.url('/merged'),
    secret: bullets,
    headers: { A: bullets, C: bullets },
  });
  assert.equal((await world.probe(id)).status, 200);
  const [got] = world.peer.got('/merged');
  assert.deepEqual([got?.headers.a, got?.headers.b, got?.headers.c], ['one', undefined, 'three']);
  assert.equal(
    got?.headers['x-service-signature'],
    `sha256=${createHmac('sha256', secret).update(got!.text).digest('hex')}`,
  );
  for (const [body, status, path] of [
    [{ config: { url: null } }, 422, '/config/url'],
    [{ config: { secret: 'short' } }, 422, '/config/secret'],
    [{ config: { headers: { D: bullets } } }, 422, '/config/headers/D'],
    [{ kind: 'slack' }, 400, '/kind'],
  ] as const) {
    const refused = await world.patch(id, body);
    assert.deepEqual([refused.status, refused.body.errors[0]?.path], [status, path], refused.text);
  }
  const shown = await world.get(id);
  assert.deepEqual([shown.config, shown.name, shown.kind], [changed.body.config, 'New', 'webhook']);
  assert.equal((await world.patch(id, { kind: 'webhook', config: { secret: null } })).status, 200);
  await world.probe(id);
  assert.equal(world.peer.got('/merged').at(-1)?.headers['x-service-signature'], undefined);
});
