import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { NotificationProvider, Problem, SendResult } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../main/test-server.ts';
import { reachesDestinations, says, startDestination, type TestDestination } from './test-destination.ts';

/** Destinations and messages over HTTP, to real peers (contract part 1, 4.9; docs/design/api-access.md 9, 22). */

const bullets = '••••••••';
const outbox = mkdtempSync(join(tmpdir(), 'arbiter-notifications-'));

let server: TestServer;
let keyless: TestServer;
let peer: TestDestination;
before(async () => {
  const config = { ...reachesDestinations, MAIL_OUTBOX_DIR: outbox };
  [server, keyless, peer] = await Promise.all([
    startTestServer({ tenants: 2, config }),
    startTestServer({ config: { ...config, DATA_ENCRYPTION_KEY: null } }),
    startDestination(),
  ]);
});
after(async () => {
  await Promise.all([server?.close(), keyless?.close(), peer?.close()]);
  rmSync(outbox, { recursive: true, force: true });
});

let counter = 0;
const providers = '/api/v1/notifications/providers';
type Answered = NotificationProvider & Omit<Problem, 'status'>;
const post = (body: object, on: TestServer = server) =>
  on.call<Answered>('POST', providers, { body: { name: `Destination ${++counter}`, ...body } });
const patch = (id: string, body: object) => server.call<Answered>('PATCH', `${providers}/${id}`, { body });
const get = async (id: string) => (await server.call<Answered>('GET', `${providers}/${id}`)).body;
const webhook = (path: string, more: object = {}) =>
  post({ kind: 'webhook', config: { url: peer.url(path), ...more } });
async function made(answer: ReturnType<typeof post>): Promise<string> {
  const { status, body, text } = await answer;
  assert.equal(status, 201, text);
  return body.id;
}
interface Sent {
  readonly results: readonly SendResult[];
  readonly code?: string;
}
const send = (providerIds: readonly string[], notification: object = {}, headers = {}) =>
  server.call<Sent>('POST', '/api/v1/notifications/send', {
    body: { providerIds, notification: { title: 'Hello', message: 'World', ...notification } },
    headers,
  });
const probe = (id: string) =>
  server.call<{ ok: boolean; latencyMs: number; providerMessageId: string | null; detail: string }>(
    'POST',
    `${providers}/${id}/test`,
  );

test('a destination: made without its config in the answer, read with bullets, listed with the kinds', async () => {
  const secret = 'a signing secret of the test';
  const created = await webhook('/made', { secret, headers: { Authorization: 'Bearer x' } });
  assert.deepEqual(Object.keys(created.body).sort(), ['createdAt', 'enabled', 'id', 'kind', 'name', 'updatedAt']);
  const { body, text } = await server.call<Answered>('GET', `${providers}/${created.body.id}`);
  assert.deepEqual(body.config, { url: peer.url('/made'), secret: bullets, headers: { Authorization: bullets } });
  assert.deepEqual([body.configSummary, body.lastResult, body.enabled], [new URL(peer.url('/')).host, null, true]);
  const list = await server.call<{ data: Answered[]; kinds: { kind: string }[] }>('GET', `${providers}?limit=1`, {
    key: server.tenants[0].keys.viewer,
  });
  assert.deepEqual(list.body.data, [body]);
  assert.deepEqual(
    list.body.kinds.map(({ kind }) => kind),
    ['slack', 'teams', 'webhook', 'ops_email'],
  );
  const stored = await server.testDatabase.ownerQuery<{ text: string }>(
    `select (select json_agg(p)::text from arbiter.notification_providers p)
       || (select json_agg(l)::text from arbiter.audit_logs l) as text`,
  );
  for (const shown of [text, list.text, created.text, stored[0]!.text]) {
    assert.ok(!shown.includes(secret) && !shown.includes('Bearer x'));
  }
  const other = { key: server.tenants[1]!.keys.admin };
  assert.equal((await server.call('GET', `${providers}/${body.id}`, other)).status, 404);
  assert.equal((await server.call('DELETE', `${providers}/${body.id}`, other)).status, 404);
  assert.equal((await server.call('GET', `${providers}/nonsense`)).status, 404);
  assert.equal((await server.call('GET', `${providers}?cursor=nonsense`)).status, 400);
  assert.equal((await server.call('DELETE', `${providers}/${body.id}`)).status, 204);
  assert.equal((await server.call('DELETE', `${providers}/${body.id}`)).status, 404);
});

test('the roles: viewers and editors read, admins write and send', async () => {
  const id = await made(webhook('/roles'));
  for (const role of ['viewer', 'editor'] as const) {
    const key = server.tenants[0].keys[role];
    assert.equal((await server.call('GET', `${providers}/${id}`, { key })).status, 200);
    for (const [method, path, body] of [
      ['POST', providers, { kind: 'webhook', name: 'x', config: { url: peer.url('/') } }],
      ['PATCH', `${providers}/${id}`, { name: 'x' }],
      ['DELETE', `${providers}/${id}`, undefined],
      ['POST', `${providers}/${id}/test`, undefined],
      ['POST', '/api/v1/notifications/send', { providerIds: [id], notification: { title: 'a', message: 'b' } }],
    ] as const) {
      const call = { key, ...(body === undefined ? {} : { body }) };
      assert.equal((await server.call(method, path, call)).status, 403, `${role} ${method} ${path}`);
    }
  }
  assert.equal(peer.got('/roles').length, 0);
});

describe('configs that are refused', () => {
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
      const before = await server.call('GET', providers);
      const answer = await post(body);
      assert.equal(answer.status, status, answer.text);
      assert.equal(answer.body.errors[0]?.path, path);
      if (status === 422) assert.equal(answer.body.code, 'config_invalid');
      assert.equal((await server.call('GET', providers)).text, before.text);
    });
  }

  test('the greatest that pass, and values that have no effect', async () => {
    const headers = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`h${at}`, 'x']));
    await made(webhook('/greatest', { secret: 's'.repeat(256), headers }));
    await made(post({ kind: 'ops_email', config: { toEmails: Array(50).fill('a@b.example') }, name: 'n'.repeat(120) }));
    const told = await post({ kind: 'webhook', config: { url: peer.url('/told'), sekret: 'x' } });
    assert.equal(told.headers['x-unknown-properties'], 'config.sekret (secret?)');
    assert.deepEqual((await get(told.body.id)).config, { url: peer.url('/told') });
  });

  test('http only where the operator allows it; secrets only where something seals them', async () => {
    const strict = await startTestServer();
    try {
      const refused = await post({ kind: 'webhook', config: { url: 'http://example.com/' } }, strict);
      assert.deepEqual([refused.status, refused.body.errors[0]?.path], [422, '/config/url']);
    } finally {
      await strict.close();
    }
    const refused = await post({ kind: 'slack', config: { webhookUrl: 'https://hooks.example.com/x' } }, keyless);
    assert.deepEqual([refused.status, refused.body.code], [503, 'not_configured']);
    assert.equal((await post({ kind: 'ops_email', config: { toEmails: ['a@b.example'] } }, keyless)).status, 201);
  });
});

test('a change merges: bullets keep, null takes away, the whole is judged; the kind stays', async () => {
  const secret = 'the first secret of the test';
  const id = await made(webhook('/merged', { secret, headers: { A: 'one', B: 'two' } }));
  const changed = await patch(id, {
    config: { secret: bullets, headers: { A: bullets, B: null, C: 'three' } },
    name: 'New',
  });
  assert.equal(changed.status, 200, changed.text);
  assert.deepEqual(changed.body.config, {
    url: peer.url('/merged'),
    secret: bullets,
    headers: { A: bullets, C: bullets },
  });
  assert.equal((await probe(id)).status, 200);
  const [got] = peer.got('/merged');
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
    const refused = await patch(id, body);
    assert.deepEqual([refused.status, refused.body.errors[0]?.path], [status, path], refused.text);
  }
  const shown = await get(id);
  assert.deepEqual([shown.config, shown.name, shown.kind], [changed.body.config, 'New', 'webhook']);
  assert.equal((await patch(id, { kind: 'webhook', config: { secret: null } })).status, 200);
  await probe(id);
  assert.equal(peer.got('/merged').at(-1)?.headers['x-service-signature'], undefined);
});

test('a webhook: the body, and both signatures over its bytes', async () => {
  for (const [secret, key] of [
    ['a plain secret of the test', Buffer.from('a plain secret of the test')],
    [`whsec_${Buffer.from('the key of the test').toString('base64')}`, Buffer.from('the key of the test')],
  ] as const) {
    const path = `/signed-${secret.length}`;
    const id = await made(webhook(path, { secret }));
    const fields = { region: 'EU', customers: 12, urgent: true };
    const sent = await send([id], { severity: 'warning', fields, sourceUrl: 'https://example.com/x' });
    assert.equal(sent.status, 200, sent.text);
    const [got] = peer.got(path);
    const body = JSON.parse(got!.text) as Record<string, unknown>;
    assert.deepEqual(body, {
      id: sent.body.results[0]!.providerMessageId,
      type: 'notification',
      tenantId: server.tenants[0].id,
      severity: 'warning',
      title: 'Hello',
      message: 'World',
      fields: [
        { name: 'region', value: 'EU' },
        { name: 'customers', value: 12 },
        { name: 'urgent', value: true },
      ],
      sourceUrl: 'https://example.com/x',
      sentAt: body.sentAt,
    });
    const { headers, text } = got!;
    assert.equal(headers['x-service-signature'], `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`);
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`;
    assert.equal(headers['webhook-signature'], `v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
    assert.equal(headers['webhook-id'], body.id);
    assert.ok(Math.abs(Number(headers['webhook-timestamp']) * 1000 - Date.parse(String(body.sentAt))) < 1000);
  }
});

test('Slack and Teams get no markup of the message', async () => {
  const hostile = '<!channel> & <https://evil.example|click> [x](https://evil.example)';
  const slack = await made(post({ kind: 'slack', config: { webhookUrl: peer.url('/slack') } }));
  const teams = await made(post({ kind: 'teams', config: { webhookUrl: peer.url('/teams') } }));
  const fields = Array.from({ length: 25 }, (_, at) => ({ name: `f${at}`, value: hostile }));
  const sent = await send([slack, teams], { title: hostile, message: hostile, fields });
  assert.deepEqual(
    sent.body.results.map(({ ok }) => ok),
    [true, true],
    sent.text,
  );
  const [toSlack] = peer.got('/slack');
  assert.ok(!toSlack!.text.includes('<!channel>') && !toSlack!.text.includes('<https'));
  const { blocks } = JSON.parse(toSlack!.text) as { blocks: { type: string; fields?: unknown[] }[] };
  assert.deepEqual(
    blocks.filter(({ fields: some }) => some !== undefined).map(({ fields: some }) => some!.length),
    [10, 10, 5],
  );
  assert.ok(!/"type":"mrkdwn"/.test(toSlack!.text));
  const [toTeams] = peer.got('/teams');
  const card = JSON.parse(toTeams!.text) as {
    attachments: { content: { version: string; body: { type: string }[] } }[];
  };
  assert.equal(card.attachments[0]!.content.version, '1.4');
  // Runs of rich text are shown as they are; text blocks would read markdown.
  assert.ok(card.attachments[0]!.content.body.every(({ type }) => type === 'RichTextBlock'));
});

test('mail: one to each address, with the sender and the address for answers of the destination', async () => {
  const id = await made(
    post({
      kind: 'ops_email',
      config: { toEmails: ['a@b.example', 'c@d.example'], fromEmail: 'ops@b.example', replyTo: 'desk@b.example' },
    }),
  );
  assert.equal((await get(id)).configSummary, 'a@b.example +1');
  const sent = await send([id], { title: 'Title <b>', severity: 'critical' });
  assert.equal(sent.status, 200, sent.text);
  const mails = readdirSync(outbox).map((file) => readFileSync(join(outbox, file), 'utf8'));
  assert.deepEqual(mails.map((mail) => /^To: (.*)$/m.exec(mail)?.[1]?.trim()).sort(), ['a@b.example', 'c@d.example']);
  for (const mail of mails) {
    assert.match(mail, /^From: ops@b\.example/m);
    assert.match(mail, /^Reply-To: desk@b\.example/m);
    assert.match(mail, /^Subject: \[Critical\] Title <b>/m);
    assert.match(mail, /Title &lt;b&gt;/);
  }
});

describe('send', () => {
  test('what is refused: nothing is sent', async () => {
    const id = await made(webhook('/never'));
    const ids = (count: number) => Array.from({ length: count }, () => id);
    const unknown = '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a00';
    const other = await server.call<{ id: string }>('POST', providers, {
      key: server.tenants[1]!.keys.admin,
      body: { kind: 'webhook', name: 'Theirs', config: { url: peer.url('/theirs') } },
    });
    const field = { name: 'n', value: 'v' };
    for (const [providerIds, notification, status] of [
      [[], {}, 400],
      [ids(21), {}, 400],
      [[id, 'nonsense'], {}, 400],
      [[id, unknown], {}, 404],
      [[id, other.body.id], {}, 404],
      [[id], { title: '' }, 400],
      [[id], { title: 't'.repeat(201) }, 400],
      [[id], { title: 'a\r\nBcc: x' }, 400],
      [[id], { message: 'm'.repeat(4001) }, 400],
      [[id], { severity: 'fatal' }, 400],
      [[id], { sourceUrl: 'http://example.com/' }, 400],
      [[id], { sourceUrl: 'javascript:alert(1)' }, 400],
      [[id], { fields: Array(26).fill(field) }, 400],
      [[id], { fields: { a: { b: 1 } } }, 400],
    ] as const) {
      const { status: told, text } = await send(providerIds, notification);
      assert.equal(told, status, `${JSON.stringify(notification)} ${text}`);
    }
    assert.deepEqual([peer.got('/never').length, peer.got('/theirs').length], [0, 0]);
    const greatest = { title: 't'.repeat(200), message: 'm'.repeat(4000), fields: Array(25).fill(field) };
    assert.equal((await send(ids(20), greatest)).status, 200);
    assert.equal(peer.got('/never').length, 1, 'a destination that is named twice gets it once');
  });

  test('one that takes it is enough; 502 with the results when none does; a disabled one counts as failed', async () => {
    peer.on('/broken', says(500));
    const [good, bad] = [await made(webhook('/good')), await made(webhook('/broken'))];
    const off = await made(post({ kind: 'webhook', config: { url: peer.url('/off') }, enabled: false }));
    const some = await send([bad, good, off]);
    assert.deepEqual(
      [some.status, some.body.results.map(({ providerId, ok, error }) => [providerId, ok, error])],
      [
        200,
        [
          [bad, false, 'answered 500'],
          [good, true, undefined],
          [off, false, 'disabled'],
        ],
      ],
    );
    assert.equal(peer.got('/off').length, 0);
    const none = await send([bad, off]);
    assert.deepEqual([none.status, none.body.code, none.body.results.length], [502, 'upstream_failed', 2]);
    assert.deepEqual((await get(bad)).lastResult?.error, 'answered 500');
    assert.deepEqual((await get(good)).lastResult?.ok, true);
    assert.equal((await get(off)).lastResult?.error, 'disabled');
  });

  test('a key of idempotency: it is sent once, and a repeat has the same answer', async () => {
    const id = await made(webhook('/once'));
    const call = () => send([id], {}, { 'idempotency-key': 'once' });
    const answers = await Promise.all(Array.from({ length: 8 }, call));
    assert.ok(answers.every(({ status }) => status === 200 || status === 409));
    const again = await call();
    assert.equal(again.status, 200);
    for (const { status, body } of answers) if (status === 200) assert.deepEqual(body, again.body);
    assert.equal(peer.got('/once').length, 1);
    assert.equal((await send([id], { title: 'Other' }, { 'idempotency-key': 'once' })).status, 422);
  });
});

describe('destinations that behave badly', () => {
  test('a redirect is a failure, and carries no secret anywhere', async () => {
    peer.on('/redirects', says(307, { location: peer.url('/elsewhere') }));
    const id = await made(
      webhook('/redirects', { secret: 'a secret of the redirect', headers: { Authorization: 'x' } }),
    );
    const { status, body } = await probe(id);
    assert.deepEqual(
      [status, body.ok, body.detail],
      [502, false, 'The destination did not take the message: answered 307.'],
    );
    assert.equal(peer.got('/elsewhere').length, 0);
  });

  test('410 switches it off, at a test as at a message', async () => {
    peer.on('/gone', says(410));
    const id = await made(webhook('/gone'));
    assert.equal((await probe(id)).status, 502);
    assert.equal((await get(id)).enabled, false);
    assert.equal((await send([id])).body.results[0]?.error, 'disabled');
    assert.equal(peer.got('/gone').length, 1);
  });

  test('one that hangs and one that is half a body keep nobody else from theirs, and end after 5 seconds', async () => {
    let arrived = 0;
    peer.on('/hangs', () => {
      arrived += 1;
    });
    peer.on('/half', (response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half');
    });
    const [hangs, half] = [await made(webhook('/hangs')), await made(webhook('/half'))];
    const good = await made(webhook('/beside'));
    const begun = performance.now();
    const slow = send([hangs, half, good]);
    while (arrived === 0) await new Promise((resolve) => setImmediate(resolve));
    // While it hangs, others are served: the same destinations' tenant, and another tenant.
    assert.equal((await send([good])).status, 200);
    const other = await server.call<{ data: unknown[] }>('GET', '/api/v1/offers', {
      key: server.tenants[1]!.keys.viewer,
    });
    assert.equal(other.status, 200);
    const { body } = await slow;
    assert.ok(performance.now() - begun >= 4_900);
    assert.deepEqual(
      body.results.map(({ error }) => error),
      ['timeout', 'timeout', undefined],
    );
  });

  test('five failures open the breaker of this destination and no other; a test asks it all the same', async () => {
    peer.on('/fails', says(503));
    const [fails, twin] = [await made(webhook('/fails')), await made(webhook('/fails'))];
    for (let times = 0; times < 5; times += 1) await send([fails]);
    assert.equal(peer.got('/fails').length, 5);
    assert.equal((await send([fails])).body.results[0]?.error, 'breaker_open');
    assert.equal(peer.got('/fails').length, 5);
    assert.equal((await send([twin])).body.results[0]?.error, 'answered 503');
    peer.on('/fails', says(200));
    assert.equal((await probe(fails)).status, 200);
    assert.equal((await send([fails])).status, 200, 'the test has closed it');
  });

  test('nothing of what it says is told', async () => {
    peer.on('/tells', (response) => void response.writeHead(500).end('root:x:0:0 internal banner'));
    const id = await made(webhook('/tells'));
    const { text } = await probe(id);
    assert.ok(!text.includes('root:x') && !text.includes('banner'));
  });
});
