import type { DataType } from '@arbiter/contract';
import { CsvError, parse } from 'csv-parse';
import type { SpooledFile } from '../../../../platform/spooled-file.ts';
import { sanitiseSchemaName } from '../fields/names.rules.ts';
import type { GivenLine } from '../rows/replace-rows.service.ts';
import { columnNames, nonKeyName } from './csv-columns.rules.ts';
import { csvInvalid, csvRefusal, delimiterOf, type Encoding, holdsNul, longestHeader } from './csv-text.rules.ts';

/** A column that a file can fill. */
export interface CsvTarget {
  readonly name: string;
  readonly dataType: DataType;
}

/** What a file says in other words than the schema. */
export interface CsvSpelling {
  /** Headers, in lower case, that stand for a column of another name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Columns, and the texts that mean null in them. */
  readonly nulls: Readonly<Record<string, readonly string[]>>;
}

/** How a file is matched with a table. */
export interface CsvMatch {
  readonly targets: readonly CsvTarget[];
  /** The column that the file must have; null: none. */
  readonly key: string | null;
  readonly csv?: CsvSpelling | undefined;
  /** Told of the header, and of the column that each of its cells fills; null: none. */
  readonly onHeader?: (header: readonly string[], columns: readonly (string | null)[]) => void;
}

/** Longest row: a quote that is not closed would swallow the rest of the file. */
const longestRow = 1024 * 1024;

interface ParsedRow {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

/**
 * The rows of a CSV file while it is read (docs/design/api-access.md 13; RFC 4180). Headers are names of columns in any letter case,
 * or what the pack says stands for them; other columns of the file are left out, columns that it lacks are null. Fails with
 * `csv_invalid` for anything but a table with the key.
 */
export async function* readCsvRows(file: SpooledFile, encoding: Encoding, match: CsvMatch): AsyncGenerator<GivenLine> {
  let places: readonly (CsvTarget | null)[] | null = null;
  let width = 0;
  for await (const { record, info } of readRecords(file, encoding)) {
    if (places === null) {
      places = placesOf(record, match);
      match.onHeader?.(
        record,
        places.map((place) => place?.name ?? null),
      );
      width = record.length;
      continue;
    }
    if (record.length > width) throw csvInvalid(`has ${record.length} cells, but the header has ${width}`, info.lines);
    const values: Record<string, unknown> = {};
    for (const [at, target] of places.entries()) {
      if (target !== null) values[target.name] = cellValue(target, record[at] ?? '', match.csv);
    }
    yield { line: info.lines, values };
  }
  if (places === null) throw csvInvalid('has no header');
}

/** The column that each cell goes to; null: nowhere. */
function placesOf(header: readonly string[], { targets, key, csv }: CsvMatch): (CsvTarget | null)[] {
  const known = new Map(targets.map((target) => [target.name.toLowerCase(), target]));
  const usedNames = new Set<string>();
  const analysedNames = columnNames(header);
  const places = header.map((cell, at) => {
    const name = cell.trim().toLowerCase();
    const analysedName = analysedNames[at] ?? '';
    const matches = [
      csv?.headers[name] ?? name,
      analysedName,
      nonKeyName(analysedName, analysedNames),
      sanitiseSchemaName(name),
    ]
      .map((candidate) => known.get(candidate))
      .filter((match) => match !== undefined);
    const [first] = matches;
    if (first === undefined) return null;
    // Headers that differ only in letter case or punctuation have columns of their own, such as name and name_2.
    const target = matches.find((match) => !usedNames.has(match.name));
    if (target === undefined) throw csvInvalid(`more than one column of the file is named ${first.name}`, 1);
    usedNames.add(target.name);
    return target;
  });
  if (key !== null && !usedNames.has(key)) throw csvInvalid(`the file has no column ${key}, which is the key`, 1);
  return places;
}

const truths = new Map([
  ['yes', true],
  ['true', true],
  ['1', true],
  ['no', false],
  ['false', false],
  ['0', false],
]);

/** A cell as the value of its column. What cannot be read stays text, and is refused as such. */
function cellValue({ name, dataType }: CsvTarget, cell: string, csv: CsvSpelling | undefined): unknown {
  if (cell === '' || csv?.nulls[name]?.includes(cell.trim()) === true) return null;
  return dataType === 'boolean' ? (truths.get(cell.trim().toLowerCase()) ?? cell) : cell;
}

async function* readRecords(file: SpooledFile, encoding: Encoding): AsyncGenerator<ParsedRow> {
  const texts = readTexts(file, encoding);
  let first = '';
  for (let next = await texts.next(); !next.done; next = await texts.next()) {
    first += next.value;
    if (first.length > longestHeader) break;
  }
  const { delimiter } = delimiterOf(first);
  const parser = parse({
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    skip_empty_lines: true,
    info: true,
    max_record_size: longestRow,
  });
  const feeding = feed(parser, first, texts);
  try {
    // With `info` each record has its position.
    for await (const parsed of parser) yield parsed as ParsedRow;
    await feeding;
  } catch (error) {
    throw error instanceof CsvError ? csvRefusal(error) : error;
  } finally {
    parser.destroy();
    await texts.return(undefined);
  }
}

/** Hands the text to the parser as fast as it accepts it; an error ends the parser. */
async function feed(parser: ReturnType<typeof parse>, first: string, rest: AsyncIterable<string>): Promise<void> {
  try {
    await write(parser, first);
    for await (const text of rest) await write(parser, text);
    parser.end();
  } catch (error) {
    parser.destroy(error instanceof Error ? error : new Error(String(error)));
  }
}

function write(parser: ReturnType<typeof parse>, text: string): Promise<void> | undefined {
  if (parser.destroyed || parser.write(text)) return undefined;
  return new Promise((resolve) => {
    const done = (): void => {
      parser.off('drain', done).off('close', done);
      resolve();
    };
    parser.on('drain', done).on('close', done);
  });
}

/** The file as text, piece by piece, without its byte order mark. */
async function* readTexts(file: SpooledFile, encoding: Encoding): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  const decode = (piece?: Uint8Array): string => {
    let text: string;
    try {
      text = decoder.decode(piece, { stream: piece !== undefined });
    } catch {
      // The decoder's way of saying that the bytes are something else.
      throw csvInvalid(`is not ${encoding}, as its byte order mark says`);
    }
    if (text.includes('\0')) throw holdsNul();
    return text;
  };
  for await (const piece of file.read()) yield decode(piece);
  yield decode();
}
