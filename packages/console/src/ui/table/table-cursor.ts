import { type KeyboardEvent, type RefObject, useState } from 'react';
import { useLinks } from '../link.tsx';
import type { SortedRows } from './sorted-rows.ts';
import type { Column, RowSelection } from './table-column.ts';
import type { TableGeometry } from './table-geometry.ts';
import { type GridPlace, nextPlace, toggled, withRange } from './table-keys.ts';

export interface TableCursorProps<Row> {
  /** The window that the rows scroll in. */
  readonly box: RefObject<HTMLDivElement | null>;
  readonly columns: readonly Column<Row>[];
  readonly sorted: SortedRows<Row>;
  readonly geometry: TableGeometry;
  readonly cellId: (place: GridPlace) => string;
  readonly scrollToRow: (index: number) => void;
  readonly selection: RowSelection | undefined;
  readonly rowTo: ((row: Row) => string | null) | undefined;
  readonly onPeek: ((row: Row) => void) | undefined;
}

/** The active cell, and the keys of the grid that move it and act on its row. */
export function useTableCursor<Row>(props: TableCursorProps<Row>) {
  const { box, columns, geometry, selection, scrollToRow } = props;
  const { lines, keys } = props.sorted;
  const links = useLinks();
  const [place, setPlace] = useState<GridPlace>({ row: 0, column: 0 });
  const go = (wanted: GridPlace) => {
    const next = geometry.card ? { ...wanted, row: Math.max(0, wanted.row) } : wanted;
    setPlace(next);
    if (next.row >= 0) scrollToRow(next.row);
    if (box.current) revealColumn(box.current, next.column, geometry);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    if (event.target !== event.currentTarget) return;
    const page = Math.floor(((box.current?.clientHeight ?? 0) - geometry.headHeight) / geometry.rowHeight) - 1;
    const size = { rows: lines.length, columns: columns.length, page: Math.max(1, page) };
    const next = nextPlace(place, { key: event.key, mod: event.metaKey || event.ctrlKey }, size);
    if (next !== null) {
      event.preventDefault();
      if (event.shiftKey && selection) selection.onChange(withRange(selection.selected, keys, place.row, next.row));
      go(next);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      openCell(place, props, links.go);
    } else actOnRow(event, place, props);
  };
  return { place, setPlace, onKeyDown };
}

/** Scrolls a column into view, past the first one, which stays in place. */
function revealColumn(box: HTMLElement, column: number, { placed, leading, width, card }: TableGeometry): void {
  const [first] = placed;
  const target = placed[column];
  if (card !== null || !target || !first || column === 0) return;
  const end = target.left + target.width + leading;
  if (target.left < box.scrollLeft + first.width) box.scrollLeft = target.left - first.width;
  else if (end > box.scrollLeft + width) box.scrollLeft = end - width;
}

/** Enter: sorts by a head, presses the button or link in a cell, or opens the row. */
function openCell<Row>(
  place: GridPlace,
  { columns, sorted, cellId, rowTo }: TableCursorProps<Row>,
  go: (to: string) => void,
): void {
  if (place.row < 0) {
    const column = columns[place.column];
    if (column) sorted.sortBy(column.key);
    return;
  }
  const control = document.getElementById(cellId(place))?.querySelector<HTMLElement>('button, a[href]');
  if (control && place.column > 0) {
    control.click();
    return;
  }
  const line = sorted.lines[place.row];
  const to = line && rowTo ? rowTo(line.original.row) : null;
  if (to !== null) go(to);
}

/** Space previews or selects the row, x selects it, Mod+A selects all rows, Escape none. */
function actOnRow<Row>(
  event: KeyboardEvent<HTMLDivElement>,
  place: GridPlace,
  { sorted, selection, onPeek }: TableCursorProps<Row>,
): void {
  const mod = event.metaKey || event.ctrlKey;
  const line = sorted.lines[place.row];
  if (event.key === ' ' && line && (onPeek || selection)) {
    event.preventDefault();
    if (onPeek) onPeek(line.original.row);
    else selection?.onChange(toggled(selection.selected, line.id));
  } else if (event.key === 'x' && !mod && line && selection) {
    selection.onChange(toggled(selection.selected, line.id));
  } else if (event.key === 'a' && mod && selection) {
    event.preventDefault();
    selection.onChange(new Set(sorted.keys));
  } else if (event.key === 'Escape' && selection && selection.selected.size > 0) {
    event.stopPropagation();
    selection.onChange(new Set());
  }
}
