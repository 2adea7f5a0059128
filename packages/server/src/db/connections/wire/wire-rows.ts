import { cString } from './wire-reader.ts';

export type WireRow = Readonly<Record<string, unknown>>;

/** Returns the parser of a type's text form. */
type TypeParser = (oid: number) => (text: string) => unknown;

/** What a statement returns. */
export interface WireColumns {
  readonly names: readonly string[];
  /** For each column, whether to request it in binary form once the columns are known. */
  readonly binary: readonly boolean[];
  readonly decoders: readonly Decode[];
  /** Parsers of the text form. */
  readonly textDecoders: readonly Decode[];
  /** An empty row. Copying it is faster than adding properties one by one. */
  readonly empty: WireRow;
}

type Decode = (bytes: Buffer, start: number, end: number) => unknown;

const oids = { bool: 16, bytea: 17, int8: 20, int2: 21, int4: 23, text: 25, varchar: 1043, uuid: 2950 } as const;

export const noColumns: WireColumns = { names: [], binary: [], decoders: [], textDecoders: [], empty: {} };

/** Bytes of a column's description after its name: table, column, type, size, modifier, format. */
const descriptionBytes = 18;
const typeAt = 6;

/** Reads the message RowDescription. */
export function readColumns(bytes: Buffer, start: number, parserOf: TypeParser): WireColumns {
  const count = bytes.readInt16BE(start);
  const names: string[] = [];
  const types: number[] = [];
  for (let i = 0, at = start + 2; i < count; i++) {
    const end = bytes.indexOf(0, at);
    names.push(cString(bytes, at));
    types.push(bytes.readUInt32BE(end + 1 + typeAt));
    at = end + 1 + descriptionBytes;
  }
  const textDecoders = types.map((oid) => textDecoder(oid, parserOf));
  const binary = types.map((oid) => oid === oids.bytea);
  return {
    names,
    binary,
    textDecoders,
    decoders: textDecoders.map((decode, i) => (binary[i] ? bytesOf : decode)),
    empty: Object.fromEntries(names.map((name) => [name, null])),
  };
}

/** Reads the message DataRow. */
export function readRow(bytes: Buffer, start: number, columns: WireColumns, decoders: readonly Decode[]): WireRow {
  const { names, empty } = columns;
  const row: Record<string, unknown> = { ...empty };
  let at = start + 2;
  for (let i = 0; i < names.length; i++) {
    const length = bytes.readInt32BE(at);
    at += 4;
    if (length < 0) continue;
    row[names[i]!] = decoders[i]!(bytes, at, at + length);
    at += length;
  }
  return row;
}

function textDecoder(oid: number, parserOf: TypeParser): Decode {
  if (oid === oids.bool) return (bytes, start) => bytes[start] === letterT;
  if (oid === oids.uuid) return (bytes, start, end) => bytes.toString('latin1', start, end);
  if (oid === oids.text || oid === oids.varchar) return textOf;
  if (oid === oids.int8 || oid === oids.int4 || oid === oids.int2) return integerOf;
  const parse = parserOf(oid);
  return (bytes, start, end) => parse(textOf(bytes, start, end));
}

const letterT = 0x74;
const minus = 0x2d;
const zero = 0x30;
/** Numbers with at most this many digits are exact. */
const exactDigits = 15;

const bytesOf: Decode = (bytes, start, end) => bytes.subarray(start, end);
const textOf = (bytes: Buffer, start: number, end: number): string => bytes.toString('utf8', start, end);

/** Returns a number, or its digits as a string if it can't be exact. */
const integerOf: Decode = (bytes, start, end) => {
  const first = bytes[start] === minus ? start + 1 : start;
  if (end - first > exactDigits) {
    const text = bytes.toString('latin1', start, end);
    const value = Number(text);
    return Number.isSafeInteger(value) ? value : text;
  }
  let value = 0;
  for (let at = first; at < end; at++) value = value * 10 + bytes[at]! - zero;
  return first === start ? value : -value;
};
