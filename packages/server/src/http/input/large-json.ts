import { isUtf8 } from 'node:buffer';
import { invalid } from '../../platform/app-error.ts';
import { takeTurns } from '../../platform/turns.ts';
import { malformed, maximumDepth, notJsonAt, problemOfItem, refuseValue, tooDeep } from './json-body.ts';
import { largeJsonFault } from './json-fault.ts';

/**
 * Bodies of at least this size are read in pieces. A smaller one blocks the event loop for a few milliseconds at worst.
 */
export const largeBodyBytes = 128 * 1024;

/** Approximate size of text to parse at once, which takes a millisecond or two. */
const usualPieceBytes = 64 * 1024;
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
interface Piece {
  readonly start: number;
  readonly end: number;
  readonly items: number;
}

/** A list that's the value of a body member. */
interface List {
  readonly start: number;
  end: number;
  readonly pieces: Piece[];
}

/**
 * Parses a large JSON body by the rules of `parseJsonBody`, letting other work run every few milliseconds. Bodies are
 * large because of lists, so lists among the body's members are parsed a few items at a time and the rest as a whole.
 * Rejects like `parseJsonBody`, and with `validation_failed` for a list of too many items or a value of too many parts.
 */
export async function parseLargeJson(bytes: Buffer, options: LargeJsonOptions = {}): Promise<unknown> {
  if (!isUtf8(bytes)) throw malformed('The body must be UTF-8.');
  const turns = takeTurns();
  try {
    return await parseInPieces(bytes, options, turns);
  } catch (error) {
    if (error instanceof NotJson) throw notJsonAt(await largeJsonFault(bytes, turns));
    throw error;
  }
}

/** Some piece of the body isn't JSON. The handler of this error looks for the position. */
class NotJson extends Error {}

async function parseInPieces(
  bytes: Buffer,
  options: LargeJsonOptions,
  turns: () => Promise<void> | undefined,
): Promise<unknown> {
  const lists = await findLists(bytes, options, turns);
  const rest = parse(restOf(bytes, lists));
  refuseValue(rest);
  if (typeof rest !== 'object' || rest === null || Array.isArray(rest)) return rest;
  const body = rest as Record<string, unknown>;
  const names = new Map<number, string>();
  for (const name in body) {
    const member = body[name];
    // In the rest, a number stands for each list. Of duplicate members the last one remains.
    if (Array.isArray(member) && member.length > 0) names.set(Number(member[0]), name);
  }
  for (const [number, list] of lists.entries()) {
    const name = names.get(number);
    const items: unknown[] = [];
    for (const piece of list.pieces) {
      const found = parse(`[${bytes.toString('utf8', piece.start, piece.end)}]`);
      // Count items separately: cut in the middle, both halves of `1,,2` would pass.
      if (!Array.isArray(found) || found.length !== piece.items) throw notJson();
      for (const item of found) {
        const problem = name === undefined ? null : problemOfItem(item, name, items.length);
        if (problem !== null) throw problem;
        items.push(item === 0 ? 0 : item);
      }
      await turns();
    }
    if (name !== undefined) body[name] = items;
  }
  return body;
}

const notJson = (): NotJson => new NotJson();

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notJson();
  }
}

/** Returns the body with each non-empty list replaced by its number: `{"rows":[0],"onDuplicate":"skip"}`. */
function restOf(bytes: Buffer, lists: readonly List[]): string {
  let text = '';
  let from = 0;
  for (const [number, list] of lists.entries()) {
    text += bytes.toString('utf8', from, list.start) + number;
    from = list.end;
  }
  return text + bytes.toString('utf8', from);
}

const quote = 0x22;
const comma = 0x2c;
const openList = 0x5b;
const backslash = 0x5c;
const closeList = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

/** Finds the lists by their brackets alone. The parser decides whether what's between them is JSON. */
async function findLists(
  bytes: Buffer,
  { maxItems, pieceBytes = usualPieceBytes }: LargeJsonOptions,
  turns: () => Promise<void> | undefined,
): Promise<List[]> {
  const lists: List[] = [];
  const closers = new Uint8Array(maximumDepth);
  let depth = 0;
  let list: List | null = null;
  let name = '';
  let most = Number.POSITIVE_INFINITY;
  let items = 0;
  /** Belongs to the piece being collected. */
  let start = 0;
  let commas = 0;
  let valuesInPiece = 0;
  let valuesInItem = 0;
  let valuesOutside = 0;
  let key: readonly [number, number] = [0, 0];

  const endPiece = (at: number, isLast: boolean): void => {
    const pieceItems = commas + 1;
    const isEmpty = isLast && list!.pieces.length === 0 && pieceItems === 1 && isBlank(bytes, start, at);
    if (!isEmpty) list!.pieces.push({ start, end: at, items: pieceItems });
    start = at + 1;
    commas = 0;
    valuesInPiece = 0;
  };

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
      if (depth === 1) key = [from, at + 1];
    } else if (byte === comma) {
      if (list === null) valuesOutside += 1;
      else if (depth === 2) {
        items += 1;
        valuesInItem = 0;
        if (items >= most) throw invalid(`/${name}`, `must have at most ${most} items`);
        if (at - start >= pieceBytes || valuesInPiece >= maximumValues / 5) endPiece(at, false);
        else commas += 1;
      } else {
        valuesInPiece += 1;
        valuesInItem += 1;
      }
    } else if (byte === openList || byte === openObject) {
      if (depth === maximumDepth) throw tooDeep();
      if (list === null) valuesOutside += 1;
      else {
        valuesInPiece += 1;
        valuesInItem += 1;
      }
      closers[depth] = byte === openList ? closeList : closeObject;
      depth += 1;
      if (depth === 2 && byte === openList && closers[0] === closeObject) {
        list = { start: at + 1, end: at + 1, pieces: [] };
        name = nameOf(bytes, key);
        most = maxItems?.get(name) ?? Number.POSITIVE_INFINITY;
        items = 0;
        start = at + 1;
        commas = 0;
        valuesInPiece = 0;
        valuesInItem = 0;
      }
    } else if (byte === closeList || byte === closeObject) {
      depth -= 1;
      if (depth < 0 || closers[depth] !== byte) throw notJson();
      if (depth === 1 && list !== null) {
        endPiece(at, true);
        list.end = at;
        if (list.pieces.length > 0) lists.push(list);
        list = null;
      }
    }
    if (valuesInItem > maximumValues) throw invalid(`/${name}/${items}`, tooManyValues);
    if (valuesOutside > maximumValues) throw invalid('', `The body ${tooManyValues}`);
  }
  if (depth !== 0) throw notJson();
  return lists;
}

const tooManyValues = `contains more than ${maximumValues} values`;

/** Returns the position of the quote that ends a string. */
function endOfString(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    if (byte === quote) return at;
    if (byte === backslash) at += 1;
  }
  throw notJson();
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
  return String(parse(bytes.toString('utf8', from, to)));
}
