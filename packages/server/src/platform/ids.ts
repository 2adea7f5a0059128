import { hash, randomFillSync } from 'node:crypto';
import { systemClock } from './time/clock.ts';

/**
 * Record ids: UUIDv7 (RFC 9562 section 5.7), lower case (docs/design/api-access.md 1). IDs of one process only grow: 48 bits of
 * milliseconds, a 12 bit counter that starts at a random place in the lower half each millisecond, 62 random bits.
 */
const maxMilliseconds = 2 ** 48 - 1;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const hexDigits = Buffer.from('0123456789abcdef', 'latin1');
const bytesPerId = 10;

export interface Ids {
  /** Returns a new id, greater than every id since the clock was set, even when the clock steps back. */
  newId(): string;
  /** An id of a given instant (epoch ms), random otherwise; not ordered against others of that millisecond. */
  idAt(milliseconds: number): string;
}

/**
 * Creates increasing ids. `now` returns epoch ms. `isSet`: false while that clock may be wrong; ids created until then
 * don't hold later ones to their time.
 */
export function createIds(now: () => number, isSet: () => boolean = () => true): Ids {
  const entropy = new Uint8Array(bytesPerId * 512);
  let entropyUsed = entropy.length;
  let wasSet = isSet();
  let lastMilliseconds = 0;
  let counter = 0;
  /**
   * The last id as text. The next one overwrites it, because its time is usually the same and a string made from bytes
   * produces an eighth of the garbage of one joined from pieces.
   */
  const written = Buffer.from(firstIdAt(0), 'latin1');
  let writtenMilliseconds = 0;

  function takeEntropy(): number {
    if (entropyUsed === entropy.length) {
      randomFillSync(entropy);
      entropyUsed = 0;
    }
    const offset = entropyUsed;
    entropyUsed += bytesPerId;
    return offset;
  }

  function format(milliseconds: number, low12: number, offset: number): string {
    if (milliseconds !== writtenMilliseconds) {
      const time = hexTime(milliseconds);
      written.write(time.slice(0, 8), 0, 'latin1');
      written.write(time.slice(8), 9, 'latin1');
      writtenMilliseconds = milliseconds;
    }
    written[15] = hexDigits[low12 >> 8]!;
    writeByte(written, 16, low12 & 0xff);
    writeByte(written, 19, 0x80 | (entropy[offset]! & 0x3f));
    writeByte(written, 21, entropy[offset + 1]!);
    for (let i = 0; i < 6; i += 1) writeByte(written, 24 + 2 * i, entropy[offset + 2 + i]!);
    return written.toString('latin1');
  }

  return {
    newId() {
      const time = now();
      const offset = takeEntropy();
      if (!wasSet && isSet()) {
        wasSet = true;
        lastMilliseconds = 0;
      }
      if (time > lastMilliseconds) {
        lastMilliseconds = time;
        counter = ((entropy[offset + 8]! & 0x07) << 8) | entropy[offset + 9]!;
      } else if (++counter > 0xfff) {
        // 2,048 ids or more within one millisecond: borrow the next one, as RFC 9562 section 6.2 allows.
        lastMilliseconds += 1;
        counter = 0;
      }
      return format(lastMilliseconds, counter, offset);
    },
    idAt(milliseconds) {
      const offset = takeEntropy();
      return format(milliseconds, ((entropy[offset + 8]! & 0x0f) << 8) | entropy[offset + 9]!, offset);
    },
  };
}

/** The ids of this process: one maker for all of its records, so that each id is greater than those before. */
export const { newId, idAt } = createIds(systemClock.now, systemClock.follows);

/** Returns the smallest id of an instant (epoch ms). IDs created at or after it compare greater or equal. */
export function firstIdAt(milliseconds: number): string {
  const time = hexTime(milliseconds);
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}

/** Returns the UUID (version 8) derived from a text's SHA-256: same text, same id. */
export function derivedId(text: string): string {
  const bytes = hash('sha256', text, 'buffer').subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** Epoch milliseconds inside a UUIDv7. */
export function instantOfId(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/**
 * True for a UUID of any version in its usual form, in upper or lower case. For ids from outside that PostgreSQL compares
 * as `uuid`: it reads both cases, so a client may send either. Not for ids that this program compares as text.
 */
export function isUuid(text: string): boolean {
  return uuid.test(text);
}

/**
 * True for a UUID in lower case only. For ids that are compared as text, by this program or by PostgreSQL: a tenant's id
 * is one, because row-level security compares it with the text of a setting. There the upper case would be another id.
 */
export function isCanonicalUuid(text: string): boolean {
  return isUuid(text) && text === text.toLowerCase();
}

function writeByte(target: Buffer, at: number, byte: number): void {
  target[at] = hexDigits[byte >> 4]!;
  target[at + 1] = hexDigits[byte & 0x0f]!;
}

function hexTime(milliseconds: number): string {
  if (!Number.isInteger(milliseconds) || milliseconds < 0 || milliseconds > maxMilliseconds) {
    throw new RangeError(`not an instant of a UUIDv7: ${milliseconds}`);
  }
  return milliseconds.toString(16).padStart(12, '0');
}
