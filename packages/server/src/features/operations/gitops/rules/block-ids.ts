import type { Json } from '@arbiter/engine';
import { isObject } from '../../../../platform/json.ts';
import { type Members, membersOf } from '../json.ts';

/**
 * Blocks of content in which those without an id have one: `block-1`, `block-2` and on, in order, past ids that are
 * taken. The server would make up new ones at each apply, and equal files would not mean equal content.
 */
export function filledBlocks(blocks: readonly Json[]): Json[] {
  const taken = new Set<Json>();
  const collect = (some: readonly Json[]): void => {
    for (const { id, children } of some.map((block) => membersOf(block))) {
      if (id !== undefined) taken.add(id);
      if (Array.isArray(children)) collect(children);
    }
  };
  collect(blocks);
  let number = 0;
  const next = (): string => {
    do number += 1;
    while (taken.has(`block-${number}`));
    return `block-${number}`;
  };
  const filled = (block: Json): Json => {
    if (!isObject(block)) return block;
    const own: Members = block.id === undefined ? { ...membersOf(block), id: next() } : membersOf(block);
    return Array.isArray(own.children) ? { ...own, children: own.children.map(filled) } : own;
  };
  return blocks.map(filled);
}
