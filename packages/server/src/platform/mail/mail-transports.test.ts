import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { simpleParser } from 'mailparser';
import { isMailAddress, readSender, readSmtpUrl } from '../../config/mail-settings.ts';
import { writeMail } from './mail-message.ts';
import { createMailOutbox } from './mail-outbox.ts';
import { createSesTransport } from './mail-ses.ts';
import { createSmtpTransport } from './mail-smtp.ts';
import { MailError } from './mail-transport.ts';
import { startTestSmtpServer, testCertificate } from './test-smtp-server.ts';

const message = {
  id: '0197a000-0000-7000-8000-000000000001',
  kind: 'verification',
  createdAt: new Date('2026-11-20T09:00:00.000Z'),
  to: 'jane@example.org',
  subject: 'Grüße',
  text: `First line\nhttps://arbiter.example/reset-password?token=${'a1'.repeat(60)}\n`,
  html: '<p>Grüße</p>',
};
const sender = { name: 'Arbiter, the "server"', address: 'arbiter@example.com' };
const written = () => writeMail(message, sender);

async function smtp(t: TestContext, options: Parameters<typeof startTestSmtpServer>[0] = {}) {
  const server = await startTestSmtpServer(options);
  t.after(() => server.close());
  const send = async (url: string, authority: string | null = testCertificate) =>
    createSmtpTransport(readSmtpUrl(url.replace('PORT', String(server.port))), authority).send(await written());
  return { server, send };
}

test("SMTP: delivers what was written, over STARTTLS where it's offered", async (t) => {
  const { server, send } = await smtp(t);
  assert.deepEqual(await send('smtp://localhost:PORT'), { via: 'smtp' });
  const [mail] = server.mails;
  assert.deepEqual(
    [mail?.from, mail?.to, mail?.secure, mail?.user],
    ['arbiter@example.com', ['jane@example.org'], true, undefined],
  );
  const { parsed } = mail!;
  assert.equal(parsed.subject, 'Grüße');
  assert.equal(parsed.text, message.text);
  assert.equal(parsed.html, message.html);
  assert.equal(parsed.from?.text, '"Arbiter, the \\"server\\"" <arbiter@example.com>');
  assert.equal(parsed.messageId, `<${message.id}@example.com>`);
  assert.deepEqual(parsed.date, message.createdAt);
  assert.equal(parsed.headers.get('auto-submitted'), 'auto-generated');
});

test('SMTP: sends a password over TLS only, STARTTLS or smtps, and only to the server in the certificate', async (t) => {
  const open = await smtp(t);
  await open.send('smtp://arbiter:p%40ss%25word@localhost:PORT');
  const closed = await smtp(t, { secure: true });
  await closed.send('smtps://arbiter:p%40ss%25word@127.0.0.1:PORT');
  for (const { server } of [open, closed]) {
    assert.deepEqual(
      server.mails.map(({ secure, user }) => [secure, user]),
      [[true, 'arbiter']],
    );
  }
  await assert.rejects(open.send('smtp://localhost:PORT', null), /could not be reached \(E/);
  await assert.rejects(closed.send('smtps://localhost:PORT', null), /could not be reached \(E/);
  await open.send('smtp://localhost:PORT?tls=unverified', null);
  await assert.rejects(open.send('smtp://arbiter:wrong@localhost:PORT'), /rejected the email: 535 \(EAUTH\)/);
});

test('SMTP: sends nothing without TLS that requires it', async (t) => {
  const { server, send } = await smtp(t, { disabledCommands: ['STARTTLS'], allowInsecureAuth: true });
  await assert.rejects(send('smtp://localhost:PORT?tls=required'), MailError);
  await assert.rejects(send('smtp://localhost:PORT?tls=unverified'), MailError);
  assert.equal(server.mails.length, 0);
  await send('smtp://localhost:PORT');
  assert.deepEqual(
    server.mails.map(({ secure }) => secure),
    [false],
  );
});

test("SMTP: reports a rejection by its code, without the address or the server's text", async (t) => {
  const { send } = await smtp(t, {
    onRcptTo: ({ address }, _session, done) =>
      done(Object.assign(new Error(`no such user ${address}`), { responseCode: 550 })),
  });
  await assert.rejects(send('smtp://localhost:PORT'), {
    message: 'the mail server rejected the email: 550 (EENVELOPE)',
  });
  const silent = createTcpServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  t.after(() => silent.close());
  const { port } = silent.address() as AddressInfo;
  await assert.rejects(send(`smtp://127.0.0.1:${port}`), /^MailError: the mail server could not be reached \(\w+\)$/);
});

test('SMTP_URL accepts every option, and nothing else', () => {
  const usual = { host: 'mail.example', port: 587, implicitTls: false, tls: 'if-offered', user: '', password: '' };
  assert.deepEqual(readSmtpUrl('smtp://mail.example'), usual);
  assert.deepEqual(readSmtpUrl('smtp://mail.example:25/'), { ...usual, port: 25 });
  const signedIn = { ...usual, user: 'a@b', password: 'p%w', tls: 'required' };
  assert.deepEqual(readSmtpUrl('smtp://a%40b:p%25w@mail.example'), signedIn);
  assert.deepEqual(readSmtpUrl('smtp://a%40b:p%25w@mail.example?tls=if-offered'), { ...signedIn, tls: 'if-offered' });
  assert.equal(readSmtpUrl('smtp://a:b@127.0.0.1').tls, 'if-offered');
  assert.deepEqual(readSmtpUrl('smtps://[::1]'), {
    ...usual,
    host: '::1',
    port: 465,
    implicitTls: true,
    tls: 'required',
  });
  for (const url of [
    'mail.example',
    'http://mail.example',
    'smtp://mail.example/path',
    'smtp://mail.example#x',
    'smtp://mail.example?tls=no',
    'smtp://mail.example?pool=true',
    'smtp://a%:b@mail.example',
  ]) {
    assert.throws(() => readSmtpUrl(url), Error, url);
  }
});

test("T20: nothing can be injected into an email's header", async () => {
  for (const to of [
    'a@b.example\r\nBcc: c@d.example',
    'a@b.example, c@d.example',
    'a@b.example;c@d.example',
    'Jane <a@b.example>',
    'a@b@c.example',
    'a b@c.example',
    '"a b"@c.example',
    'a@b.example\u0000',
    'a\u202eb@c.example',
    '@b.example',
    'a@',
    `${'a'.repeat(245)}@b.example`,
  ]) {
    assert.equal(isMailAddress(to), false, to);
    await assert.rejects(writeMail({ ...message, to }, sender), /one recipient/, to);
  }
  assert.equal(isMailAddress(`${'a'.repeat(244)}@b.example`), true);
  for (const subject of ['Hi\r\nBcc: c@d.example', 'Hi\nthere', 'Hi\u0000']) {
    await assert.rejects(writeMail({ ...message, subject }, sender), /one line/);
  }
  const { raw } = await writeMail({ ...message, subject: `${'Grüße und ein langer Betreff '.repeat(12)}` }, sender);
  const { headerLines } = await simpleParser(raw);
  assert.deepEqual(headerLines.map(({ key }) => key).toSorted(), [
    'auto-submitted',
    'content-type',
    'date',
    'from',
    'message-id',
    'mime-version',
    'subject',
    'to',
    'x-auto-response-suppress',
  ]);
});

test('a sender is an address, or a name and an address', () => {
  assert.deepEqual(readSender('a@b.example'), { name: '', address: 'a@b.example' });
  assert.deepEqual(readSender('Arbiter <a@b.example>'), { name: 'Arbiter', address: 'a@b.example' });
  assert.deepEqual(readSender('"Arbiter, Inc." <a@b.example>'), { name: 'Arbiter, Inc.', address: 'a@b.example' });
  for (const text of [
    'Arbiter',
    'Arbiter a@b.example',
    '<a@b.example',
    'a@b.example, c@d.example',
    'A\n <a@b.example>',
  ]) {
    assert.throws(() => readSender(text), /must be an address/, text);
  }
});

test("outbox: one private file per email, replaced when it's sent again", async (t) => {
  const parent = await mkdtemp(join(tmpdir(), 'arbiter-outbox-'));
  t.after(() => rm(parent, { recursive: true }));
  const folder = join(parent, 'data', 'outbox');
  const outbox = createMailOutbox(folder);
  const name = `2026-11-20T09-00-00-verification-${message.id}.eml`;
  assert.deepEqual(await outbox.send(await written()), { file: join(folder, name) });
  // What a crash leaves behind.
  await writeFile(join(folder, `${name}.draft`), 'half a mail', { mode: 0o644 });
  await outbox.send(await written());
  assert.deepEqual(await readdir(folder), [name]);
  assert.equal((await stat(folder)).mode & 0o777, 0o700);
  assert.equal((await stat(join(folder, name))).mode & 0o777, 0o600);
  const parsed = await simpleParser(await readFile(join(folder, name)));
  assert.deepEqual([parsed.subject, parsed.text], ['Grüße', message.text]);
});

test('SES: sends the complete, signed email, and reports a rejection by name', async (t) => {
  const asked: { request: IncomingMessage; body: string }[] = [];
  let refuse = false;
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      asked.push({ request, body });
      response.setHeader('content-type', 'application/json');
      if (refuse) {
        response.writeHead(400, { 'x-amzn-errortype': 'MessageRejected' });
        response.end(JSON.stringify({ message: 'Email address is not verified: jane@example.org' }));
      } else response.end(JSON.stringify({ MessageId: '1' }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const transport = createSesTransport({
    region: 'eu-central-1',
    credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret', sessionToken: 'a session' },
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  });
  const mail = await written();
  assert.deepEqual(await transport.send(mail), { via: 'ses', messageId: '1' });
  const { request, body } = asked[0]!;
  assert.deepEqual([request.method, request.url], ['POST', '/v2/email/outbound-emails']);
  assert.match(
    request.headers.authorization ?? '',
    /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-central-1\/ses\/aws4_request,/,
  );
  assert.equal(request.headers['x-amz-security-token'], 'a session');
  const sent = JSON.parse(body);
  assert.deepEqual(
    [sent.FromEmailAddress, sent.Destination],
    ['arbiter@example.com', { ToAddresses: ['jane@example.org'] }],
  );
  assert.deepEqual(Buffer.from(sent.Content.Raw.Data, 'base64'), mail.raw);
  refuse = true;
  await assert.rejects(transport.send(await written()), { message: 'SES rejected the email: MessageRejected' });
});
