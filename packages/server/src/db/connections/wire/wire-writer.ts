import { textArray } from '../../array-text.ts';

/**
 * Messages of PostgreSQL's extended query protocol (version 3, https://www.postgresql.org/docs/18/protocol-message-formats.html),
 * written into one buffer, so that a round trip is one write.
 */
export interface WireWriter {
  bytes: Buffer;
  /** Bytes written so far. */
  at: number;
}

const code = { parse: 0x50, bind: 0x42, describe: 0x44, execute: 0x45, sync: 0x53 } as const;
const target = { statement: 0x53, portal: 0x50 } as const;
const binary = 1;
/** Maximum size of a buffer to reuse. Most trips need less. */
const maxSpareBytes = 1024 * 1024;
const maxSpares = 4;
const firstBytes = 64 * 1024;
/** UTF-8 takes at most three bytes for a unit of UTF-16. */
const bytesPerUnit = 3;

const spares: Buffer[] = [];

export const beginWriting = (): WireWriter => ({ bytes: spares.pop() ?? Buffer.allocUnsafeSlow(firstBytes), at: 0 });

/** Returns the buffer for reuse, once the socket has sent it. */
export function endWriting({ bytes }: WireWriter): void {
  if (bytes.length <= maxSpareBytes && spares.length < maxSpares) spares.push(bytes);
}

function room(out: WireWriter, bytes: number): void {
  if (out.at + bytes <= out.bytes.length) return;
  const grown = Buffer.allocUnsafeSlow(Math.max(out.bytes.length * 2, out.at + bytes));
  out.bytes.copy(grown, 0, 0, out.at);
  out.bytes = grown;
}

function putByte(out: WireWriter, value: number): void {
  room(out, 1);
  out.bytes[out.at++] = value;
}

function putInt16(out: WireWriter, value: number): void {
  room(out, 2);
  out.at = out.bytes.writeInt16BE(value, out.at);
}

function putInt32(out: WireWriter, value: number): void {
  room(out, 4);
  out.at = out.bytes.writeInt32BE(value, out.at);
}

function putText(out: WireWriter, text: string): void {
  room(out, text.length * bytesPerUnit);
  out.at += out.bytes.write(text, out.at, 'utf8');
}

function putCString(out: WireWriter, text: string): void {
  putText(out, text);
  putByte(out, 0);
}

/** Starts a message. Returns the place of its length, for `close`. */
function open(out: WireWriter, messageCode: number): number {
  putByte(out, messageCode);
  const start = out.at;
  putInt32(out, 0);
  return start;
}

/** Ends a message: writes its length. */
function close(out: WireWriter, start: number): void {
  out.bytes.writeInt32BE(out.at - start, start);
}

/** Prepares a statement. An empty name is for this trip only. */
export function putParse(out: WireWriter, name: string, text: string): void {
  const start = open(out, code.parse);
  putCString(out, name);
  putCString(out, text);
  // No types: the server derives them.
  putInt16(out, 0);
  close(out, start);
}

export const putDescribeStatement = (out: WireWriter, name: string): void => putDescribe(out, target.statement, name);
export const putDescribePortal = (out: WireWriter): void => putDescribe(out, target.portal, '');

function putDescribe(out: WireWriter, what: number, name: string): void {
  const start = open(out, code.describe);
  putByte(out, what);
  putCString(out, name);
  close(out, start);
}

/** `binaryColumns`: for each column of the result whether it comes in binary form; null: all come as text. */
export function putBind(
  out: WireWriter,
  name: string,
  values: readonly unknown[],
  binaryColumns: readonly boolean[] | null,
): void {
  const start = open(out, code.bind);
  putByte(out, 0);
  putCString(out, name);
  putInt16(out, values.length);
  for (const value of values) putInt16(out, value instanceof Uint8Array ? binary : 0);
  putInt16(out, values.length);
  for (const value of values) putValue(out, value);
  putInt16(out, binaryColumns?.length ?? 0);
  if (binaryColumns !== null) for (const isBinary of binaryColumns) putInt16(out, isBinary ? binary : 0);
  close(out, start);
}

function putValue(out: WireWriter, value: unknown): void {
  if (value === null || value === undefined) {
    putInt32(out, -1);
    return;
  }
  if (value instanceof Uint8Array) {
    room(out, 4 + value.length);
    putInt32(out, value.length);
    out.bytes.set(value, out.at);
    out.at += value.length;
    return;
  }
  const start = out.at;
  putInt32(out, 0);
  putText(out, textOf(value));
  out.bytes.writeInt32BE(out.at - start - 4, start);
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return textArray(value.map((each) => (each === null ? null : textOf(each))));
  throw new TypeError('a parameter of the hot path must be text, a number, a boolean, an instant, bytes or a list');
}

/** Runs the bound statement until it ends. */
export function putExecute(out: WireWriter): void {
  const start = open(out, code.execute);
  putByte(out, 0);
  putInt32(out, 0);
  close(out, start);
}

/** Ends a trip: after an error the server skips everything before it. */
export const putSync = (out: WireWriter): void => close(out, open(out, code.sync));
