import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lasting, momentInWords, shownName } from './mail.rules.ts';
import { mailText } from './mail.templates.ts';
import { everyMail } from './test-mails.ts';

const base = 'https://example.com/arbiter';

test('every email says the same in both bodies, and loads nothing', () => {
  for (const mail of everyMail) {
    const { subject, text, html } = mailText(mail, base);
    assert.ok(subject.length > 5 && subject.length < 70, subject);
    for (const [link] of text.matchAll(/https?:\/\/[^\s,]+/g)) assert.ok(html.includes(link), `${mail.kind}: ${link}`);
    assert.equal(/<(img|script|link|iframe|object)\b|url\(|@import|\son\w+=/i.test(html), false, mail.kind);
    for (const [link] of html.matchAll(/https?:\/\/[^\s"<]+/g)) assert.ok(link.startsWith(base), link);
    for (const line of text.split('\n')) assert.ok(line.length <= 72 || /^\S+$/.test(line), line);
    assert.match(text, /^[^\r]*\n$/s);
  }
});

test('a link keeps its token, whatever it contains', () => {
  const { text } = mailText({ kind: 'verification', to: 'a@b.example', token: 'a+b/c=&d' }, `${base}/`);
  assert.ok(text.includes(`\n${base}/api/v1/auth/verify?token=a%2Bb%2Fc%3D%26d\n`), text);
});

test('T20: shows names as they are, without links', () => {
  const hostile = '<a href="https://evil.example">Click</a>\r\nBcc: x@evil.example www.evil.example &amp; "quotes"';
  const { subject, text, html } = mailText(
    { kind: 'invitation', to: 'a@b.example', tenantName: hostile, invitedBy: hostile, token: 't' },
    base,
  );
  assert.equal(/[\r\n]/.test(subject), false);
  for (const body of [subject, text, html]) {
    assert.equal(/https:\/\/evil|@evil|evil\.example|www\.evil/.test(body), false, body);
  }
  assert.equal(html.includes('<a href="https:'), false);
  assert.ok(html.includes('&amp;amp; &quot;quotes&quot;') || html.includes('…'), html);
  assert.equal(shownName('Acme'), 'Acme');
  assert.equal(shownName('  Acme \u0000 \u202e Inc. '), 'Acme Inc.');
  assert.equal(shownName('booking.com').replaceAll('\u2060', ''), 'booking.com');
  assert.equal([...shownName('x'.repeat(80))].length, 80);
  assert.equal(shownName('\u{1f600}'.repeat(81)), `${'\u{1f600}'.repeat(79)}…`);
});

test('tells users locked out by wrong codes that the password is known', () => {
  const locked = { kind: 'locked', to: 'a@b.example', tenantName: 'Acme', until: '2026-11-20T14:05:00.000Z' } as const;
  const known = mailText({ ...locked, passwordKnown: true }, base).text.replaceAll(/\s+/g, ' ');
  assert.ok(known.includes('someone knows your password'), known);
  assert.equal(/someone (knows|has)/.test(mailText(locked, base).text), false);
});

test('a verification names its registration', () => {
  const { text, html } = mailText({ kind: 'verification', to: 'a@b.example', name: 'Ada <b>', token: 't' }, base);
  assert.ok(text.replaceAll(/\s+/g, ' ').includes('as Ada <b> with this email address'), text);
  assert.ok(html.includes('as Ada &lt;b&gt; with this email address'), html);
});

test('formats times as people say them', () => {
  assert.deepEqual([1, 24, 48, 72, 168].map(lasting), ['1 hour', '24 hours', '48 hours', '3 days', '7 days']);
  assert.equal(momentInWords('2026-11-20T14:05:00.000Z'), '20 November 2026, 14:05 UTC');
});
