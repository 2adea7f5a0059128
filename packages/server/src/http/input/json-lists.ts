import { invalid } from '../../platform/app-error.ts';
import { maximumDepth, tooDeep } from './json-body.ts';

/** Approximate size of text to parse at once, which takes a millisecond or two. */
const defaultPieceBytes = 64 * 1024;
/** Bytes to scan between two checks of the clock. */
const bytesPerLook = 64 * 1024;
/**
 * Maximum values (members, items) in one list item, or outside of all lists. They're parsed at once, and 50,000 of the
 * most expensive kind (new keys) take half of the time that the loop may be blocked (docs/design/quality.md law 2,
 * T17).
 */
const maximumValues = 50_000;

export interface LargeJsonOptions {
  /** Maximum items of a list, by member name. Longer lists are rejected before parsing. */
  readonly maxItems?: ReadonlyMap<string, number>;
  readonly pieceBytes?: number;
}

/** A run of list items, without the comma that follows it. */
interface JsonPiece {
  readonly start: number;
  readonly end: number;
  readonly items: number;
}

/** A list that's the value of a body member. */
export interface JsonList {
  readonly start: number;
  end: number;
  readonly pieces: JsonPiece[];
}

/** Some piece of the body isn't JSON. The handler of this error looks for the position. */
export class NotJson extends Error {}

/** Throws NotJson. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new NotJson();
  }
}

const quote = 0x22;
const comma = 0x2c;
const openList = 0x5b;
const backslash = 0x5c;
const closeList = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

/** The list being scanned, and the limits that apply to it. */
interface OpenList {
  readonly list: JsonList;
  /** The member's name. */
  readonly name: string;
  readonly maxItems: number;
  items: number;
  valuesInItem: number;
  /** The piece being collected: its first byte, and the commas and values in it. */
  pieceStart: number;
  commas: number;
  valuesInPiece: number;
}

/** State of a scan. */
interface Scan {
  readonly bytes: Buffer;
  readonly options: LargeJsonOptions;
  readonly lists: JsonList[];
  /** The bracket that closes each open level. */
  readonly closers: Uint8Array;
  depth: number;
  open: OpenList | null;
  /** Start and end of the newest text at the body's top level: a member's name, when a list follows it. */
  key: readonly [number, number];
  valuesOutside: number;
}

/** Finds the lists by their brackets alone. The parser decides whether what's between them is JSON. */
export async function findLists(
  bytes: Buffer,
  options: LargeJsonOptions,
  turns: () => Promise<void> | undefined,
): Promise<JsonList[]> {
  const closers = new Uint8Array(maximumDepth);
  const scan: Scan = { bytes, options, lists: [], closers, depth: 0, open: null, key: [0, 0], valuesOutside: 0 };
  let lookAt = bytesPerLook;
  for (let at = 0; at < bytes.length; at += 1) {
    if (at >= lookAt) {
      lookAt = at + bytesPerLook;
      await turns();
    }
    const byte = bytes[at]!;
    if (byte > comma && byte < openList) continue;
    if (byte === quote) {
      const from = at;
      at = endOfString(bytes, at + 1);
      if (scan.depth === 1) scan.key = [from, at + 1];
    } else if (byte === comma) onComma(scan, at);
    else if (byte === openList || byte === openObject) onOpen(scan, at, byte);
    else if (byte === closeList || byte === closeObject) onClose(scan, at, byte);
  }
  if (scan.depth !== 0) throw new NotJson();
  return scan.lists;
}

function onComma(scan: Scan, at: number): void {
  const { open } = scan;
  if (open === null || scan.depth !== 2) {
    countValue(scan);
    return;
  }
  open.items += 1;
  open.valuesInItem = 0;
  if (open.items >= open.maxItems) throw invalid(`/${open.name}`, `must have at most ${open.maxItems} items`);
  const { pieceBytes = defaultPieceBytes } = scan.options;
  if (at - open.pieceStart >= pieceBytes || open.valuesInPiece >= maximumValues / 5) endPiece(scan, open, at, false);
  else open.commas += 1;
}

function onOpen(scan: Scan, at: number, bracket: number): void {
  if (scan.depth === maximumDepth) throw tooDeep();
  countValue(scan);
  scan.closers[scan.depth] = bracket === openList ? closeList : closeObject;
  scan.depth += 1;
  if (scan.depth !== 2 || bracket !== openList || scan.closers[0] !== closeObject) return;
  const name = nameOf(scan.bytes, scan.key);
  scan.open = {
    list: { start: at + 1, end: at + 1, pieces: [] },
    name,
    maxItems: scan.options.maxItems?.get(name) ?? Number.POSITIVE_INFINITY,
    items: 0,
    valuesInItem: 0,
    pieceStart: at + 1,
    commas: 0,
    valuesInPiece: 0,
  };
}

function onClose(scan: Scan, at: number, bracket: number): void {
  const { open } = scan;
  scan.depth -= 1;
  if (scan.depth < 0 || scan.closers[scan.depth] !== bracket) throw new NotJson();
  if (scan.depth !== 1 || open === null) return;
  endPiece(scan, open, at, true);
  open.list.end = at;
  if (open.list.pieces.length > 0) scan.lists.push(open.list);
  scan.open = null;
}

/** Counts a value outside of all lists, or inside an item of one. */
function countValue(scan: Scan): void {
  const { open } = scan;
  if (open === null) {
    scan.valuesOutside += 1;
    if (scan.valuesOutside > maximumValues) throw invalid('', `The body ${tooManyValues}`);
    return;
  }
  open.valuesInPiece += 1;
  open.valuesInItem += 1;
  if (open.valuesInItem > maximumValues) throw invalid(`/${open.name}/${open.items}`, tooManyValues);
}

function endPiece({ bytes }: Scan, open: OpenList, at: number, isLast: boolean): void {
  const { pieces } = open.list;
  const items = open.commas + 1;
  const isEmpty = isLast && pieces.length === 0 && items === 1 && isBlank(bytes, open.pieceStart, at);
  if (!isEmpty) pieces.push({ start: open.pieceStart, end: at, items });
  open.pieceStart = at + 1;
  open.commas = 0;
  open.valuesInPiece = 0;
}

const tooManyValues = `contains more than ${maximumValues} values`;

/** Returns the position of the quote that ends a string. */
function endOfString(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    if (byte === quote) return at;
    if (byte === backslash) at += 1;
  }
  throw new NotJson();
}

function isBlank(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at]!;
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return false;
  }
  return true;
}

function nameOf(bytes: Buffer, [from, to]: readonly [number, number]): string {
  if (to - from > 1_000) return '';
  return String(parseJson(bytes.toString('utf8', from, to)));
}
