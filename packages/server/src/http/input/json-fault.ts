/** Where a text stops being JSON. Lines and columns count from 1; columns are characters. */
export interface JsonFault {
  readonly line: number;
  readonly column: number;
}

/** What may come next in the text. */
type FaultPlace = 'value' | 'first item' | 'first key' | 'key' | 'colon' | 'after value' | 'end';

/** Bytes to scan before letting other work run. */
const bytesPerLook = 64 * 1024;
/** Runs for each byte; a set would take half as long again. */
const isBlank = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
const words = new Map([
  [0x74, 'true'],
  [0x66, 'false'],
  [0x6e, 'null'],
]);
const numberBytes = new Set(Buffer.from('0123456789+-.eE'));
const number = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const escapes = '"\\/bfnrt';

/**
 * Returns the first position where UTF-8 bytes stop being JSON (RFC 8259), or their end when the text is cut off,
 * because the parser gives no position for short texts. For texts that the parser rejected. Makes one pass and keeps a
 * byte for each open bracket.
 */
export function jsonFault(bytes: Buffer): JsonFault {
  const steps = offsetOfFault(bytes);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return lineAndColumn(bytes, step.value);
  }
}

/** Like `jsonFault`, for a large text: lets other work use the event loop. */
export async function largeJsonFault(bytes: Buffer, turns: () => Promise<void> | undefined): Promise<JsonFault> {
  const steps = offsetOfFault(bytes);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return lineAndColumn(bytes, step.value);
    await turns();
  }
}

function lineAndColumn(bytes: Buffer, offset: number): JsonFault {
  let line = 1;
  let from = 0;
  for (let next = bytes.indexOf(0x0a); next !== -1 && next < offset; next = bytes.indexOf(0x0a, from)) {
    line += 1;
    from = next + 1;
  }
  let column = 1;
  // Continuation bytes don't count as characters.
  for (let at = from; at < offset; at += 1) if ((bytes[at]! & 0xc0) !== 0x80) column += 1;
  return { line, column };
}

function* offsetOfFault(bytes: Buffer): Generator<void, number, void> {
  const open: number[] = [];
  let place: FaultPlace = 'value';
  let at = 0;
  let yieldAt = bytesPerLook;
  const afterValue = (): FaultPlace => (open.length === 0 ? 'end' : 'after value');
  while (at < bytes.length) {
    if (at >= yieldAt) {
      yieldAt = at + bytesPerLook;
      yield;
    }
    const byte = bytes[at]!;
    if (isBlank(byte)) {
      at += 1;
      continue;
    }
    const opener = open.at(-1);
    const isKey: boolean = place === 'key' || place === 'first key';
    if (place === 'end') return at;
    if (place === 'colon') {
      if (byte !== 0x3a) return at;
      place = 'value';
      at += 1;
    } else if (place === 'after value') {
      const closer = opener === 0x7b ? 0x7d : 0x5d;
      if (byte === 0x2c) place = opener === 0x7b ? 'key' : 'value';
      else if (byte !== closer) return at;
      else {
        open.pop();
        place = afterValue();
      }
      at += 1;
    } else if ((place === 'first item' && byte === 0x5d) || (place === 'first key' && byte === 0x7d)) {
      open.pop();
      place = afterValue();
      at += 1;
    } else if (byte === 0x22) {
      const end = endOfString(bytes, at + 1);
      if (end < 0) return -end;
      place = isKey ? 'colon' : afterValue();
      at = end;
    } else if (isKey) return at;
    else if (byte === 0x7b || byte === 0x5b) {
      open.push(byte);
      place = byte === 0x7b ? 'first key' : 'first item';
      at += 1;
    } else {
      const length = lengthOfScalar(bytes, at);
      if (length === 0) return at;
      place = afterValue();
      at += length;
    }
  }
  return bytes.length;
}

/** Returns the offset after the closing quote, or minus the offset of the fault. */
function endOfString(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    if (byte === 0x22) return at + 1;
    if (byte < 0x20) return -at;
    if (byte !== 0x5c) continue;
    const letter = String.fromCharCode(bytes[at + 1] ?? 0);
    if (letter === 'u' && /^[0-9A-Fa-f]{4}$/.test(bytes.toString('latin1', at + 2, at + 6))) at += 5;
    else if (escapes.includes(letter)) at += 1;
    else return -at;
  }
  return -bytes.length;
}

/** Returns the length of the number or word that starts here, or 0. */
function lengthOfScalar(bytes: Buffer, at: number): number {
  const word = words.get(bytes[at]!);
  if (word !== undefined) return bytes.toString('latin1', at, at + word.length) === word ? word.length : 0;
  let end = at;
  while (end < bytes.length && numberBytes.has(bytes[end]!)) end += 1;
  number.lastIndex = 0;
  return number.exec(bytes.toString('latin1', at, end))?.[0].length ?? 0;
}
