import type { BlockType, ContentBlock } from '@arbiter/contract/catalogue/content';

type Blocks = readonly ContentBlock[];

/** Place of a block: its position in each list of blocks from the top. */
export type BlockPlace = readonly number[];

/** Returns the list of blocks at a place, after a change. Everything else stays the same object. */
function changeList(blocks: Blocks, parent: BlockPlace, change: (list: Blocks) => Blocks): ContentBlock[] {
  const [first, ...rest] = parent;
  if (first === undefined) return [...change(blocks)];
  return blocks.map((block, at) =>
    at === first ? { ...block, children: changeList(block.children ?? [], rest, change) } : block,
  );
}

const parentOf = (place: BlockPlace): BlockPlace => place.slice(0, -1);
const positionOf = (place: BlockPlace): number => place.at(-1) ?? 0;

/** Returns the blocks without one. */
export const withoutBlock = (blocks: Blocks, place: BlockPlace): ContentBlock[] =>
  changeList(blocks, parentOf(place), (list) => list.filter((_, at) => at !== positionOf(place)));

/** Returns the blocks with one more at the end of a list. */
export const withBlock = (blocks: Blocks, parent: BlockPlace, block: ContentBlock): ContentBlock[] =>
  changeList(blocks, parent, (list) => [...list, block]);

/** Returns the blocks with one moved up or down in its list. At an end it stays. */
export function withMoved(blocks: Blocks, place: BlockPlace, by: -1 | 1): ContentBlock[] {
  return changeList(blocks, parentOf(place), (list) => {
    const [from, to] = [positionOf(place), positionOf(place) + by];
    const moved = list[from];
    const other = list[to];
    if (moved === undefined || other === undefined) return list;
    return list.map((block, at) => (at === from ? other : at === to ? moved : block));
  });
}

/** Returns columns with one more or one less. Their widths are equal again. */
export function withColumns(blocks: Blocks, place: BlockPlace, count: number): ContentBlock[] {
  return changeList(blocks, parentOf(place), (list) =>
    list.map((block, at) => {
      if (at !== positionOf(place)) return block;
      const columns = block.children ?? [];
      const { widths: _, ...props } = block.props ?? {};
      const added = Array.from({ length: Math.max(0, count - columns.length) }, newColumn);
      return { ...block, props, children: [...columns.slice(0, count), ...added] };
    }),
  );
}

/** Bounds of the number of columns. */
export const columnBounds = { least: 2, most: 4 } as const;

const newColumn = (): ContentBlock => ({ type: 'column', props: {}, children: [] });

/** Returns an empty block of a type. Its id comes with the save. */
export function newBlock(type: BlockType): ContentBlock {
  if (type === 'columns') return { type, props: {}, children: [newColumn(), newColumn()] };
  return { type, props: {} };
}

/** Types that can be added to a list: columns hold no further columns. */
export const typesFor = (types: readonly BlockType[], parent: BlockPlace): readonly BlockType[] =>
  types.filter((type) => type !== 'column' && (type !== 'columns' || parent.length === 0));

/** Number of blocks on all levels. */
export const blockCount = (blocks: Blocks): number =>
  blocks.reduce((sum, { children }) => sum + 1 + blockCount(children ?? []), 0);
