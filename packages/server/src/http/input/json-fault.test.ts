import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../../platform/app-error.ts';
import { parseJsonBody } from './json-body.ts';
import { jsonFault } from './json-fault.ts';
import { largeBodyBytes, parseLargeJson } from './large-json.ts';

const placeOf = (text: string): string => {
  const { line, column } = jsonFault(Buffer.from(text));
  return `${line}:${column}`;
};

test('finds the first invalid character', () => {
  const cases: [string, string][] = [
    ['', '1:1'],
    ['{', '1:2'],
    ['{"a":1,}', '1:8'],
    ['{"a":1\n "b":2}', '2:2'],
    ["{'a':1}", '1:2'],
    ['{a:1}', '1:2'],
    ['[1,]', '1:4'],
    ['[1,\n2,\n,3]', '3:1'],
    ['{"a" 1}', '1:6'],
    ['{"a":tru}', '1:6'],
    ['{"a":1}{}', '1:8'],
    ['01', '1:2'],
    ['+1', '1:1'],
    ['1.', '1:2'],
    ['[1e]', '1:3'],
    ['"\t"', '1:2'],
    ['"äöü\\x"', '1:5'],
    ['"\\u12g4"', '1:2'],
    ['"a', '1:3'],
    ['{"ä":1,\r\n"b":]', '2:5'],
    ['[1}', '1:3'],
    ['// a\n{}', '1:1'],
  ];
  for (const [text, expected] of cases) assert.equal(placeOf(text), expected, JSON.stringify(text));
});

test('every rejected text has a position inside it, and no accepted one has', () => {
  const sound = '{"a":[1,-2.5e+3,true,null,"x\\u00e4\\n"],"b":{"c":{}},"d":[]}';
  for (let cut = 0; cut < sound.length; cut += 1) {
    for (const mark of ['', '}', ',', '"', ':', 'x', '\\', '1']) {
      const text = sound.slice(0, cut) + mark + sound.slice(cut + 1);
      let isJson = true;
      try {
        JSON.parse(text);
      } catch {
        isJson = false;
      }
      const { line, column } = jsonFault(Buffer.from(text));
      assert.equal(line, 1);
      if (!isJson) assert.ok(column >= 1 && column <= text.length + 1, text);
      // The reader saw no fault, and only blanks may follow.
      else assert.equal(column, text.length + 1, text);
    }
  }
});

const detailOf = (error: unknown): string => {
  assert.ok(error instanceof AppError && error.code === 'malformed_json', String(error));
  return error.detail ?? '';
};

test('errors of rejected bodies name the position, small and large', async () => {
  assert.throws(
    () => parseJsonBody(Buffer.from('{\n  "a": 1,\n}')),
    (error) => detailOf(error) === 'The body is not valid JSON at line 3, column 1.',
  );
  const rows = Array.from({ length: 20_000 }, (_, id) => `{"id":${id}}`).join(',\n');
  const large = Buffer.from(`{"rows":[\n${rows},\n{"id":}\n]}`);
  assert.ok(large.length > largeBodyBytes);
  await assert.rejects(
    parseLargeJson(large),
    (error) => detailOf(error) === 'The body is not valid JSON at line 20002, column 7.',
  );
  const after = Buffer.from(`{"rows":[\n${rows}\n], "x": nope}`);
  await assert.rejects(
    parseLargeJson(after),
    (error) => detailOf(error) === 'The body is not valid JSON at line 20002, column 9.',
  );
});
