import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { type NotificationServer, providers, startNotificationServer } from './test-notifications.ts';

/** A tenant can't send email to unlimited addresses. */

let world: NotificationServer;
before(async () => {
  world = await startNotificationServer({ MAIL_RATE_PER_MINUTE: 60 });
});
after(() => world?.close());

/** A destination with this many addresses. */
const mails = (count: number): Promise<string> =>
  world.made(
    world.post({
      kind: 'ops_email',
      config: { toEmails: Array.from({ length: count }, (_, at) => `ops-${at}@example.com`) },
    }),
  );

test("reports what exceeds the limit per minute, and doesn't send it", async () => {
  const [first, second, small] = [await mails(40), await mails(30), await mails(20)];
  const before = readdirSync(world.outbox).length;
  const sentNow = (): number => readdirSync(world.outbox).length - before;
  const some = await world.send([first]);
  assert.equal(some.status, 200, some.text);
  assert.equal(sentNow(), 40);
  const none = await world.send([second]);
  assert.deepEqual([none.status, none.body.code], [429, 'rate_limited'], none.text);
  assert.match(none.text, /limit of email addresses/);
  const wait = Number(none.headers['retry-after']);
  assert.ok(wait >= 1 && wait <= 60, String(wait));
  const probed = await world.probe(second);
  assert.equal(probed.status, 429, probed.text);
  assert.equal((await world.get(second)).lastResult, null, 'it was not tried');
  const both = await world.send([second, small]);
  assert.equal(both.status, 200, both.text);
  assert.deepEqual(
    both.body.results.map(({ ok, error }) => [ok, error]),
    [
      [false, 'rate_limited'],
      [true, undefined],
    ],
    'a message to fewer has room',
  );
  assert.equal(sentNow(), 60, 'all addresses of a message or none');
  const own = await world.webhook('/beside');
  assert.equal((await world.send([own.body.id])).status, 200, 'only mails are counted');
  const other = { key: world.server.tenants[1]!.keys.admin };
  const { body } = await world.server.call<{ id: string }>('POST', providers, {
    ...other,
    body: { kind: 'ops_email', name: 'Other', config: { toEmails: ['ops@example.com'] } },
  });
  const ofOther = await world.server.call('POST', '/api/v1/notifications/send', {
    ...other,
    body: { providerIds: [body.id], notification: { title: 'Hello', message: 'World' } },
  });
  assert.equal(ofOther.status, 200, 'another tenant has its own minute');
});
