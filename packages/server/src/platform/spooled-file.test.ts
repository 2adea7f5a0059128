import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { spool } from './spooled-file.ts';

const none = (): void => undefined;

async function* pieces(...sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  for (const [at, size] of sizes.entries()) yield Buffer.alloc(size, at + 1);
}

async function gather(read: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const piece of read) all.push(piece);
  return Buffer.concat(all);
}

test('reads stored bytes unchanged, more than once', async () => {
  const seen: number[] = [];
  const file = await spool(pieces(10, 200_000, 0, 3), (_, length) => seen.push(length));
  assert.equal(file.length, 200_013);
  assert.deepEqual(seen, [10, 200_010, 200_010, 200_013]);
  const expected = await gather(pieces(10, 200_000, 0, 3));
  assert.ok((await gather(file.read())).equals(expected));
  assert.ok((await gather(file.read())).equals(expected));
  await file.close();
});

test("has no name while it's used", async () => {
  const own = async () => (await readdir(tmpdir())).filter((name) => /^arbiter-.*\.spool$/.test(name)).length;
  const before = await own();
  const file = await spool(pieces(10), none);
  assert.equal(await own(), before);
  await file.close();
});

test('an error, and a source that breaks off, end it', async () => {
  const refuse = (_: Uint8Array, length: number): void => {
    if (length > 15) throw new RangeError('too much');
  };
  let asked = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces(10, 10, 10)) {
      asked += 1;
      yield piece;
    }
  }
  await assert.rejects(spool(counted(), refuse), RangeError);
  assert.equal(asked, 2, 'nothing was read on');
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield Buffer.alloc(5);
    throw new Error('gone');
  }
  await assert.rejects(spool(broken(), none), /gone/);
});
