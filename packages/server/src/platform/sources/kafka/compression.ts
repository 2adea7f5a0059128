import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { SourceError } from '../source-error.ts';

/** Bytes of a batch at most. */
const maxBytes = 64 * 1024 * 1024;

const byteAt = (buffer: Buffer, at: number): number => {
  const byte = buffer[at];
  if (byte === undefined) throw new SourceError('unexpected_response');
  return byte;
};

/** Copies what was written before. It may overlap what it writes, which repeats it. */
function repeat(output: Buffer, at: number, distance: number, size: number): number {
  if (distance <= 0 || distance > at || at + size > output.length) throw new SourceError('unexpected_response');
  for (let each = at; each < at + size; each++) output[each] = output[each - distance] ?? 0;
  return at + size;
}

function copy(input: Buffer, from: number, output: Buffer, at: number, size: number): number {
  if (from + size > input.length || at + size > output.length) throw new SourceError('unexpected_response');
  input.copy(output, at, from, from + size);
  return at + size;
}

/** https://github.com/google/snappy/blob/main/format_description.txt */
function unpackSnappyBlock(input: Buffer): Buffer {
  let [at, size] = [0, 0];
  for (let shift = 0; ; shift += 7) {
    const byte = byteAt(input, at++);
    size += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) break;
  }
  if (size > maxBytes) throw new SourceError('unexpected_response');
  const output = Buffer.alloc(size);
  for (let to = 0; at < input.length; ) {
    const tag = byteAt(input, at++);
    if ((tag & 3) === 0) {
      let length = tag >> 2;
      if (length >= 60) {
        const count = length - 59;
        byteAt(input, at + count - 1);
        length = input.readUIntLE(at, count);
        at += count;
      }
      to = copy(input, at, output, to, length + 1);
      at += length + 1;
    } else if ((tag & 3) === 1) {
      to = repeat(output, to, ((tag >> 5) << 8) | byteAt(input, at++), ((tag >> 2) & 7) + 4);
    } else {
      const count = (tag & 3) === 2 ? 2 : 4;
      byteAt(input, at + count - 1);
      to = repeat(output, to, input.readUIntLE(at, count), (tag >> 2) + 1);
      at += count;
    }
  }
  return output;
}

const xerialMagic = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0]);

/** Java's clients write blocks with their sizes behind a header of 16 bytes, others one block. */
function unpackSnappy(input: Buffer): Buffer {
  if (!input.subarray(0, 8).equals(xerialMagic)) return unpackSnappyBlock(input);
  const blocks: Buffer[] = [];
  for (let at = 16; at < input.length; ) {
    byteAt(input, at + 3);
    const size = input.readUInt32BE(at);
    blocks.push(unpackSnappyBlock(input.subarray(at + 4, at + 4 + size)));
    at += 4 + size;
  }
  return Buffer.concat(blocks);
}

/** https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md. Returns where the output ends. */
function unpackLz4Block(input: Buffer, output: Buffer, start: number): number {
  let [at, to] = [0, start];
  const lengthOf = (nibble: number): number => {
    let length = nibble;
    if (nibble === 15) {
      for (let byte = 255; byte === 255; length += byte) byte = byteAt(input, at++);
    }
    return length;
  };
  while (at < input.length) {
    const token = byteAt(input, at++);
    const literals = lengthOf(token >> 4);
    to = copy(input, at, output, to, literals);
    at += literals;
    if (at >= input.length) break;
    const distance = byteAt(input, at) | (byteAt(input, at + 1) << 8);
    at += 2;
    to = repeat(output, to, distance, lengthOf(token & 15) + 4);
  }
  return to;
}

/** https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md */
function unpackLz4(input: Buffer): Buffer {
  if (input.length < 7 || input.readUInt32LE(0) !== 0x184d2204) throw new SourceError('unexpected_response');
  const flags = byteAt(input, 4);
  const blockSize = 2 ** (8 + 2 * ((byteAt(input, 5) >> 4) & 7));
  const [hasSize, hasChecksum] = [(flags & 8) !== 0, (flags & 16) !== 0];
  let at = 7 + (hasSize ? 8 : 0);
  let output = Buffer.alloc(0);
  for (;;) {
    byteAt(input, at + 3);
    const head = input.readUInt32LE(at);
    if (head === 0) return output;
    const size = head & 0x7fffffff;
    const block = input.subarray(at + 4, at + 4 + size);
    // Blocks may refer to those before them.
    const room = Buffer.alloc(output.length + Math.max(blockSize, block.length));
    output.copy(room);
    const isPlain = head >>> 31 === 1;
    const end = isPlain
      ? copy(block, 0, room, output.length, block.length)
      : unpackLz4Block(block, room, output.length);
    output = room.subarray(0, end);
    if (output.length > maxBytes) throw new SourceError('unexpected_response');
    at += 4 + size + (hasChecksum ? 4 : 0);
  }
}

const unpackers: readonly ((input: Buffer) => Buffer)[] = [
  (input) => input,
  (input) => gunzipSync(input, { maxOutputLength: maxBytes }),
  unpackSnappy,
  unpackLz4,
  (input) => zstdDecompressSync(input, { maxOutputLength: maxBytes }),
];

/** Unpacks a batch. `codec`: 0 none, 1 gzip, 2 snappy, 3 lz4, 4 zstd. Throws SourceError `unexpected_response`. */
export function unpack(codec: number, input: Buffer): Buffer {
  const unpacker = unpackers[codec];
  if (unpacker === undefined) throw new SourceError('unexpected_response');
  try {
    return unpacker(input);
  } catch (cause) {
    throw new SourceError('unexpected_response', { cause });
  }
}
