import { type BlockType, type ContentBlock, type ErrorEntry, maxBlocks, type StoredBlock } from '@arbiter/contract';
import { nearestWord } from '@arbiter/engine';
import { newId } from '../../../platform/ids.ts';
import type { Remark } from '../../../platform/remark.ts';
import { longestHtml } from './content.rules.ts';

/** Limit on the list of blocks, in bytes of UTF-8 JSON. */
const blocksBytes = 200 * 1024;

/** Returns what the prop must be; null if it is valid. */
type PropCheck = (value: unknown) => string | null;

const text: PropCheck = (value) => (typeof value === 'string' ? null : 'must be a string');
const flag: PropCheck = (value) => (typeof value === 'boolean' ? null : 'must be true or false');
const number =
  (minimum: number, maximum: number): PropCheck =>
  (value) =>
    typeof value === 'number' && value >= minimum && value <= maximum
      ? null
      : `must be a number from ${minimum} to ${maximum}`;
const integer =
  (minimum: number, maximum: number): PropCheck =>
  (value) =>
    Number.isInteger(value) ? number(minimum, maximum)(value) : `must be an integer from ${minimum} to ${maximum}`;
const oneOf =
  (...words: readonly string[]): PropCheck =>
  (value) =>
    typeof value === 'string' && words.includes(value) ? null : `must be one of ${words.join(', ')}`;
const listOf =
  (check: PropCheck, minimum: number, maximum: number): PropCheck =>
  (value) => {
    if (!Array.isArray(value)) return 'must be a list';
    if (value.length < minimum || value.length > maximum) return `must have ${minimum} to ${maximum} items`;
    return value.map(check).find((problem) => problem !== null) ?? null;
  };

const align = oneOf('left', 'center', 'right');
/** Offer fields that an offer block can show, in display order. */
export const offerFields = ['name', 'shortDesc', 'description', 'imageUrl', 'ctaText', 'ctaUrl'] as const;

/** Props by type (docs/design/api-catalogue.md 3.2). */
const props: Readonly<Record<BlockType, Readonly<Record<string, PropCheck>>>> = {
  heading: { text, level: integer(1, 6), align },
  text: { text, align },
  image: { imageUrl: text, alt: text, linkUrl: text, width: number(1, 10_000) },
  button: { text, url: text, style: oneOf('primary', 'secondary') },
  divider: { height: number(0, 10_000) },
  spacer: { height: number(0, 10_000) },
  html: {
    html: (value) =>
      text(value) ?? (String(value).length > longestHtml ? `must be at most ${longestHtml} characters` : null),
  },
  columns: { widths: listOf(number(1, 100), 2, 4) },
  column: {},
  offer: { fields: listOf(oneOf(...offerFields), 0, offerFields.length) },
  list: { items: listOf(text, 0, 1000), ordered: flag },
};

interface Context {
  /** Blocks with `props: null` remove a block of the parent template. */
  readonly hasParent: boolean;
  /** Returns the UTF-8 size of a text. */
  readonly bytes: (text: string) => number;
}

/** Returns the problems of an item's blocks, each with its path. */
export function blockProblems(blocks: readonly ContentBlock[], { hasParent, bytes }: Context): ErrorEntry[] {
  const all = flat(blocks);
  if (all.length > maxBlocks) return [{ path: '/blocks', message: `must be at most ${maxBlocks} in total` }];
  if (bytes(JSON.stringify(blocks)) > blocksBytes) {
    return [{ path: '/blocks', message: `must be at most ${blocksBytes} bytes` }];
  }
  const seen = new Set<string>();
  return all.flatMap(({ block, path, inside }): ErrorEntry[] => {
    const problems: ErrorEntry[] = [];
    if (block.id !== undefined && seen.has(block.id))
      problems.push({ path: `${path}/id`, message: 'is listed more than once' });
    if (block.id !== undefined) seen.add(block.id);
    return [...problems, ...placeProblems(block, path, inside), ...propProblems(block, path, inside, hasParent)];
  });
}

interface PlacedBlock {
  readonly block: ContentBlock;
  readonly path: string;
  /** Type of the enclosing block; null at the top level. */
  readonly inside: BlockType | null;
}

function flat(blocks: readonly ContentBlock[], path = '/blocks', inside: BlockType | null = null): PlacedBlock[] {
  return blocks.flatMap((block, index) => {
    const own = `${path}/${index}`;
    return [{ block, path: own, inside }, ...flat(block.children ?? [], `${own}/children`, block.type)];
  });
}

function placeProblems(
  { type, children, props: given }: ContentBlock,
  path: string,
  inside: BlockType | null,
): ErrorEntry[] {
  // A column that replaces or removes a template's column belongs at the top level.
  if (inside === 'columns' && type !== 'column') {
    return [{ path: `${path}/type`, message: 'must be column inside columns' }];
  }
  if (type === 'column' && inside !== 'columns' && inside !== null) {
    return [{ path: `${path}/type`, message: 'can only be used inside columns' }];
  }
  const number = children?.length ?? 0;
  if (type === 'columns') {
    if (given === null) return [];
    if (number < 2 || number > 4) return [{ path: `${path}/children`, message: 'must have 2 to 4 columns' }];
    const widths = given?.widths;
    if (Array.isArray(widths) && widths.length !== number) {
      return [{ path: `${path}/props/widths`, message: `must have ${number} items, one for each column` }];
    }
    return [];
  }
  if (type !== 'column' && number > 0) {
    return [{ path: `${path}/children`, message: `can't be inside a block of type ${type}` }];
  }
  return [];
}

function propProblems(block: ContentBlock, path: string, inside: BlockType | null, hasParent: boolean): ErrorEntry[] {
  if (block.props === null) {
    if (hasParent && inside === null && block.id !== undefined) return [];
    return [{ path: `${path}/props`, message: 'can only be null to remove a block of the parent template by its ID' }];
  }
  if (block.type === 'column' && inside === null && !(hasParent && block.id !== undefined)) {
    return [{ path: `${path}/type`, message: 'can only be used inside columns' }];
  }
  const checks = props[block.type];
  return Object.entries(block.props ?? {}).flatMap(([name, value]) => {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    const problem = check?.(value) ?? null;
    return problem === null ? [] : [{ path: `${path}/props/${name}`, message: problem }];
  });
}

/** Returns warnings for props that a type doesn't have. They are stored but have no effect. */
export function blockRemarks(blocks: readonly ContentBlock[]): Remark[] {
  return flat(blocks).flatMap(({ block, path }) => {
    const known = Object.keys(props[block.type]);
    return Object.keys(block.props ?? {})
      .filter((name) => !known.includes(name))
      .map((name) => ({ path: `${path}/props/${name}`, nearest: nearestWord(name, known) ?? null, reason: null }));
  });
}

/**
 * Gives each block an id. New ids are unique across items, so a block never replaces a template's block by accident.
 */
export function withIds(blocks: readonly ContentBlock[]): StoredBlock[] {
  return blocks.map(({ id, children, ...block }) => ({
    id: id ?? newId(),
    ...block,
    ...(children === undefined ? {} : { children: withIds(children) }),
  }));
}
