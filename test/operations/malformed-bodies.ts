/** A body that every operation refuses. */
export interface MalformedBody {
  readonly what: string;
  readonly raw: string | Buffer;
}

const nested = (depth: number, open = '[', close = ']') => `${open.repeat(depth)}${close.repeat(depth)}`;

/**
 * Every class of malformed body (docs/design/quality.md T17), built around a valid one. The hostile parts are under
 * undeclared keys, so that only parsing the body can refuse it.
 */
export function malformedBodies(good: Readonly<Record<string, unknown>>): MalformedBody[] {
  const text = JSON.stringify(good);
  const withMember = (member: string) => (text === '{}' ? `{${member}}` : `${text.slice(0, -1)},${member}}`);
  return [
    { what: 'white space only', raw: ' ' },
    { what: 'cut off', raw: text.slice(0, -1) },
    { what: 'not a word of JSON', raw: 'undefined' },
    { what: 'single quotes', raw: "{'a':1}" },
    { what: 'trailing comma', raw: withMember('"x":1,') },
    { what: 'comment', raw: `${text} // end` },
    { what: 'two values', raw: `${text}${text}` },
    { what: 'bare key', raw: withMember('x:1') },
    { what: 'leading zero', raw: withMember('"x":01') },
    { what: 'NaN', raw: withMember('"x":NaN') },
    { what: 'raw control character', raw: withMember('"x":"\u0001"') },
    { what: 'byte order mark', raw: `\ufeff${text}` },
    { what: 'UTF-16', raw: Buffer.from(text, 'utf16le') },
    {
      what: 'broken UTF-8',
      raw: Buffer.concat([Buffer.from(withMember('"x":"')), Buffer.from([0xc3, 0x28, 0x22, 0x7d])]),
    },
    { what: 'overlong UTF-8', raw: Buffer.concat([Buffer.from('{"x":"'), Buffer.from([0xc0, 0x80, 0x22, 0x7d])]) },
    {
      what: 'surrogate as UTF-8',
      raw: Buffer.concat([Buffer.from('{"x":"'), Buffer.from([0xed, 0xa0, 0x80, 0x22, 0x7d])]),
    },
    { what: 'array instead of an object', raw: `[${text}]` },
    { what: 'empty array', raw: '[]' },
    { what: 'string', raw: '"text"' },
    { what: 'number', raw: '1' },
    { what: 'null', raw: 'null' },
    { what: 'true', raw: 'true' },
    { what: '65 levels deep', raw: withMember(`"x":${nested(64)}`) },
    { what: '100,000 levels deep', raw: withMember(`"x":${nested(100_000)}`) },
    { what: '100,000 levels deep, never closed', raw: '['.repeat(100_000) },
    { what: '20,000 objects deep', raw: withMember(`"x":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`) },
    { what: '__proto__', raw: withMember('"__proto__":{"admin":true}') },
    { what: '__proto__ inside', raw: withMember('"x":[{"y":{"__proto__":1}}]') },
    { what: 'escaped __proto__', raw: withMember('"\\u005f_proto__":{"admin":true}') },
    { what: 'constructor', raw: withMember('"constructor":{"prototype":{}}') },
    { what: 'prototype', raw: withMember('"x":{"prototype":1}') },
    { what: 'NUL in text', raw: withMember('"x":"a\\u0000b"') },
    { what: 'NUL in a key', raw: withMember('"x":{"a\\u0000":1}') },
    { what: 'high surrogate alone', raw: withMember('"x":"\\ud800"') },
    { what: 'low surrogate alone', raw: withMember('"x":["\\udc00a"]') },
    { what: 'surrogates the wrong way round', raw: withMember('"x":"\\udc00\\ud800"') },
    { what: 'surrogate in a key', raw: withMember('"x":{"\\ud83d":1}') },
    { what: 'infinite number', raw: withMember('"x":1e999') },
    { what: 'infinite number inside', raw: withMember('"x":{"y":[-1e999]}') },
  ];
}
