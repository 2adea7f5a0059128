import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../../platform/app-error.ts';
import { maximumDepth, parseJsonBody } from './json-body.ts';

const parse = (text: string | Buffer) => parseJsonBody(typeof text === 'string' ? Buffer.from(text) : text);

function refused(text: string | Buffer): string {
  try {
    return `passed as ${JSON.stringify(parse(text))}`;
  } catch (error) {
    assert.ok(error instanceof AppError);
    return [error.code, ...error.errors.map((entry) => entry.path)].join(' ');
  }
}

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

test('anything but JSON is malformed_json', () => {
  const texts = [
    '',
    ' ',
    '{',
    '{"a":1,}',
    "{'a':1}",
    '{a:1}',
    '[1,]',
    'undefined',
    'NaN',
    '{"a":1}{}',
    '01',
    '+1',
    '.5',
    '"\t"',
  ];
  for (const text of [...texts, '"\u0001"', '/* */ {}', '{"a":"\\x00"}', '"\\ud83']) {
    assert.equal(refused(text), 'malformed_json', text);
  }
});

test('reads only UTF-8 without a byte order mark', () => {
  assert.equal(refused(Buffer.from('\ufeff{}')), 'malformed_json');
  assert.equal(refused(Buffer.from('{"a":1}', 'utf16le')), 'malformed_json');
  assert.equal(refused(Buffer.from([0x22, 0xff, 0x22])), 'malformed_json');
  assert.equal(refused(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])), 'malformed_json', 'a surrogate as bytes');
  assert.equal(refused(Buffer.from([0x22, 0xc0, 0x80, 0x22])), 'malformed_json', 'an overlong NUL');
});

test('limits depth, without stalling on a very deep body', () => {
  assert.doesNotThrow(() => parse(nested(maximumDepth)));
  assert.equal(refused(nested(maximumDepth + 1)), 'malformed_json');
  assert.equal(refused(`${'{"a":'.repeat(65)}1${'}'.repeat(65)}`), 'malformed_json');
  // Processor time, so that other load on the machine doesn't count.
  const started = process.cpuUsage();
  assert.equal(refused(nested(100_000)), 'malformed_json');
  assert.equal(refused('['.repeat(500_000)), 'malformed_json');
  const { user, system } = process.cpuUsage(started);
  assert.ok(user + system < 500_000, `${user + system} us`);
});

test('rejects forbidden keys at any depth, in any spelling (F19)', () => {
  assert.equal(refused('{"__proto__":{"admin":true}}'), 'validation_failed /__proto__');
  assert.equal(refused('{"a":[{"constructor":1}]}'), 'validation_failed /a/0/constructor');
  assert.equal(refused('{"a":{"b/c~":{"prototype":1}}}'), 'validation_failed /a/b~1c~0/prototype');
  assert.equal(refused('{"\\u005f_proto__":1}'), 'validation_failed /__proto__');
  assert.deepEqual(parse('{"a":"__proto__","Constructor":1}'), { a: '__proto__', Constructor: 1 });
});

test('rejects NUL and lone surrogates in values and keys (F17)', () => {
  assert.equal(refused('{"a":"x\\u0000"}'), 'validation_failed /a');
  assert.equal(refused('{"a":["\\ud800"]}'), 'validation_failed /a/0');
  assert.equal(refused('{"a":"\\udc00\\ud800"}'), 'validation_failed /a');
  assert.equal(refused('{"a":{"\\u0000":1}}'), 'validation_failed /a');
  assert.equal(refused('"\\u0000"'), 'validation_failed ');
  assert.deepEqual(parse('{"a":"\\ud83d\\ude00","b":"\\\\u0000"}'), { a: '😀', b: '\\u0000' });
});

test('numbers are finite, and -0 is 0', () => {
  assert.equal(refused('{"a":1e999}'), 'validation_failed /a');
  assert.equal(refused('{"a":[-1E400]}'), 'validation_failed /a/0');
  assert.equal(refused(`{"a":1${'0'.repeat(400)}}`), 'validation_failed /a');
  const zeros = parse('{"a":-0,"b":[-0.0],"c":-0e5,"d":1e308,"e":5e-324}');
  assert.deepEqual(zeros, { a: 0, b: [0], c: 0, d: 1e308, e: 5e-324 });
  assert.ok(Object.is(parse('-0'), 0));
});

test('keeps the last of duplicate keys, and valid JSON as it is', () => {
  assert.deepEqual(parse('{"a":1,"a":2}'), { a: 2 });
  assert.deepEqual(parse(' [ "\\u202e\\u200b e\u0301 \u{10ffff}" , null , true ] '), [
    '\u202e\u200b e\u0301 \u{10ffff}',
    null,
    true,
  ]);
});
