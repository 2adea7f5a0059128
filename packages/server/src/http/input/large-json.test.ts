import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { randomCases } from '../../../../../test/form.ts';
import { AppError } from '../../platform/app-error.ts';
import { parseJsonBody } from './json-body.ts';
import { parseLargeJson } from './large-json.ts';

/** Returns what a reader makes of a body: the value, or the error code. */
async function outcome(read: () => unknown): Promise<unknown> {
  try {
    return { value: await read() };
  } catch (error) {
    assert.ok(error instanceof AppError);
    return error.code;
  }
}

const refusal = async (text: string, maxItems?: ReadonlyMap<string, number>): Promise<string> => {
  try {
    await parseLargeJson(Buffer.from(text), maxItems === undefined ? {} : { maxItems });
    return 'passed';
  } catch (error) {
    assert.ok(error instanceof AppError);
    return [error.code, ...error.errors.map((entry) => `${entry.path} ${entry.message}`)].join(' ');
  }
};

async function assertAlike(text: string): Promise<void> {
  const bytes = Buffer.from(text);
  const plain = await outcome(() => parseJsonBody(bytes));
  for (const pieceBytes of [1, 3, 40, 64 * 1024]) {
    assert.deepEqual(await outcome(() => parseLargeJson(bytes, { pieceBytes })), plain, `${text} in ${pieceBytes}`);
  }
}

test('parsing in pieces gives the same result as parsing at once', async () => {
  const texts = [
    '{"rows":[1,2,3],"mode":"skip","other":[[],{},"],[",{"a":[1,2]}]}',
    '{"rows":[],"b":[ ],"c":[\n1\n,\n2\n]}',
    '{"rows":[1],"rows":[2,3]}',
    '{"rows":[1],"rows":5}',
    '{"rows":5,"rows":[[0]]}',
    '{"a\\"b":["x\\\\",2],"\\u0061":[1]}',
    '{"rows":[-0,1,-0]}',
    '[1,2,[3]]',
    '"text"',
    ' {"rows" : [ "ü, 東京" , null ] } ',
    '{"deep":{"rows":[1,2]}}',
  ];
  for (const text of texts) await assertAlike(text);
});

test('parsing in pieces rejects the same as parsing at once', async () => {
  const texts = [
    '{"rows":[1,,2]}',
    '{"rows":[,]}',
    '{"rows":[1,]}',
    '{"rows":[,1]}',
    '{"rows":[1}',
    '{"rows":[1]',
    '{"rows":[{]}]}',
    '{"rows":[1] [2]}',
    '{"rows":[1]}{"rows":[2]}',
    '{[1,2]}',
    '{"rows" [1]}',
    '{"rows":["a]}',
    '{"rows":[1 2]}',
    ']',
    '{"rows":[{"__proto__":1}]}',
    '{"__proto__":[1,2]}',
    '{"rows":["x\\u0000",1e999]}',
    `{"rows":[${'['.repeat(62)}${']'.repeat(62)}]}`,
    `{"rows":[${'['.repeat(63)}${']'.repeat(63)}]}`,
    '',
    '\ufeff{}',
  ];
  for (const text of texts) await assertAlike(text);
});

test('reads any JSON, valid or broken anywhere, alike', async () => {
  const list = fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 8 });
  const body = fc.dictionary(fc.string(), fc.oneof(list, fc.jsonValue({ maxDepth: 2 })), { maxKeys: 5 });
  const cut = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    put: fc.constantFrom('', ',', ']', '[', '}', '"', '1'),
  });
  await fc.assert(
    fc.asyncProperty(body, fc.option(cut), async (value, change) => {
      let text = JSON.stringify(value);
      if (change !== null) {
        const at = Math.floor(change.at * text.length);
        text = text.slice(0, at) + change.put + text.slice(at + 1);
      }
      await assertAlike(text);
    }),
    randomCases(500),
  );
});

test('points at problems in a piece', async () => {
  const rows = Array.from({ length: 20_000 }, (_, i) => ({ name: `row ${i}` }));
  rows[19_999] = { name: 'x\u0000' };
  assert.match(await refusal(JSON.stringify({ rows })), /^validation_failed \/rows\/19999\/name contains a NUL/);
});

test('rejects too many items, and items with too many parts, before parsing them', async (t) => {
  const limits = new Map([['rows', 10_000]]);
  const parse = t.mock.method(JSON, 'parse');
  assert.equal(
    await refusal(`{"rows":[${'{},'.repeat(3_000_000)}{}]}`, limits),
    'validation_failed /rows must have at most 10000 items',
  );
  for (const {
    arguments: [text],
  } of parse.mock.calls)
    assert.ok(text.length < 100, 'only what surrounds the items');
  assert.equal(await refusal(`{"rows":[${'0,'.repeat(9_999)}0]}`, limits), 'passed');
  const many = `{${Array.from({ length: 60_000 }, (_, i) => `"k${i}":0`).join(',')}}`;
  assert.equal(await refusal(`{"rows":[1,${many}]}`), 'validation_failed /rows/1 contains more than 50000 values');
  assert.match(await refusal(many), /^validation_failed .*contains more than 50000 values/);
});

test('yields to others while a large body is read', async () => {
  const row = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`column_${i}`, i % 2 === 0 ? i : `value ${i}`]));
  const bytes = Buffer.from(JSON.stringify({ rows: Array.from({ length: 10_000 }, () => row) }));
  let turns = 0;
  let reading = true;
  const count = (): void => {
    turns += 1;
    if (reading) setImmediate(count);
  };
  setImmediate(count);
  const body = await parseLargeJson(bytes);
  reading = false;
  assert.ok(turns >= 3, `${turns} turns`);
  assert.deepEqual(body, JSON.parse(bytes.toString()));
});
