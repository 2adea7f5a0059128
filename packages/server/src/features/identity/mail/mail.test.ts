import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { simpleParser } from 'mailparser';
import { readSmtpUrl } from '../../../config/mail-settings.ts';
import { systemActor, type Tx } from '../../../db/index.ts';
import { createQueueKeeper, createWorker } from '../../../jobs/index.ts';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';
import { AppError } from '../../../platform/app-error.ts';
import { createEnvelope } from '../../../platform/crypto/crypto.ts';
import { createMailOutbox } from '../../../platform/mail/mail-outbox.ts';
import { startTestSmtpServer, type TestSmtpServer } from '../../../platform/mail/test-smtp-server.ts';
import { mailQueue } from './index.ts';
import { sendMail } from './mail.service.ts';
import type { Mail } from './mails.ts';
import { takeMails } from './test-mailbox.ts';

const outbox = mkdtempSync(join(tmpdir(), 'arbiter-mail-'));
let smtp: TestSmtpServer;
let server: TestServer;
let now = new Date('2026-11-20T09:00:00.000Z');
const refused = new Set<string>();
before(async () => {
  smtp = await startTestSmtpServer({
    onRcptTo: ({ address }, _session, done) =>
      done(refused.has(address) ? Object.assign(new Error(`no ${address}`), { responseCode: 451 }) : null),
  });
  server = await startTestServer({
    tenants: 2,
    clock: { now: () => now.getTime() },
    config: {
      SMTP_URL: readSmtpUrl(`smtp://localhost:${smtp.port}?tls=unverified`),
      MAIL_FROM: { name: 'Arbiter', address: 'arbiter@example.com' },
    },
  });
});
after(async () => {
  await server?.close();
  await smtp?.close();
  rmSync(outbox, { recursive: true });
});

const envelope = createEnvelope(Buffer.alloc(32, 7).toString('base64'));
const enqueue = mailQueue(envelope);
const within = <T>(tenantId: string, work: (tx: Tx) => Promise<T>): Promise<T> =>
  server.database.withTenant(tenantId, systemActor('test'), work);
const token = 'a-token-that-must-not-be-read-anywhere';
const reset = (to: string): Mail => ({ kind: 'reset', to, tenantName: 'Acme', token });

async function waitFor(condition: () => boolean | Promise<boolean>): Promise<void> {
  const until = performance.now() + 30_000;
  while (!(await condition())) {
    assert.ok(performance.now() < until, 'timed out');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Runs jobs during `work`. */
async function working(work: () => Promise<void>): Promise<void> {
  const worker = await createWorker({
    url: server.testDatabase.url,
    registry: server.jobs,
    concurrency: 2,
    graceMs: 5_000,
    onError: (err, job) => server.logger.warn({ err, job }, 'a job failed'),
  });
  try {
    await work();
  } finally {
    await worker.stop();
  }
}

const waiting = () =>
  server.testDatabase
    .ownerQuery<{ n: string }>('select count(*) as n from arbiter.mails')
    .then(([row]) => Number(row!.n));

test('sends an email once its transaction commits, and deletes it; never sends one that is rolled back', async () => {
  const [tenant] = server.tenants;
  await within(tenant.id, (tx) => enqueue(tx, reset('jane@example.org')));
  await assert.rejects(
    within(tenant.id, async (tx) => {
      await enqueue(tx, reset('never@example.org'));
      throw new Error('rolled back');
    }),
  );
  await working(() => waitFor(async () => (await waiting()) === 0));
  assert.deepEqual(
    smtp.mails.map(({ from, to }) => [from, to]),
    [['arbiter@example.com', ['jane@example.org']]],
  );
  const { parsed } = smtp.mails[0]!;
  assert.equal(parsed.subject, 'Reset your password');
  const link = `http://localhost:3000/reset-password?token=${token}`;
  assert.ok(parsed.text?.includes(`Reset password:\n${link}\n`));
  assert.ok(String(parsed.html).includes(`href="${link}"`));
  const line = server.log.find(({ msg }) => msg === 'email sent');
  assert.deepEqual(
    { tenantId: line?.tenantId, kind: line?.kind, via: line?.via },
    { tenantId: tenant.id, kind: 'reset', via: 'smtp' },
  );
});

test('database, queue, dead letters and log never reveal a token or address; a retry sends the same email', async () => {
  const [tenant] = server.tenants;
  const address = 'refused@example.org';
  refused.add(address);
  await within(tenant.id, (tx) => enqueue(tx, reset(address)));
  const kept = await server.testDatabase.ownerQuery<{ row: string }>(
    `select m::text || encode(m.sealed, 'escape') as row from arbiter.mails m
     union all select j::text from graphile_worker._private_jobs j`,
  );
  assert.equal(kept.length, 2);
  const dead = () =>
    server.call<{ events: { id: string; topic: string; error: string; payload: object }[] }>(
      'GET',
      '/api/v1/admin/dlq?topic=mail.send',
    );
  await working(async () => {
    await waitFor(async () => {
      await server.testDatabase.ownerQuery(
        'update graphile_worker._private_jobs set run_at = now() where locked_at is null and run_at > now()',
      );
      await server.testDatabase.ownerQuery(`select pg_notify('jobs:insert', '{"r":1,"count":1}')`);
      const [job] = await server.testDatabase.ownerQuery<{ attempts: number }>(
        'select attempts from graphile_worker._private_jobs where locked_at is null',
      );
      return job !== undefined && Number(job.attempts) === 6;
    });
    await keep();
    const letters = (await dead()).body.events;
    assert.deepEqual(
      letters.map(({ topic, error }) => ({ topic, error })),
      [{ topic: 'mail.send', error: 'MailError: the mail server rejected the email: 451 (EENVELOPE)' }],
    );
    const seen = [...kept.map(({ row }) => row), JSON.stringify(letters), JSON.stringify(server.log)];
    for (const text of seen) for (const secret of [token, address]) assert.ok(!text.includes(secret), text);
    refused.clear();
    await server.call('POST', '/api/v1/admin/dlq', { body: { action: 'retry' } });
    await waitFor(async () => (await waiting()) === 0);
  });
  assert.deepEqual(smtp.mails.at(-1)?.to, [address]);
});

/** Like the queue keeper of a running process. */
async function keep(): Promise<void> {
  await createQueueKeeper(server.database, {
    registry: server.jobs,
    workerId: () => null,
    onDead: () => undefined,
  }).look();
}

test('drops an email whose link has expired', async () => {
  const [tenant, other] = server.tenants;
  const run = (name: string, tenantId: string, payload: object) =>
    server.jobs
      .get(name)!
      .run(payload, { jobId: '1', attempt: 1, dueAt: null, signal: new AbortController().signal }, tenantId);
  await within(tenant.id, (tx) => enqueue(tx, reset('late@example.org')));
  const [row] = await server.testDatabase.ownerQuery<{ id: string }>('select id from arbiter.mails');
  const before = smtp.mails.length;
  // Another tenant's job can't reach this email.
  await run('mail.send', other!.id, { mailId: row!.id });
  assert.equal(smtp.mails.length, before);
  const start = now;
  now = new Date(start.getTime() + 3_600_000 - 1);
  await run('mails.expire', tenant.id, {});
  assert.equal(await waiting(), 1);
  now = new Date(start.getTime() + 3_600_000);
  await run('mail.send', tenant.id, { mailId: row!.id });
  assert.equal(smtp.mails.length, before);
  await run('mails.expire', other!.id, {});
  assert.equal(await waiting(), 1);
  await run('mails.expire', tenant.id, {});
  assert.equal(await waiting(), 0);
  now = start;
});

test('enqueues nothing without a key, and rejects an invalid address', async () => {
  const [tenant] = server.tenants;
  const code = (promise: Promise<void>) =>
    promise.then(
      () => 'taken',
      (error: unknown) => (error instanceof AppError ? error.code : String(error)),
    );
  assert.equal(await code(within(tenant.id, (tx) => mailQueue(null)(tx, reset('a@b.example')))), 'not_configured');
  assert.equal(
    await code(within(tenant.id, (tx) => enqueue(tx, reset('a@b.example\r\nBcc: c@d.example')))),
    'validation_failed',
  );
  assert.equal(await waiting(), 0);
  const sent = [reset('one@example.org'), reset('two@example.org')];
  for (const mail of sent) await within(tenant.id, (tx) => enqueue(tx, mail));
  assert.deepEqual(await takeMails(server), sent);
});

test('writes email to files without SMTP', async () => {
  const [tenant] = server.tenants;
  await within(tenant.id, (tx) => enqueue(tx, { kind: 'welcome', to: 'a@b.example', name: 'Ann', tenantName: 'Acme' }));
  const [row] = await server.testDatabase.ownerQuery<{ id: string }>('select id from arbiter.mails');
  const ports = {
    envelope,
    transport: createMailOutbox(outbox),
    sender: { name: '', address: 'arbiter@localhost' },
    publicUrl: 'https://example.com/arbiter/',
    logger: server.logger,
  };
  await sendMail(server.database, ports, tenant.id, row!.id);
  const [file] = readdirSync(outbox);
  const { text } = await simpleParser(readFileSync(join(outbox, file!)));
  assert.ok(text?.includes('Open Arbiter:\nhttps://example.com/arbiter/login\n'), text);
  assert.equal(server.log.find(({ mailId }) => mailId === row!.id)?.file, join(outbox, file!));
});
