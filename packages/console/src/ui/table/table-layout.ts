/** Width of a column in px: what it needs, and its part of what is left over. */
export interface ColumnWidth {
  readonly width: number;
  /** 0: keeps its width. */
  readonly grow: number;
}

export interface Placed {
  readonly left: number;
  readonly width: number;
}

/** Part of its width below which a column that grows is not squeezed. */
const leastShare = 0.75;

/**
 * Columns that grow also give way where a little less makes everything fit: a column cut at the border of the window says
 * less than texts that end in dots. The first one names the row and keeps its width. Where that is not enough all do, and the
 * table scrolls.
 */
function squeezed(columns: readonly ColumnWidth[], available: number): readonly ColumnWidth[] {
  const over = columns.reduce((sum, { width }) => sum + width, -available);
  const gives = ({ grow }: ColumnWidth, index: number) => index > 0 && grow > 0;
  const room = columns.reduce(
    (sum, column, index) => sum + (gives(column, index) ? column.width * (1 - leastShare) : 0),
    0,
  );
  if (over <= 0 || over > room) return columns;
  return columns.map(({ width, grow }, index) => ({
    width: gives({ width, grow }, index) ? Math.floor(width - (over * width * (1 - leastShare)) / room) : width,
    grow,
  }));
}

/**
 * Places columns side by side in `available` px. What is left over goes to the columns that grow, to the last pixel; where
 * a little is missing, they give it.
 */
export function placeColumns(given: readonly ColumnWidth[], available: number): readonly Placed[] {
  const columns = squeezed(given, available);
  const needed = columns.reduce((sum, column) => sum + column.width, 0);
  const growing = columns.reduce((sum, column) => sum + column.grow, 0);
  const spare = growing > 0 ? Math.max(0, available - needed) : 0;
  let left = 0;
  let grown = 0;
  let spent = 0;
  return columns.map((column) => {
    grown += column.grow;
    const share = growing > 0 ? Math.round((spare * grown) / growing) - spent : 0;
    spent += share;
    const placed = { left, width: column.width + share };
    left += placed.width;
    return placed;
  });
}

/** Indexes of the columns that touch the visible part, which begins `from` px from the start; the first is always there. */
export function visibleColumns(placed: readonly Placed[], from: number, width: number): readonly number[] {
  // Half a window on both sides: a short scroll shows what is there already.
  const margin = width / 2;
  return placed.flatMap(({ left, width: own }, index) =>
    index === 0 || (left + own >= from - margin && left <= from + width + margin) ? [index] : [],
  );
}

/** Where a cell stands in a row that is drawn as a card: its line, and which part of that. */
export interface CardCell {
  readonly line: number;
  readonly part: 'whole' | 'start' | 'end';
}

export interface CardLayout {
  /** In the order of the columns. */
  readonly cells: readonly CardCell[];
  readonly lines: number;
}

/** A column that needs no more px than this shares its line. */
const halfWidth = 150;

/**
 * Places the cells of a row as a card, for windows that are too narrow to put the columns side by side. The first column has
 * the first line, with what stands in the corner; short columns stand two in a line, the others alone. A short one fills a
 * half that is free above it.
 */
export function layOutCard(
  columns: readonly (ColumnWidth & { readonly corner?: boolean; readonly half?: boolean })[],
): CardLayout {
  let lines = 1;
  let free: number | null = null;
  const cells = columns.map(({ width, grow, corner, half }, index): CardCell => {
    if (index === 0) return { line: 0, part: 'start' };
    if (corner === true) return { line: 0, part: 'end' };
    if (half !== true && (width > halfWidth || grow > 1)) return { line: lines++, part: 'whole' };
    if (free !== null) {
      const cell: CardCell = { line: free, part: 'end' };
      free = null;
      return cell;
    }
    free = lines++;
    return { line: free, part: 'start' };
  });
  return { cells, lines };
}
