import type { StoredBlock } from '@arbiter/contract';
import type { JsonMembers } from './content.rules.ts';

/** The parts of an item. */
export interface ContentParts {
  readonly content: Record<string, unknown>;
  readonly blocks: StoredBlock[];
  readonly personalization: Record<string, unknown>;
}

/** Merges an item onto its template, which may itself be merged (docs/design/api-catalogue.md 3.3). */
export function mergeParts(template: ContentParts, own: ContentParts): ContentParts {
  return {
    content: mergeObjects(template.content, own.content),
    blocks: mergeBlocks(template.blocks, own.blocks),
    personalization: mergeObjects(template.personalization, own.personalization),
  };
}

function isObject(value: unknown): value is JsonMembers {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Merges deeply by key: null removes a key, lists are replaced (RFC 7396). */
export function mergeObjects(template: JsonMembers, own: JsonMembers): Record<string, unknown> {
  const merged = new Map(Object.entries(template));
  for (const [key, value] of Object.entries(own)) {
    const before = merged.get(key);
    if (value === null) merged.delete(key);
    else if (isObject(value)) merged.set(key, mergeObjects(isObject(before) ? before : {}, value));
    else merged.set(key, value);
  }
  return Object.fromEntries(merged);
}

/**
 * An item's block replaces the template's block with the same id, or removes it with `props: null`. Other blocks follow
 * the template's last block.
 */
function mergeBlocks(template: readonly StoredBlock[], own: readonly StoredBlock[]): StoredBlock[] {
  const byId = new Map(own.map((block) => [block.id, block]));
  const placed = new Set<string>();
  const replaced = (blocks: readonly StoredBlock[]): StoredBlock[] =>
    blocks.flatMap((block) => {
      const mine = placed.has(block.id) ? undefined : byId.get(block.id);
      if (mine === undefined) {
        return [block.children === undefined ? block : { ...block, children: replaced(block.children) }];
      }
      placed.add(block.id);
      return mine.props === null ? [] : [mine];
    });
  const inPlace = replaced(template);
  return [...inPlace, ...own.filter(({ id, props }) => !placed.has(id) && props !== null)];
}
