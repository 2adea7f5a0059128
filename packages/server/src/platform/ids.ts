import { randomFillSync } from 'node:crypto';

/**
 * Record ids: UUIDv7 (RFC 9562 section 5.7), lower case (docs/design/api-access.md 1). Ids of one process only grow: 48 bits of
 * milliseconds, a 12 bit counter that starts at a random place in the lower half each millisecond, 62 random bits.
 */
const maxMilliseconds = 2 ** 48 - 1;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const bytesPerId = 10;
const entropy = new Uint8Array(bytesPerId * 512);
let entropyUsed = entropy.length;
let lastMilliseconds = 0;
let counter = 0;

/** A new id, greater than every id this process made before, also when the clock steps back. */
export function newId(): string {
  const now = Date.now();
  const offset = takeEntropy();
  if (now > lastMilliseconds) {
    lastMilliseconds = now;
    counter = ((entropy[offset + 8]! & 0x07) << 8) | entropy[offset + 9]!;
  } else if (++counter > 0xfff) {
    // 2,048 ids or more within one millisecond: borrow the next one, as RFC 9562 section 6.2 allows.
    lastMilliseconds += 1;
    counter = 0;
  }
  return format(lastMilliseconds, counter, offset);
}

/** An id of a given instant (epoch ms), random otherwise; not ordered against others of that millisecond. */
export function idAt(milliseconds: number): string {
  const offset = takeEntropy();
  return format(milliseconds, ((entropy[offset + 8]! & 0x0f) << 8) | entropy[offset + 9]!, offset);
}

/** The smallest id of an instant (epoch ms): ids made at or after it compare greater or equal. */
export function firstIdAt(milliseconds: number): string {
  const time = hexTime(milliseconds);
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}

/** Epoch milliseconds inside a UUIDv7. */
export function instantOfId(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/** True for a UUID of any version in its usual form, in upper or lower case: what a uuid column can be compared with. */
export function isUuid(text: string): boolean {
  return uuid.test(text);
}

function takeEntropy(): number {
  if (entropyUsed === entropy.length) {
    randomFillSync(entropy);
    entropyUsed = 0;
  }
  const offset = entropyUsed;
  entropyUsed += bytesPerId;
  return offset;
}

/**
 * The last id that was written, as text. The next one is written over it: its time is mostly the same, and one string
 * made from bytes is an eighth of the garbage of one that is put together from pieces.
 */
const written = Buffer.from(firstIdAt(0), 'latin1');
let writtenMilliseconds = 0;
const hexDigits = Buffer.from('0123456789abcdef', 'latin1');

function format(milliseconds: number, low12: number, offset: number): string {
  const b = entropy;
  if (milliseconds !== writtenMilliseconds) {
    const time = hexTime(milliseconds);
    written.write(time.slice(0, 8), 0, 'latin1');
    written.write(time.slice(8), 9, 'latin1');
    writtenMilliseconds = milliseconds;
  }
  written[15] = hexDigits[low12 >> 8]!;
  writeByte(16, low12 & 0xff);
  writeByte(19, 0x80 | (b[offset]! & 0x3f));
  writeByte(21, b[offset + 1]!);
  for (let i = 0; i < 6; i += 1) writeByte(24 + 2 * i, b[offset + 2 + i]!);
  return written.toString('latin1');
}

function writeByte(at: number, byte: number): void {
  written[at] = hexDigits[byte >> 4]!;
  written[at + 1] = hexDigits[byte & 0x0f]!;
}

function hexTime(milliseconds: number): string {
  if (!Number.isInteger(milliseconds) || milliseconds < 0 || milliseconds > maxMilliseconds) {
    throw new RangeError(`not an instant of a UUIDv7: ${milliseconds}`);
  }
  return milliseconds.toString(16).padStart(12, '0');
}

/** The same in lower case only: ids that are compared as text, such as a tenant's, have one spelling. */
export function isCanonicalUuid(text: string): boolean {
  return isUuid(text) && text === text.toLowerCase();
}
