import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { compileTemplate, emptyScope } from '@arbiter/engine';
import fc from 'fast-check';
import { randomCases } from '../../../../../../test/form.ts';
import { mergeObjects } from './merge.rules.ts';
import { shownParts } from './shown.rules.ts';
import { type ContentServer, startContentServer } from './test-content.ts';

/** Input from customers, callers and authors never becomes anything but text (docs/design/quality.md T16, T20). */

let contents: ContentServer;
before(async () => {
  contents = await startContentServer();
});
after(() => contents.server.close());

const hostile = `<script>alert(1)</script>"'><img src=x onerror=alert(1)>&{name}{{name}}\\{`;

async function rendered(item: Record<string, unknown>, v: unknown) {
  const { id } = await contents.make(item);
  return contents.render(id, { customer: { v, name: 'Ada' } });
}

test('escapes a value for its target: HTML, JSON, plain, link, subject', async () => {
  const escaped =
    '&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&gt;&lt;img src=x onerror=alert(1)&gt;&amp;{name}{{name}}\\{';
  const content = { subject: '{v}', body: '[{v}]', html: '<b title="{v}">{v}</b>', ctaUrl: 'https://x.test/?q={v}' };
  for (const channelType of ['email', 'in_app', 'web', 'mobile']) {
    const answer = await rendered({ channelType, content }, hostile);
    assert.deepEqual(answer.content, {
      subject: hostile,
      body: `[${escaped}]`,
      html: `<b title="${escaped}">${escaped}</b>`,
      ctaUrl: `https://x.test/?q=${encodeURIComponent(hostile).replaceAll("'", '%27')}`,
    });
  }
  for (const channelType of ['sms', 'push', 'whatsapp', 'phone', 'invented']) {
    const answer = await rendered({ channelType, content: { body: '[{v}]' } }, `${hostile}\r\n\u0007x`);
    assert.equal(answer.content.body, `[${hostile} x]`);
  }
  const json = await rendered(
    { channelType: 'webhook', content: { body: '{"v":"{v}"}' } },
    `${hostile}\r\n","admin":true`,
  );
  assert.deepEqual(JSON.parse(String(json.content.body)), { v: `${hostile}\r\n","admin":true` });
});

test('line breaks never reach a subject', async () => {
  for (const channelType of ['email', 'sms', 'webhook']) {
    const answer = await rendered({ channelType, content: { subject: 'Hi\r\n{v}' } }, 'a\r\nBcc: all@x.test\n\n');
    assert.doesNotMatch(String(answer.content.subject), /[\r\n]/, channelType);
  }
});

test('links: only https, http, mailto and tel after rendering; deep links all but scripts and files', async () => {
  const of = async (v: string) =>
    (
      await rendered(
        { channelType: 'sms', content: { ctaUrl: '{v}', deepLink: '{v}', imageUrl: 'https://x.test/{v}' } },
        v,
      )
    ).content;
  for (const [link, ctaUrl, deepLink] of [
    ['https://x.test/a b?c=d&e', 'https://x.test/a%20b?c=d&e', 'https://x.test/a%20b?c=d&e'],
    ['mailto:a@b.test', 'mailto:a@b.test', 'mailto:a@b.test'],
    ['TEL:+49170', 'TEL:+49170', 'TEL:+49170'],
    ['bank://pay', undefined, 'bank://pay'],
    ['ftp://x.test', undefined, 'ftp://x.test'],
    ['javascript:alert(1)', undefined, undefined],
    ['JaVaScRiPt:alert(1)', undefined, undefined],
    ['data:text/html,x', undefined, undefined],
    ['vbscript:x', undefined, undefined],
    ['file:///etc/passwd', undefined, undefined],
    ['/relative', undefined, '/relative'],
    ['//x.test', undefined, '//x.test'],
  ] as const) {
    const content = await of(link);
    assert.deepEqual([content.ctaUrl, content.deepLink], [ctaUrl, deepLink], link);
    assert.ok(String(content.imageUrl).startsWith('https://x.test/'));
    assert.doesNotMatch(String(content.imageUrl).slice('https://x.test/'.length), /[/:?&]/);
  }
});

test('checks a scheme made of literal text and values as a whole', async () => {
  const blocks = [
    { type: 'button', props: { text: 'x', url: 'java{v}' } },
    { type: 'text', props: { text: '[x](java{v}) [y]({v}) [z](javascript:alert(1))' } },
    { type: 'image', props: { imageUrl: '{v}', linkUrl: '{v}', alt: '{v}' } },
    { type: 'html', props: { html: '<a href="{v}">h</a><a href="java{v}">i</a><a href="java&#115;cript:x">j</a>' } },
  ];
  for (const v of ['script:alert(1)', 'javascript:alert(1)', '" onclick="alert(1)', 'data:text/html,<script>']) {
    const { html } = await rendered({ blocks }, v);
    assert.doesNotMatch(html ?? '', /href=|src=|<script|"\s*onclick/i, html ?? '');
  }
});

test("prototypes aren't paths: __proto__, constructor and the like have no value (T16)", async () => {
  const names = [
    '__proto__',
    'constructor',
    'toString',
    'customer.__proto__.x',
    'customer.constructor.name',
    'offer.__proto__',
  ];
  const answer = await rendered(
    {
      channelType: 'sms',
      content: { body: names.map((name) => `{${name}}`).join('|'), later: '{a}{b}' },
      personalization: { a: { source: 'customer.__proto__.x', fallback: 'safe' }, b: 'customer.constructor.name' },
    },
    1,
  );
  assert.deepEqual(answer.content, { body: '|||||', later: 'safe' });
  assert.deepEqual(answer.missing, [...names, 'b']);
  const refused = await contents.server.call<{ code: string }>('POST', '/api/v1/content', {
    headers: { 'content-type': 'application/json' },
    body: JSON.parse('{"name":"p","channelType":"sms","content":{"__proto__":{"x":1}}}'),
  });
  assert.deepEqual([refused.status, refused.body.code], [400, 'validation_failed']);
  // If such a key were ever stored, merging must still treat it as a plain key.
  const merged = mergeObjects(JSON.parse('{"__proto__":{"a":1}}'), JSON.parse('{"__proto__":{"b":2}}'));
  assert.equal(JSON.stringify(merged), '{"__proto__":{"a":1,"b":2}}');
  assert.equal(Reflect.get({}, 'a') ?? Reflect.get({}, 'b'), undefined);
});

const vectors = [
  '<script>alert(1)</script>',
  '<ScRiPt src=//x.test></sCrIpT>',
  '<img src=x onerror=alert(1)>',
  '<svg onload=alert(1)><script>alert(1)</script></svg>',
  '<math><mi//xlink:href="data:x,<script>alert(1)</script>">',
  '<iframe src=javascript:alert(1)></iframe>',
  '<a href="jav&#x09;ascript:alert(1)">x</a>',
  '<a href=" javascript:alert(1)">x</a>',
  '<form action=javascript:alert(1)><input type=submit><button formaction=javascript:x></form>',
  '<style>@import "//x.test"; body{background:url(javascript:x)}</style>',
  '<p style="background:url(//x.test/a)">x</p>',
  '<p style="color:red;background-image:u\\72l(//x.test)">x</p>',
  '<p style="width:expression(alert(1))">x</p>',
  '<p style="behavior:url(#x);-moz-binding:url(#x)">x</p>',
  '<p style="color:{v}">x</p>',
  '<{v}>x</{v}>',
  '<p {v}=1>x</p>',
  "<p title='{v}'>x</p>",
  '<link rel=stylesheet href=//x.test><meta http-equiv=refresh content="0;url=//x.test"><base href=//x.test>',
  '<object data=x></object><embed src=x><video src=x onerror=alert(1)></video>',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>"></noscript>',
  '<template><img src=x onerror=alert(1)></template>',
  '<!--><img src=x onerror=alert(1)>-->',
  '<p id=x name=y>clobber</p>',
  '<div><p>unclosed',
  '</p></div></td></table>',
  '\ue0000\ue001\ue000L0\ue001 href="\ue000L0\ue001"',
  '<plaintext><textarea></textarea><xmp>',
];

/** Tags with quoted attributes, and text without `<`: browsers can't read this in another way. */
const wellFormed = /^(?:[^<>]|<\/[a-z][a-z0-9]*>|<[a-z][a-z0-9]*(?: [a-z]+="[^"<>]*")*(?: \/)?>)*$/;
const forbiddenTag =
  /<(?:script|style|svg|math|iframe|form|input|button|object|embed|video|link|meta|base|template|noscript|textarea|xmp|plaintext)\b/;
const forbiddenAttribute = /\s(?:on\w+|id|name|action|formaction|srcset|background)=/;
const forbiddenStyle = /style="[^"]*(?:url|expression|import|binding|behavior|\\|\{)/i;
/** Every remaining link has an allowed scheme. */
const forbiddenLink = /\s(?:href|src)="(?!https?:|mailto:|tel:)/i;

function assertHarmless(html: string, told: string): void {
  assert.match(html, wellFormed, told);
  // Text and the values of other attributes are escaped, so they may contain any word.
  const tags = html.match(/<[^>]*>/g)?.join('') ?? '';
  const names = tags.replace(/="[^"]*"/g, '=""');
  assert.doesNotMatch(names, forbiddenTag, told);
  assert.doesNotMatch(names, forbiddenAttribute, told);
  assert.doesNotMatch(tags, forbiddenStyle, told);
  assert.doesNotMatch(tags, forbiddenLink, told);
}

const scopeOf = (v: unknown) => Object.assign(emptyScope(), { customer: { v, name: 'Ada' } });

async function htmlOf(blocks: Parameters<typeof shownParts>[0]['blocks'], v: unknown): Promise<string> {
  const { content, personalization, ...markup } = await shownParts({ content: {}, blocks, personalization: {} });
  return String(compileTemplate(content, [], 'email_html', personalization, { markup }).render(scopeOf(v), {}).html);
}

test("removes known attacks from authors' HTML, in blocks and in the content", async () => {
  for (const [index, html] of vectors.entries()) {
    assertHarmless(await htmlOf([{ id: 'a', type: 'html', props: { html } }], hostile), html);
    if (index % 4 > 0) continue;
    const answer = await rendered({ content: { html } }, hostile);
    assertHarmless(answer.html ?? '', html);
  }
});

test('keeps allowed HTML as written', async () => {
  const html =
    '<table width="100%" cellpadding="0"><tr><td style="color:#fff;padding:0 4px" bgcolor="#000">' +
    '<a href="https://x.test/?a=1&amp;b=2" title="t">x &amp; y</a><br /><img src="https://x.test/a.png" alt="" /></td></tr></table>';
  assert.equal(await htmlOf([{ id: 'a', type: 'html', props: { html } }], ''), html);
});

test("no value and no author's text escapes its place", async () => {
  const piece = fc.oneof(
    fc.constantFrom(
      ...vectors,
      hostile,
      '{v}',
      '{{v}}',
      '{{v|<b>}}',
      '\\{',
      '**',
      '*',
      '[',
      '](',
      ')',
      '\n',
      '"',
      "'",
      '<',
      '>',
    ),
    fc.string({ maxLength: 8 }),
  );
  const text = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''));
  const block = fc.record({
    id: fc.constant('a'),
    type: fc.constantFrom('heading', 'text', 'image', 'button', 'html', 'list', 'offer'),
    props: fc.record({
      text,
      html: text,
      imageUrl: text,
      alt: text,
      linkUrl: text,
      url: text,
      items: fc.array(text, { maxLength: 2 }),
    }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(block, { maxLength: 3 }), fc.oneof(text, fc.constant(null)), async (blocks, v) => {
      assertHarmless(await htmlOf(blocks, v), JSON.stringify({ blocks, v }));
    }),
    randomCases(1500),
  );
});

test('renders large and deeply nested text safely, in under two seconds of CPU time', async () => {
  const cases = [
    '*'.repeat(100_000),
    '['.repeat(100_000),
    '**a'.repeat(30_000),
    '[a]('.repeat(30_000),
    '{{a|'.repeat(30_000),
  ];
  for (const text of cases) {
    const started = process.cpuUsage();
    await htmlOf([{ id: 'a', type: 'text', props: { text } }], 'v');
    const { user, system } = process.cpuUsage(started);
    assert.ok(user + system < 2_000_000, `${text.slice(0, 10)}: ${(user + system) / 1000} ms of processor time`);
  }
  const deep = `${'<div>'.repeat(20_000)}x`;
  assertHarmless(await htmlOf([{ id: 'a', type: 'html', props: { html: deep } }], ''), 'deep');
});
