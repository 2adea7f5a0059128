import { type ReactNode, useCallback, useEffect, useId, useRef } from 'react';
import { cx } from '../cx.ts';
import { type Density, useDensity } from '../density.tsx';
import { leaveTrail } from '../trail/trail.ts';
import { useWidth } from '../use-width.ts';
import { type TableLine, useSortedRows } from './sorted-rows.ts';
import { CardSort } from './table-cards.tsx';
import type { Column, RowSelection, Sort } from './table-column.ts';
import { useTableCursor } from './table-cursor.ts';
import { TableFoot } from './table-foot.tsx';
import { type TableGeometry, useGeometry, useVisibleColumns } from './table-geometry.ts';
import type { GridPlace } from './table-keys.ts';
import { HeadLine, SkeletonLines } from './table-parts.tsx';
import { TableRows } from './table-rows.tsx';
import { type RowWindow, useNextPage, useRowWindow } from './table-window.ts';

export interface DataTableProps<Row> {
  /** What the rows are, in the plural: "Offers". */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  /** Undefined while they load. */
  readonly rows: readonly Row[] | undefined;
  readonly rowKey: (row: Row) => string;
  /** Address of a row: the whole row is a link to it, and Enter opens it. Null: the row has no page. */
  readonly rowTo?: (row: Row) => string | null;
  /** All rows are loaded. Only then can columns sort: sorting a part would hide the server's order. */
  readonly complete: boolean;
  /** Number of rows on the server, if it counts them. */
  readonly total?: number | undefined;
  /** Shown in place of rows. */
  readonly empty: ReactNode;
  /** What the rows are restricted to. Where it changes, the table starts at the top again. */
  readonly scope?: string;
  /** A filter is set: an empty response then shows `filteredEmpty`. */
  readonly filtered?: boolean;
  readonly filteredEmpty?: ReactNode;
  /** A ProblemPanel; shown above the rows, or in their place. */
  readonly error?: ReactNode;
  /** Why not all rows can be shown: "Showing the first 2,000 of 5,310." */
  readonly partial?: ReactNode;
  /** Loads the next page; called near the end of the loaded rows. */
  readonly onMore?: (() => void) | undefined;
  readonly loadingMore?: boolean;
  /** When the next page loads after a rate limit, in milliseconds since 1970. */
  readonly waitsUntil?: number | null;
  readonly selection?: RowSelection;
  /** Opens a preview of the row; key Space. */
  readonly onPeek?: (row: Row) => void;
  /** Row height, unless the user chose one for all tables. */
  readonly density?: Density;
  /** Maximum height of the window in CSS; rows scroll inside ("70dvh"). */
  readonly maxHeight?: string;
  /** Initial sort, once complete. */
  readonly sorted?: Sort;
  /** The sort order, if the page stores it (in its address); null: as listed. Otherwise the table stores it. */
  readonly sort?: Sort | null;
  readonly onSort?: (next: (now: Sort | null) => Sort | null) => void;
  /** Shown before the count in the footer: "as of ...". */
  readonly foot?: ReactNode;
}

/**
 * A table of records. The head and the first column stay in place, only cells near the window are drawn, and a row is a link.
 * Keys follow the ARIA grid: arrows, Home, End, Page; Enter opens; Space previews or selects; x selects; Shift with arrows
 * selects on the way; Mod+A selects all; Escape selects none. The grid is one stop in the tab order.
 */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, complete, error, selection } = props;
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const density = useDensity() ?? props.density ?? 'compact';
  const geometry = useGeometry(columns, useWidth(box), density, selection !== undefined);
  const { visible, onScroll } = useVisibleColumns(geometry);
  const sorted = useSortedRows(props);
  const { lines } = sorted;
  useTrail(props, lines);
  const rowWindow = useRowWindow(box, sorted.keys, geometry, props.scope);
  const { virtualizer } = rowWindow;
  useNextPage(rowWindow, lines.length, !props.loadingMore && !error, props.onMore);
  const cellId = useCallback(({ row, column }: GridPlace) => `${id}-${row}-${column}`, [id]);
  const { place, setPlace, onKeyDown } = useTableCursor({
    ...{ box, columns, sorted, geometry, cellId, selection, rowTo: props.rowTo, onPeek: props.onPeek },
    scrollToRow: (index) => virtualizer.scrollToIndex(index, { align: 'auto' }),
  });
  const loading = rows === undefined && !error;
  const empty = rows !== undefined && rows.length === 0 && !error;
  const active = isDrawn(place, lines.length, rowWindow, geometry, visible) ? cellId(place) : undefined;
  const bodyHeight = virtualizer.getTotalSize();
  const shared = { columns, visible, selection, cellId, ...geometry };
  return (
    <div data-table className="flex min-w-0 flex-col overflow-hidden rounded-card border border-line bg-surface">
      {error ? <div className="p-3">{error}</div> : null}
      {geometry.card && complete && lines.length > 1 ? <CardSort columns={columns} {...sorted} /> : null}
      <div
        ref={box}
        role="grid"
        aria-label={label}
        aria-rowcount={rowCount(props, lines.length)}
        aria-colcount={columns.length + (selection ? 1 : 0)}
        aria-multiselectable={selection ? true : undefined}
        aria-busy={loading || undefined}
        aria-activedescendant={active}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onScroll={onScroll}
        className={gridClass(geometry, active !== undefined, error !== undefined && rows === undefined)}
        style={{
          height: gridHeight(geometry, loading, bodyHeight, lines.length),
          maxHeight: props.maxHeight ?? '70dvh',
        }}
      >
        <div
          role="presentation"
          className="relative"
          style={{ width: geometry.totalWidth, height: geometry.headHeight + bodyHeight }}
        >
          <div role="rowgroup" className="sticky top-0 z-20 bg-surface">
            <HeadLine
              {...shared}
              {...sorted}
              complete={complete}
              active={place.row === -1 ? place.column : -1}
              hidden={geometry.card !== null}
            />
          </div>
          {loading ? (
            <SkeletonLines count={skeletonRows} height={geometry.lineHeight} width={geometry.totalWidth} />
          ) : (
            <TableRows {...{ lines, geometry, rowWindow, place, shared, rowTo: props.rowTo, onPlace: setPlace }} />
          )}
        </div>
      </div>
      {empty ? (props.filtered ? (props.filteredEmpty ?? props.empty) : props.empty) : null}
      {lines.length > 0 ? (
        <TableFoot
          {...props}
          loaded={lines.length}
          sortedBy={sorted.sortedColumn?.header}
          selected={selection?.selected.size ?? 0}
        />
      ) : null}
    </div>
  );
}

/** Makes the rows a trail: their records link to the previous and next one. */
function useTrail<Row>({ label, rowTo }: DataTableProps<Row>, lines: readonly TableLine<Row>[]): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: rowTo is a new function in each render, with the same results.
  useEffect(() => {
    if (rowTo) leaveTrail(label, () => lines.flatMap(({ original }) => rowTo(original.row) ?? []));
  }, [label, lines]);
}

/** Returns true if the cell is in the document: `aria-activedescendant` may not name one that scrolled out of the window. */
function isDrawn(
  { row, column }: GridPlace,
  rows: number,
  { drawn }: RowWindow,
  { card }: TableGeometry,
  visible: readonly number[],
): boolean {
  const hasRow = row === -1 || (row < rows && drawn.some(({ index }) => index === row));
  return hasRow && (card ? card.cells[column] !== undefined : visible.includes(column));
}

/** Returns `aria-rowcount`: the rows and the head; -1 if the number of rows is unknown. */
function rowCount({ total, complete }: Pick<DataTableProps<never>, 'total' | 'complete'>, loaded: number): number {
  const count = total ?? (complete ? loaded : -1);
  return count < 0 ? -1 : count + 1;
}

function gridClass({ card }: TableGeometry, hasActiveCell: boolean, isFailed: boolean): string {
  return cx(
    'group/grid relative overflow-auto [contain:strict]',
    // Only cards need its width; a container makes scrolling rows more expensive.
    card && '@container',
    // The active cell has the focus ring; one around the grid would be half covered.
    hasActiveCell ? 'outline-none' : '-outline-offset-2',
    // After a failure without rows, show the error alone.
    isFailed && 'hidden',
  );
}

const skeletonRows = 8;
const scrollbarHeight = 14;

/** Returns the height that shows everything, in px. */
function gridHeight(geometry: TableGeometry, loading: boolean, bodyHeight: number, rows: number): number {
  const { headHeight, lineHeight, rowHeight, card, totalWidth, width } = geometry;
  const loaded = card ? bodyHeight : rows * rowHeight;
  return headHeight + (loading ? skeletonRows * lineHeight : loaded) + (totalWidth > width ? scrollbarHeight : 0);
}
