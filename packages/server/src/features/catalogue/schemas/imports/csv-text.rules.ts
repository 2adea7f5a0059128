import type { CsvAnalysis } from '@arbiter/contract';
import { CsvError, parse } from 'csv-parse/sync';
import { AppError } from '../../../../platform/app-error.ts';

/** Reading the first part of a CSV file as records (docs/design/api-settled.md 37 to 39). */

export type Encoding = CsvAnalysis['encoding'];
export type Delimiter = CsvAnalysis['delimiter'];

/** Ties are decided in this order. */
const delimiters = [',', ';', '\t', '|'] as const satisfies readonly Delimiter[];

/** The first bytes of file types that people upload by mistake, whatever their name. */
const otherKinds: readonly (readonly number[])[] = [
  [0x50, 0x4b, 0x03, 0x04], // zip, and with it xlsx
  [0x50, 0x4b, 0x05, 0x06], // an empty zip
  [0x1f, 0x8b], // gzip
  [0x25, 0x50, 0x44, 0x46], // pdf
  [0x89, 0x50, 0x4e, 0x47], // png
  [0xff, 0xd8, 0xff], // jpeg
];

/** 400 `csv_invalid`; `line` counts from 1. */
export function csvInvalid(message: string, line?: number): AppError {
  const where = line === undefined ? 'The file ' : `Line ${line}: `;
  return new AppError('csv_invalid', {
    detail: `${where}${message}.`,
    errors: [{ path: '/file', message: line === undefined ? message : `line ${line}: ${message}` }],
  });
}

/** Throws 415 for a file whose first bytes show that it isn't a table, whatever its name. */
export function refuseOtherKinds(sample: Uint8Array): void {
  if (otherKinds.some((magic) => magic.every((byte, at) => sample[at] === byte))) {
    throw notCsv('The file is an archive, a document or an image, not CSV.');
  }
}

/** 415 for text that holds NUL. */
export const holdsNul = (): AppError => notCsv('The file is not CSV: it contains NUL characters.');

const notCsv = (detail: string): AppError => new AppError('unsupported_media_type', { detail });

/** The encoding that a byte order mark names, or null. */
export function markedEncoding([first, second, third]: Uint8Array): Encoding | null {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return null;
}

/** Returns a file's encoding by its first bytes: a byte order mark decides, otherwise UTF-8 if it's valid. */
function encodingOf(sample: Uint8Array, isWhole: boolean): Encoding {
  const marked = markedEncoding(sample);
  if (marked !== null) return marked;
  return decoded(sample, 'utf-8', isWhole) === null ? 'windows-1252' : 'utf-8';
}

/** The text without its byte order mark; null if the bytes aren't in this encoding. A cut character at the end is left out. */
function decoded(sample: Uint8Array, encoding: Encoding, isWhole: boolean): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(sample, { stream: !isWhole });
  } catch {
    // The decoder's way of saying that the bytes are something else.
    return null;
  }
}

/** `isWhole`: the sample is the whole file. Throws 415 when it isn't text, 400 when it breaks its own encoding. */
export function readText(sample: Uint8Array, isWhole: boolean): { readonly text: string; readonly encoding: Encoding } {
  refuseOtherKinds(sample);
  const encoding = encodingOf(sample, isWhole);
  const text = decoded(sample, encoding, isWhole);
  if (text === null) throw csvInvalid(`is not ${encoding}, as its byte order mark says`);
  if (text.includes('\0')) throw holdsNul();
  return { text, encoding };
}

/**
 * Maximum characters of a header: more than 500 columns need. One line of a megabyte isn't a table, and takes long to
 * detect.
 */
export const longestHeader = 256 * 1024;

/** Cells that each delimiter finds in the first non-blank line, counting quoted ones as one. */
function headerCells(text: string): ReadonlyMap<Delimiter, number> {
  const cells = new Map<Delimiter, number>(delimiters.map((delimiter) => [delimiter, 1]));
  let isQuoted = false;
  let isBlank = true;
  for (const character of text.slice(0, longestHeader + 1)) {
    if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (character === '\n' || character === '\r')) {
      if (!isBlank) return cells;
      continue;
    } else if (!isQuoted) {
      const delimiter = delimiters.find((candidate) => candidate === character);
      if (delimiter !== undefined) cells.set(delimiter, (cells.get(delimiter) ?? 1) + 1);
    }
    isBlank = false;
  }
  if (text.length > longestHeader) throw csvInvalid(`the header is longer than ${longestHeader / 1024} KB`, 1);
  return cells;
}

/** The delimiter that splits the header best, and into how many cells. */
export function delimiterOf(text: string): { readonly delimiter: Delimiter; readonly cells: number } {
  const counted = headerCells(text);
  let best: Delimiter = ',';
  for (const candidate of delimiters) if ((counted.get(candidate) ?? 1) > (counted.get(best) ?? 1)) best = candidate;
  return { delimiter: best, cells: counted.get(best) ?? 1 };
}

export interface CsvRecords {
  readonly header: readonly string[];
  /** Pads to as many cells as the header. */
  readonly rows: readonly (readonly string[])[];
  /** Where the header and the last row end, as a fraction of the text, 0 to 1. */
  readonly headerEnd: number;
  readonly rowsEnd: number;
}

interface ParsedRecord {
  readonly record: string[];
  readonly info: { readonly lines: number; readonly bytes: number };
}

/**
 * Returns the header and the first `maxRows` rows, skipping blank lines. `isWhole`: the text is the whole file;
 * otherwise drops a record cut off at its end. Throws `csv_invalid` with the line for invalid CSV (RFC 4180).
 */
export function readRecords(text: string, delimiter: Delimiter, maxRows: number, isWhole: boolean): CsvRecords {
  const found: ParsedRecord[] = [];
  try {
    parse(text, {
      delimiter,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      skip_empty_lines: true,
      info: true,
      to: maxRows + 1,
      on_record: (parsed: unknown) => {
        found.push(parsed as ParsedRecord);
        return null;
      },
    });
    const endsInLine = /[\r\n]$/.test(text);
    if (!isWhole && !endsInLine && found.length <= maxRows) found.pop();
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const isCut = !isWhole && error.code === 'CSV_QUOTE_NOT_CLOSED';
    if (!isCut) throw csvRefusal(error);
  }
  const [head, ...rest] = found;
  if (head === undefined) throw csvInvalid('has no header');
  const width = head.record.length;
  for (const { record, info } of rest) {
    if (record.length > width) throw csvInvalid(`has ${record.length} cells, but the header has ${width}`, info.lines);
  }
  const bytes = Buffer.byteLength(text, 'utf8');
  return {
    header: head.record,
    rows: rest.map(({ record }) => [...record, ...Array<string>(width - record.length).fill('')]),
    headerEnd: head.info.bytes / bytes,
    rowsEnd: (found.at(-1) ?? head).info.bytes / bytes,
  };
}

function messageOf({ code }: CsvError): string {
  switch (code) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return 'a quote is not closed';
    case 'CSV_INVALID_CLOSING_QUOTE':
      return 'there is text after a closing quote';
    case 'CSV_MAX_RECORD_SIZE':
      return 'a row is longer than 1 MB, or a quote is not closed';
    case 'INVALID_OPENING_QUOTE':
      return 'there is a quote inside an unquoted cell';
    default:
      return 'is not valid CSV';
  }
}

/** Returns a 400 for a parser error, naming the line. */
export const csvRefusal = (error: CsvError): AppError => csvInvalid(messageOf(error), lineOf(error));

const lineOf = (error: CsvError): number | undefined => {
  const line: unknown = Reflect.get(error, 'lines');
  return typeof line === 'number' ? line : undefined;
};
