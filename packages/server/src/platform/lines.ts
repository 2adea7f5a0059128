import { takeTurns } from './turns.ts';

/** A line of the file that is not blank. */
export interface RawLine {
  /** From 1, counting blank lines. */
  readonly number: number;
  /** Without what ends the line; null: it is longer than a line may be. */
  readonly bytes: Buffer | null;
}

const newline = 0x0a;
/** Some programs put it before a text to mark it as UTF-8. */
const byteOrderMark = Buffer.from('\ufeff');

/** Yields the lines of a file as it arrives. Drops the content of lines longer than `longest` bytes. */
export async function* readLines(body: AsyncIterable<Uint8Array>, longest: number): AsyncGenerator<RawLine> {
  const turns = takeTurns();
  let number = 1;
  let parts: Buffer[] = [];
  let length = 0;
  const take = (part: Buffer): void => {
    length += part.length;
    if (length > longest) parts = [];
    else parts.push(part);
  };
  const line = (): RawLine | null => {
    // A blank line of a file may cost next to nothing: there can be millions of them in one upload.
    if (length === 0) return null;
    const bytes = length > longest ? null : withoutMark(Buffer.concat(parts), number);
    const isBlank = bytes?.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d) ?? false;
    parts = [];
    length = 0;
    return isBlank ? null : { number, bytes };
  };
  for await (const chunk of body) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let from = 0;
    for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, from)) {
      take(bytes.subarray(from, end));
      const found = line();
      if (found !== null) yield found;
      number += 1;
      from = end + 1;
      const pause = turns();
      if (pause !== undefined) await pause;
    }
    if (from < bytes.length) take(bytes.subarray(from));
  }
  const last = line();
  if (last !== null) yield last;
}

const withoutMark = (bytes: Buffer, number: number): Buffer =>
  number === 1 && bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark)
    ? bytes.subarray(byteOrderMark.length)
    : bytes;
