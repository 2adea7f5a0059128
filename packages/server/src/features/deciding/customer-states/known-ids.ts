/**
 * Catalogue ids occur in customers' states again and again, so their bytes and text are created once. An id read twice
 * is the same string object, which makes comparisons and map lookups nearly free.
 */

const idBytes = 16;

/** Bytes by id, for writing. Cleared at this size, because clients that send made-up ids must not fill memory. */
const bytesByText = new Map<string, Buffer>();
const maxKnown = 50_000;

/** Text by bytes, for reading: one place for each value of the last 16 bits, which are random; the latest id has it. */
const places = 2 ** 16;
const texts = new Array<string | null>(places).fill(null);
/** The four words of the id in each place. */
const words = new Int32Array(4 * places);

/** The 16 bytes of an id. The buffer is shared: do not write to it. */
export function bytesOfId(text: string): Buffer {
  let bytes = bytesByText.get(text);
  if (bytes === undefined) {
    bytes = Buffer.from(text.replaceAll('-', ''), 'hex');
    if (bytesByText.size >= maxKnown) bytesByText.clear();
    bytesByText.set(text, bytes);
  }
  return bytes;
}

const wordAt = (bytes: Buffer, at: number): number =>
  (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!;

/** Returns the id whose 16 bytes are at `position`. Throws when the bytes end earlier. */
export function idAt(bytes: Buffer, position: number): string {
  const first = wordAt(bytes, position);
  const second = wordAt(bytes, position + 4);
  const third = wordAt(bytes, position + 8);
  const last = wordAt(bytes, position + 12);
  const place = last & (places - 1);
  const known = texts[place]!;
  const at = 4 * place;
  if (
    known !== null &&
    words[at + 3] === last &&
    words[at + 2] === third &&
    words[at + 1] === second &&
    words[at] === first
  ) {
    return known;
  }
  const text = textOfId(bytes, position);
  texts[place] = text;
  words[at] = first;
  words[at + 1] = second;
  words[at + 2] = third;
  words[at + 3] = last;
  return text;
}

/** Like `idAt`, without caching: for ids that rarely recur and would displace those that do. */
export function textOfId(bytes: Buffer, position: number): string {
  if (position + idBytes > bytes.length) throw new RangeError('an id is truncated');
  const hex = bytes.toString('hex', position, position + idBytes);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
