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

/** Places columns side by side in `available` px. What is left over goes to the columns that grow, to the last pixel. */
export function placeColumns(columns: readonly ColumnWidth[], available: number): readonly Placed[] {
  const needed = columns.reduce((sum, column) => sum + column.width, 0);
  const growing = columns.reduce((sum, column) => sum + column.grow, 0);
  const spare = growing > 0 ? Math.max(0, available - needed) : 0;
  let left = 0;
  let grown = 0;
  let given = 0;
  return columns.map((column) => {
    grown += column.grow;
    const share = growing > 0 ? Math.round((spare * grown) / growing) - given : 0;
    given += share;
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
