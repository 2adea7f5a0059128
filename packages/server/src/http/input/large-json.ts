import { isUtf8 } from 'node:buffer';
import { takeTurns } from '../../platform/turns.ts';
import { malformed, notJsonAt, problemOfItem, refuseValue } from './json-body.ts';
import { largeJsonFault } from './json-fault.ts';
import { findLists, type JsonList, type LargeJsonOptions, NotJson, parseJson } from './json-lists.ts';

/**
 * Bodies of at least this size are read in pieces. A smaller one blocks the event loop for a few milliseconds at worst.
 */
export const largeBodyBytes = 128 * 1024;

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

async function parseInPieces(
  bytes: Buffer,
  options: LargeJsonOptions,
  turns: () => Promise<void> | undefined,
): Promise<unknown> {
  const lists = await findLists(bytes, options, turns);
  const rest = parseJson(restOf(bytes, lists));
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
      const found = parseJson(`[${bytes.toString('utf8', piece.start, piece.end)}]`);
      // Count items separately: cut in the middle, both halves of `1,,2` would pass.
      if (!Array.isArray(found) || found.length !== piece.items) throw new NotJson();
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

/** Returns the body with each non-empty list replaced by its number: `{"rows":[0],"onDuplicate":"skip"}`. */
function restOf(bytes: Buffer, lists: readonly JsonList[]): string {
  let text = '';
  let from = 0;
  for (const [number, list] of lists.entries()) {
    text += bytes.toString('utf8', from, list.start) + number;
    from = list.end;
  }
  return text + bytes.toString('utf8', from);
}
