/** Position of a cell in a grid: row -1 is the head. */
export interface GridPlace {
  readonly row: number;
  readonly column: number;
}

export interface GridSize {
  readonly rows: number;
  readonly columns: number;
  /** Rows that fit in the window. */
  readonly page: number;
}

export interface KeyPress {
  readonly key: string;
  readonly mod: boolean;
}

const clamp = (value: number, min: number, max: number) => Math.max(min, Math.min(max, value));

/** Returns the cell that a key moves to (ARIA grid pattern, and j and k); null for other keys. */
export function nextPlace(place: GridPlace, { key, mod }: KeyPress, size: GridSize): GridPlace | null {
  const to = (row: number, column: number): GridPlace => ({
    row: clamp(row, -1, size.rows - 1),
    column: clamp(column, 0, size.columns - 1),
  });
  const { row, column } = place;
  switch (key) {
    case 'ArrowDown':
      return mod ? to(size.rows - 1, column) : to(row + 1, column);
    case 'ArrowUp':
      return mod ? to(0, column) : to(row - 1, column);
    case 'ArrowRight':
      return to(row, column + 1);
    case 'ArrowLeft':
      return to(row, column - 1);
    case 'Home':
      return mod ? to(0, 0) : to(row, 0);
    case 'End':
      return mod ? to(size.rows - 1, size.columns - 1) : to(row, size.columns - 1);
    case 'PageDown':
      return to(row + size.page, column);
    case 'PageUp':
      return to(Math.max(0, row - size.page), column);
    case 'j':
      return mod ? null : to(row + 1, column);
    case 'k':
      return mod ? null : to(row - 1, column);
    default:
      return null;
  }
}

/** Adds the rows between two positions, both included, to the selection. */
export function withRange(
  selected: ReadonlySet<string>,
  keys: readonly string[],
  from: number,
  to: number,
): ReadonlySet<string> {
  return new Set([...selected, ...keys.slice(Math.max(0, Math.min(from, to)), Math.max(from, to) + 1)]);
}

/** Toggles the selection of a row. */
export function toggled(selected: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(selected);
  if (!next.delete(key)) next.add(key);
  return next;
}
