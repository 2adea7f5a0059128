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
