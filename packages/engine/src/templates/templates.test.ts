import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { randomCases } from '../../../../test/form.ts';
import { emptyScope } from '../formula/scope.ts';
import type { Json } from '../plan/snapshot.ts';
import { compileTemplate } from './compile-template.ts';
import { maxInserted } from './compile-text.ts';
import { parseText } from './parse-text.ts';

const scope = Object.assign(emptyScope(), {
  customer: { name: 'Ada', nothing: null, deep: { city: 'Oslo' } },
  offer: { name: 'Gold' },
  attributes: {},
});

test("doesn't copy content without tokens and links", () => {
  const content = { body: 'static { text }', nested: { list: ['a', 1] } };
  assert.equal(compileTemplate(content, [], 'banner').render(scope, {}), content);
});

test("text without tokens is one frozen object, however it's rendered", () => {
  const other = Object.assign(emptyScope(), { customer: { name: 'Bob' } });
  const links = compileTemplate({ imageUrl: 'javascript:x', body: 'b', list: [{ deepLink: 'app://x' }] }, [], 'banner');
  assert.deepEqual(links.render(scope, {}), { body: 'b', list: [{ deepLink: 'app://x' }] });
  const fixed = compileTemplate(
    { body: 'b', nested: { list: [{ a: 1 }] } },
    [{ variable: 'v', fallback: { x: 1 } }],
    'banner',
  );
  for (const template of [links, fixed]) {
    assert.equal(template.render(scope, {}), template.render(other, { v: 2 }));
    assert.equal(template.variables(scope, {}), template.variables(other, { v: 2 }));
    assertFrozen(template.render(scope, {}));
    assertFrozen(template.variables(scope, {}));
  }
  assert.deepEqual(fixed.variables(scope, {}), { v: { x: 1 } });
  const named = compileTemplate({ body: '{name}' }, [{ variable: 'v', source: 'customer.name' }], 'banner');
  assert.deepEqual([named.render(scope, {}), named.render(other, {})], [{ body: 'Ada' }, { body: 'Bob' }]);
  assert.deepEqual([named.variables(scope, {}), named.variables(other, {})], [{ v: 'Ada' }, { v: 'Bob' }]);
});

function assertFrozen(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  assert.ok(Object.isFrozen(value));
  for (const member of Object.values(value)) assertFrozen(member);
}

test('lists the values it reads', () => {
  const template = compileTemplate(
    { body: '{name} {customer.deep.city} {offer.name} {attributes.x} {sure} {personalization.total}' },
    [
      { variable: 'sure', source: 'attributes.y', fallback: 'yes' },
      { variable: 'unused', source: 'customer.tier' },
    ],
    'banner',
    { other: 'customer.other' },
  );
  assert.deepEqual(
    new Set(template.paths.map((path) => path.join('.'))),
    new Set([
      'customer.name',
      'customer.deep.city',
      'offer.name',
      'attributes.x',
      'attributes.y',
      'customer.tier',
      'customer.other',
    ]),
  );
});

test('names the tokens that have no value', () => {
  const template = compileTemplate(
    { body: '{name} {nobody} {{absent|x}} {customer.nothing} {list}', more: ['{nobody}'] },
    [{ variable: 'list', source: 'customer.deep' }],
    'banner',
  );
  assert.deepEqual(template.missing(scope, {}), ['nobody', 'customer.nothing', 'list']);
  assert.deepEqual(template.missing(scope, { nobody: 0 }), ['customer.nothing', 'list']);
});

test('reads a rendered variable as personalization', () => {
  const template = compileTemplate(
    { body: '{personalization.a} {personalization.b}' },
    [
      { variable: 'a', source: 'customer.name' },
      { variable: 'b', source: 'personalization.b', fallback: 'none' },
    ],
    'banner',
  );
  assert.deepEqual(template.render(scope, {}), { body: 'Ada none' });
  assert.deepEqual(template.render(scope, { b: 2 }), { body: 'Ada 2' });
});

test('a key named __proto__ stays an ordinary key', () => {
  const content: { [key: string]: Json } = JSON.parse('{"__proto__": "{name}", "a": {"constructor": "{name}"}}');
  const rendered = compileTemplate(content, [], 'banner').render(scope, {});
  assert.equal(JSON.stringify(rendered), '{"__proto__":"Ada","a":{"constructor":"Ada"}}');
  assert.equal(Object.getPrototypeOf(rendered), Object.prototype);
});

test('the pieces of a text make up the text', () => {
  const unit = fc.constantFrom('{', '}', '{{', '}}', '|', '\\{', 'a', 'b.c', '_', '1', ' ', '\n');
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 30 }), (text) => {
      const segments = parseText(text);
      const without = segments.every((segment) => typeof segment === 'string');
      if (without) assert.equal(segments.join(''), text.replaceAll('\\{', '{'));
      for (const segment of segments) {
        if (typeof segment === 'string') continue;
        assert.match(segment.name, /^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$/);
        assert.ok(text.includes(`{${segment.name}`));
      }
    }),
    randomCases(10_000),
  );
});

const hostile = fc.oneof(
  fc.string({ unit: fc.integer({ min: 0, max: 0x2fff }).map((codePoint) => String.fromCodePoint(codePoint)) }),
  fc.constantFrom(
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "'); drop table x; --",
    '\r\nBcc: all@x.test',
    'javascript:alert(1)',
    '{name}',
    '\ud800',
    '\u0000\u001b[31m\u0085',
    '",\n"admin":true,"x":"',
  ),
);

test('a value never leaves its place', () => {
  const html = compileTemplate({ body: '<p title="{v}">{v}</p>', subject: 'S {v}' }, [], 'email_html');
  const json = compileTemplate({ body: '{"v":"{v}"}' }, [], 'webhook_json');
  const plain = compileTemplate(
    { body: '[{v}]', subject: '[{v}]', ctaUrl: 'https://x.test/?q={v}#end' },
    [],
    'sms_text',
  );
  const bare = compileTemplate({ ctaUrl: '{v}', deepLink: '{v}' }, [], 'banner');
  fc.assert(
    fc.property(hostile, (v) => {
      const withValue = Object.assign(emptyScope(), { customer: { v } });
      const { body, subject } = html.render(withValue, {});
      assert.match(String(body), /^<p title="[^<>"]*">[^<>"]*<\/p>$/);
      assert.doesNotMatch(String(subject), /[\r\n]/);
      assert.deepEqual(JSON.parse(String(json.render(withValue, {}).body)), { v });
      const text = plain.render(withValue, {});
      assert.doesNotMatch(String(text.body) + String(text.subject), /\p{Cc}/u);
      const url = new URL(String(text.ctaUrl));
      assert.equal(url.host, 'x.test');
      assert.equal(url.hash, '#end');
      assert.equal(url.searchParams.get('q'), v.replace(/\p{Surrogate}/gu, '\ufffd'));
      const links = bare.render(withValue, {});
      assert.equal(links.ctaUrl, undefined);
      assert.doesNotMatch(String(links.deepLink ?? ''), /^\s*(javascript|data|vbscript|file):/i);
    }),
    randomCases(3000),
  );
});

test('limits the size of values per rendering', () => {
  const content = { all: '{big}'.repeat(10), small: '{name}', list: Array.from({ length: 10 }, () => '{big}') };
  const item = { big: 'attributes.big', whole: 'attributes.whole', name: 'customer.name' };
  const at = (big: string) =>
    Object.assign(emptyScope(), {
      customer: { name: 'Ada' },
      attributes: { big, whole: { list: [big] } },
    });
  const template = compileTemplate(content, [], 'sms_text', item);
  const big = 'x'.repeat(maxInserted / 4);
  for (const _ of ['first', 'again']) {
    const shown = template.render(at(big), {});
    assert.deepEqual(shown, { all: big.repeat(4), small: '', list: Array.from({ length: 10 }, () => '') });
    assert.deepEqual(template.render(at('y'), {}).all, 'y'.repeat(10));
  }
  // Exactly the room there is, and one character more. Something shorter still fits.
  assert.equal(
    compileTemplate({ a: '{big}' }, [], 'x', item)
      .render(at('x'.repeat(maxInserted)), {})
      .a?.toString().length,
    maxInserted,
  );
  const over = compileTemplate({ a: '{big}{name}' }, [], 'x', item);
  assert.deepEqual(over.render(at('x'.repeat(maxInserted + 1)), {}), { a: 'Ada' });
  const fits = template.variables(at('x'.repeat(100)), {});
  assert.deepEqual([fits.name, String(fits.big).length], ['Ada', 100]);
  const huge = template.variables(at('x'.repeat(maxInserted)), {});
  assert.deepEqual([huge.name, String(huge.big).length, huge.whole], [null, maxInserted, null]);
});
