import { markedEncoding } from '../imports/csv-text.rules.ts';

const quote = 0x22;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * Counts the records of a CSV file while its bytes pass by: lines that are not blank, without the header; line breaks in
 * quotes don't count (RFC 4180). These characters are the same bytes in UTF-8 and Windows-1252, and two bytes in UTF-16.
 */
export function createRowCount() {
  let records = 0;
  let isQuoted = false;
  let isBlank = true;
  let at = 0;
  /** Place of the byte that tells a character in each unit of this many bytes. */
  let unit = { bytes: 1, low: 0, skip: 0 };
  let high = 0;
  const begin = (first: Uint8Array): void => {
    const encoding = markedEncoding(first);
    if (encoding === 'utf-8') unit = { bytes: 1, low: 0, skip: 3 };
    else if (encoding === 'utf-16le') unit = { bytes: 2, low: 0, skip: 2 };
    else if (encoding === 'utf-16be') unit = { bytes: 2, low: 1, skip: 2 };
  };
  const takeCharacter = (character: number): void => {
    if (character === quote) isQuoted = !isQuoted;
    if (!isQuoted && (character === lineFeed || character === carriageReturn)) {
      if (!isBlank) records += 1;
      isBlank = true;
    } else isBlank = false;
  };
  return {
    take(chunk: Uint8Array): void {
      if (at === 0) begin(chunk);
      for (const byte of chunk) {
        const place = at - unit.skip;
        at += 1;
        if (place < 0) continue;
        if (unit.bytes === 1) takeCharacter(byte);
        else if (place % 2 === 0) high = byte;
        else takeCharacter(unit.low === 0 ? byte * 256 + high : high * 256 + byte);
      }
    },
    rows: (): number => Math.max(0, records + (isBlank ? 0 : 1) - 1),
  };
}
