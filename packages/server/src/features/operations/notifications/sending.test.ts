import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { says } from './test-destination.ts';
import { type NotificationServer, providers, startNotificationServer } from './test-notifications.ts';

/** Messages to real peers, over HTTP (docs/design/api-access.md 9, 22; docs/design/quality.md T28, E28). */

let world: NotificationServer;
before(async () => {
  world = await startNotificationServer();
});
after(() => world?.close());

test('a webhook: the body, and both signatures over its bytes', async () => {
  for (const [secret, key] of [
    ['a plain secret of the test', Buffer.from('a plain secret of the test')],
    [`whsec_${Buffer.from('the key of the test').toString('base64')}`, Buffer.from('the key of the test')],
  ] as const) {
    const path = `/signed-${secret.length}`;
    const id = await world.made(world.webhook(path, { secret }));
    const fields = { region: 'EU', customers: 12, urgent: true };
    const sent = await world.send([id], { severity: 'warning', fields, sourceUrl: 'https://example.com/x' });
    assert.equal(sent.status, 200, sent.text);
    const [got] = world.peer.got(path);
    const body = JSON.parse(got!.text) as Record<string, unknown>;
    assert.deepEqual(body, {
      id: sent.body.results[0]!.providerMessageId,
      type: 'notification',
      tenantId: world.server.tenants[0].id,
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
  const slack = await world.made(world.post({ kind: 'slack', config: { webhookUrl: world.peer.url('/slack') } }));
  const teams = await world.made(world.post({ kind: 'teams', config: { webhookUrl: world.peer.url('/teams') } }));
  const fields = Array.from({ length: 25 }, (_, at) => ({ name: `f${at}`, value: hostile }));
  const sent = await world.send([slack, teams], { title: hostile, message: hostile, fields });
  assert.deepEqual(
    sent.body.results.map(({ ok }) => ok),
    [true, true],
    sent.text,
  );
  const [toSlack] = world.peer.got('/slack');
  assert.ok(!toSlack!.text.includes('<!channel>') && !toSlack!.text.includes('<https'));
  const { blocks } = JSON.parse(toSlack!.text) as { blocks: { type: string; fields?: unknown[] }[] };
  assert.deepEqual(
    blocks.filter(({ fields: some }) => some !== undefined).map(({ fields: some }) => some!.length),
    [10, 10, 5],
  );
  assert.ok(!/"type":"mrkdwn"/.test(toSlack!.text));
  const [toTeams] = world.peer.got('/teams');
  const card = JSON.parse(toTeams!.text) as {
    attachments: { content: { version: string; body: { type: string }[] } }[];
  };
  assert.equal(card.attachments[0]!.content.version, '1.4');
  // Runs of rich text are shown as they are; text blocks would read markdown.
  assert.ok(card.attachments[0]!.content.body.every(({ type }) => type === 'RichTextBlock'));
});

test("email: one to each address, with the destination's sender and reply address", async () => {
  const id = await world.made(
    world.post({
      kind: 'ops_email',
      config: { toEmails: ['a@b.example', 'c@d.example'], fromEmail: 'ops@b.example', replyTo: 'desk@b.example' },
    }),
  );
  assert.equal((await world.get(id)).configSummary, 'a@b.example +1');
  const sent = await world.send([id], { title: 'Title <b>', severity: 'critical' });
  assert.equal(sent.status, 200, sent.text);
  const mails = readdirSync(world.outbox).map((file) => readFileSync(join(world.outbox, file), 'utf8'));
  assert.deepEqual(mails.map((mail) => /^To: (.*)$/m.exec(mail)?.[1]?.trim()).sort(), ['a@b.example', 'c@d.example']);
  for (const mail of mails) {
    assert.match(mail, /^From: ops@b\.example/m);
    assert.match(mail, /^Reply-To: desk@b\.example/m);
    assert.match(mail, /^Subject: \[Critical\] Title <b>/m);
    assert.match(mail, /Title &lt;b&gt;/);
  }
});

describe('send', () => {
  test('rejects invalid input, and sends nothing', async () => {
    const id = await world.made(world.webhook('/never'));
    const ids = (count: number) => Array.from({ length: count }, () => id);
    const unknown = '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a00';
    const other = await world.server.call<{ id: string }>('POST', providers, {
      key: world.server.tenants[1]!.keys.admin,
      body: { kind: 'webhook', name: 'Theirs', config: { url: world.peer.url('/theirs') } },
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
      const { status: told, text } = await world.send(providerIds, notification);
      assert.equal(told, status, `${JSON.stringify(notification)} ${text}`);
    }
    assert.deepEqual([world.peer.got('/never').length, world.peer.got('/theirs').length], [0, 0]);
    const greatest = { title: 't'.repeat(200), message: 'm'.repeat(4000), fields: Array(25).fill(field) };
    assert.equal((await world.send(ids(20), greatest)).status, 200);
    assert.equal(world.peer.got('/never').length, 1, 'a destination that is listed more than once gets it once');
  });

  test('succeeds if one accepts; 502 with the results if none does; a disabled one counts as failed', async () => {
    world.peer.on('/broken', says(500));
    const [good, bad] = [await world.made(world.webhook('/good')), await world.made(world.webhook('/broken'))];
    const off = await world.made(
      world.post({ kind: 'webhook', config: { url: world.peer.url('/off') }, enabled: false }),
    );
    const some = await world.send([bad, good, off]);
    assert.deepEqual(
      [some.status, some.body.results.map(({ providerId, ok, error }) => [providerId, ok, error])],
      [
        200,
        [
          [bad, false, 'responded with 500'],
          [good, true, undefined],
          [off, false, 'disabled'],
        ],
      ],
    );
    assert.equal(world.peer.got('/off').length, 0);
    const none = await world.send([bad, off]);
    assert.deepEqual([none.status, none.body.code, none.body.results.length], [502, 'upstream_failed', 2]);
    assert.deepEqual((await world.get(bad)).lastResult?.error, 'responded with 500');
    assert.deepEqual((await world.get(good)).lastResult?.ok, true);
    assert.equal((await world.get(off)).lastResult?.error, 'disabled');
  });

  test('an idempotency key sends once, and a repeat gets the same response', async () => {
    const id = await world.made(world.webhook('/once'));
    const call = () => world.send([id], {}, { 'idempotency-key': 'once' });
    const answers = await Promise.all(Array.from({ length: 8 }, call));
    assert.ok(answers.every(({ status }) => status === 200 || status === 409));
    const again = await call();
    assert.deepEqual([again.status, again.headers['idempotent-replay']], [200, 'true']);
    for (const { status, body } of answers) if (status === 200) assert.deepEqual(body, again.body);
    assert.equal(world.peer.got('/once').length, 1);
    assert.equal((await world.send([id], { title: 'Other' }, { 'idempotency-key': 'once' })).status, 422);
  });
});

describe('destinations that behave badly', () => {
  test('a redirect is a failure, and never receives a secret', async () => {
    world.peer.on('/redirects', says(307, { location: world.peer.url('/elsewhere') }));
    const id = await world.made(
      world.webhook('/redirects', { secret: 'a secret of the redirect', headers: { Authorization: 'x' } }),
    );
    const { status, body } = await world.probe(id);
    assert.deepEqual(
      [status, body.ok, body.detail],
      [502, false, 'The destination rejected the message: responded with 307.'],
    );
    assert.equal(world.peer.got('/elsewhere').length, 0);
  });

  test('410 disables it, after a test or a message', async () => {
    world.peer.on('/gone', says(410));
    const id = await world.made(world.webhook('/gone'));
    assert.equal((await world.probe(id)).status, 502);
    assert.equal((await world.get(id)).enabled, false);
    assert.equal((await world.send([id])).body.results[0]?.error, 'disabled');
    assert.equal(world.peer.got('/gone').length, 1);
  });

  test('one that hangs or sends half a body delays no other, and ends after 5 seconds', async () => {
    let arrived = 0;
    world.peer.on('/hangs', () => {
      arrived += 1;
    });
    world.peer.on('/half', (response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half');
    });
    const [hangs, half] = [await world.made(world.webhook('/hangs')), await world.made(world.webhook('/half'))];
    const good = await world.made(world.webhook('/beside'));
    const begun = performance.now();
    const slow = world.send([hangs, half, good]);
    while (arrived === 0) await new Promise((resolve) => setImmediate(resolve));
    // While it hangs, others are served: the same destinations' tenant, and another tenant.
    assert.equal((await world.send([good])).status, 200);
    const other = await world.server.call<{ data: unknown[] }>('GET', '/api/v1/offers', {
      key: world.server.tenants[1]!.keys.viewer,
    });
    assert.equal(other.status, 200);
    const { body } = await slow;
    assert.ok(performance.now() - begun >= 4_900);
    assert.deepEqual(
      body.results.map(({ error }) => error),
      ['timeout', 'timeout', undefined],
    );
  });

  test('five failures open the breaker of this destination only; a test still calls it', async () => {
    world.peer.on('/fails', says(503));
    const [fails, twin] = [await world.made(world.webhook('/fails')), await world.made(world.webhook('/fails'))];
    for (let times = 0; times < 5; times += 1) await world.send([fails]);
    assert.equal(world.peer.got('/fails').length, 5);
    assert.equal((await world.send([fails])).body.results[0]?.error, 'breaker_open');
    assert.equal(world.peer.got('/fails').length, 5);
    assert.equal((await world.send([twin])).body.results[0]?.error, 'responded with 503');
    world.peer.on('/fails', says(200));
    assert.equal((await world.probe(fails)).status, 200);
    assert.equal((await world.send([fails])).status, 200, 'the test has closed it');
    const moves = (await world.server.registry.getSingleMetric('svc_breaker_transitions_total')?.get())?.values ?? [];
    assert.deepEqual(
      moves.filter(({ labels }) => labels.name === 'notification').map(({ labels, value }) => [labels.to, value]),
      [
        ['open', 1],
        ['closed', 1],
      ],
    );
  });

  test('never repeats what the destination says', async () => {
    world.peer.on('/tells', (response) => void response.writeHead(500).end('root:x:0:0 internal banner'));
    const id = await world.made(world.webhook('/tells'));
    const { text } = await world.probe(id);
    assert.ok(!text.includes('root:x') && !text.includes('banner'));
  });
});
