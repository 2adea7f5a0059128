import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readLines } from './lines.ts';

async function linesOf(...chunks: readonly string[]) {
  const found: [number, string | null][] = [];
  async function* body() {
    for (const chunk of chunks) yield Buffer.from(chunk);
  }
  for await (const { number, bytes } of readLines(body(), 64 * 1024)) found.push([number, bytes?.toString() ?? null]);
  return found;
}

test('counts and skips blank lines, wherever the file is split', async () => {
  const text = '\ufeffa\n\n \t\r\n\nb\r\n\n\nc';
  const expected = [
    [1, 'a'],
    [5, 'b\r'],
    [8, 'c'],
  ];
  assert.deepEqual(await linesOf(text), expected);
  assert.deepEqual(await linesOf(...text), expected);
});

for (const blank of ['\n', '   \n']) {
  test(`millions of ${JSON.stringify(blank)} don't block other work of the process`, async () => {
    let turns = 0;
    let going = true;
    const look = (): void => {
      turns += 1;
      if (going) setImmediate(look);
    };
    setImmediate(look);
    assert.deepEqual(await linesOf(`${blank.repeat(1_000_000)}a`), [[1_000_001, 'a']]);
    going = false;
    assert.ok(turns > 2, `${turns} turns`);
  });
}
