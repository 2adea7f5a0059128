/** Width of a column in px: its minimum, and its share of the remaining width. */
export interface ColumnWidth {
  readonly width: number;
  /** 0: fixed width. */
  readonly grow: number;
}

/** Position of a column, in px. */
export interface ColumnPlace {
  readonly left: number;
  readonly width: number;
}

/** Growing columns shrink to this share of their width at most. */
const minShare = 0.75;

/**
 * Shrinks growing columns a little if everything fits then: shortened texts say more than a column cut off at the border. The
 * first column names the row and keeps its width. If that isn't enough, all keep it and the table scrolls.
 */
function shrinkToFit(columns: readonly ColumnWidth[], available: number): readonly ColumnWidth[] {
  const over = columns.reduce((sum, { width }) => sum + width, -available);
  const shrinks = ({ grow }: ColumnWidth, index: number) => index > 0 && grow > 0;
  const room = columns.reduce(
    (sum, column, index) => sum + (shrinks(column, index) ? column.width * (1 - minShare) : 0),
    0,
  );
  if (over <= 0 || over > room) return columns;
  return columns.map(({ width, grow }, index) => ({
    width: shrinks({ width, grow }, index) ? Math.floor(width - (over * width * (1 - minShare)) / room) : width,
    grow,
  }));
}

/** Places columns side by side in `available` px. Growing columns share the remaining width, to the last pixel, or shrink. */
export function placeColumns(given: readonly ColumnWidth[], available: number): readonly ColumnPlace[] {
  const columns = shrinkToFit(given, available);
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

/** Returns the indexes of the columns in the visible part, which begins `from` px from the start. Includes the first one. */
export function visibleColumns(placed: readonly ColumnPlace[], from: number, width: number): readonly number[] {
  // Half a window on both sides, so that a short scroll needs no new columns.
  const margin = width / 2;
  return placed.flatMap(({ left, width: own }, index) =>
    index === 0 || (left + own >= from - margin && left <= from + width + margin) ? [index] : [],
  );
}

/** Position of a cell in a row drawn as a card: its line, and the part of the line. */
export interface CardCell {
  readonly line: number;
  readonly part: 'whole' | 'start' | 'end';
}

export interface CardLayout {
  /** In the order of the columns. */
  readonly cells: readonly CardCell[];
  readonly lines: number;
}

/** Columns up to this width share a line, in px. */
const maxHalfWidth = 150;

/**
 * Lays out a row as a card, for narrow windows. The first line has the first column and the corner; short columns share a line
 * in pairs, the others have one each. A short column fills a free half above it.
 */
export function layOutCard(
  columns: readonly (ColumnWidth & { readonly corner?: boolean; readonly half?: boolean })[],
): CardLayout {
  let lines = 1;
  let free: number | null = null;
  const cells = columns.map(({ width, grow, corner, half }, index): CardCell => {
    if (index === 0) return { line: 0, part: 'start' };
    if (corner === true) return { line: 0, part: 'end' };
    if (half !== true && (width > maxHalfWidth || grow > 1)) return { line: lines++, part: 'whole' };
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
