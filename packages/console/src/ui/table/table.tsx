import {
  type ColumnDef,
  createSortedRowModel,
  rowSortingFeature,
  type SortingState,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type ReactNode, useCallback, useEffect, useId, useMemo, useRef, useState } from 'react';
import { cx } from '../cx.ts';
import { type Density, useDensity } from '../density.tsx';
import { useLinks } from '../link.tsx';
import { leaveTrail } from '../trail/trail.ts';
import { useWidth } from '../use-width.ts';
import { CardLine, CardSort, cardHeight } from './table-cards.tsx';
import { bySortValue, type Column, type Selection, type Sort } from './table-column.ts';
import { TableFoot } from './table-foot.tsx';
import { moved, type Place, toggled, withRange } from './table-keys.ts';
import { layOutCard, placeColumns, visibleColumns } from './table-layout.ts';
import { HeadLine, RowLine, SkeletonLines, selectWidth } from './table-parts.tsx';

export interface DataTableProps<Row> {
  /** What the rows are, in the plural: "Offers". */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  /** Undefined while they load. */
  readonly rows: readonly Row[] | undefined;
  readonly rowKey: (row: Row) => string;
  /** Address of a row: the whole row is a link to it, and Enter opens it. Null: this one has no page. */
  readonly rowTo?: (row: Row) => string | null;
  /** All rows are loaded. Only then may columns sort: else the server's order would be torn apart. */
  readonly complete: boolean;
  /** Rows on the server, where it counts them. */
  readonly total?: number | undefined;
  /** Shown in place of rows. */
  readonly empty: ReactNode;
  /** A filter is set: an empty answer then shows `filteredEmpty`. */
  readonly filtered?: boolean;
  readonly filteredEmpty?: ReactNode;
  /** A ProblemPanel; above the rows that are there, in place of them where none are. */
  readonly error?: ReactNode;
  /** Why not all can be shown: "The first 2,000 of 5,310 are kept." */
  readonly partial?: ReactNode;
  /** Loads the next page; called when the end comes near. */
  readonly onMore?: (() => void) | undefined;
  readonly loadingMore?: boolean;
  /** Until when the next page waits for the server, in milliseconds; it is then loaded by itself. */
  readonly waitsUntil?: number | null;
  readonly selection?: Selection;
  /** Space opens a look at the row. */
  readonly onPeek?: (row: Row) => void;
  /** Where the person has chosen nothing else for all tables. */
  readonly density?: Density;
  /** Greatest height of the window in CSS; rows scroll inside ("70dvh"). */
  readonly maxHeight?: string;
  /** Initially sorted by this column, once complete. */
  readonly sorted?: Sort;
  /** The order, where the page keeps it (its address); null: as listed. Else the table keeps it. */
  readonly sort?: Sort | null;
  readonly onSort?: (next: (now: Sort | null) => Sort | null) => void;
  /** Words before the count in the foot, "as of ...". */
  readonly foot?: ReactNode;
}

const features = tableFeatures({ rowSortingFeature, sortedRowModel: createSortedRowModel() });
type Features = typeof features;

/** The library asks that rows are objects; a row of ours may be of any type. */
interface Held<Row> {
  readonly row: Row;
}

const nothing: readonly never[] = [];
const unsorted: SortingState = [];
/** How many rows before the end of what is loaded the next page is asked for: a short list is not read further unasked. */
const rowsAhead = (loaded: number): number => Math.min(60, Math.ceil(loaded / 4));
/** In windows that are narrower than this many px, rows whose columns do not fit are drawn as cards. */
const mostCardWidth = 600;
/** Rows that are drawn above and below the window. */
const overscan = 4;

/**
 * Rows of one kind: head and first column stay, rows and columns outside the window are not drawn, a row is a link. The keys
 * are those of the ARIA grid: arrows, Home, End, Page, Enter opens, Space looks or selects, x selects, Shift with arrows
 * selects on the way, Mod+A selects all, Escape selects none. The grid is one stop of the tab order.
 */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, rowKey, rowTo, complete, error, selection, onMore, onPeek } = props;
  const density = useDensity() ?? props.density ?? 'compact';
  const lineHeight = density === 'comfortable' ? 40 : 32;
  const id = useId();
  const links = useLinks();
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const [place, setPlace] = useState<Place>({ row: 0, column: 0 });
  const [ownSort, setOwnSort] = useState<Sort | null>(props.sorted ?? null);
  const wantedSort = props.sort === undefined ? ownSort : props.sort;
  const sortedColumn = columns.find(({ key, sortBy: by }) => key === wantedSort?.key && by !== undefined);
  const sorting = useMemo(
    (): SortingState =>
      wantedSort !== null && sortedColumn ? [{ id: wantedSort.key, desc: wantedSort.descending }] : [],
    [wantedSort, sortedColumn],
  );
  const setSort = props.onSort ?? setOwnSort;

  const definitions = useMemo(
    () =>
      columns.map(
        (column): ColumnDef<Features, Held<Row>> => ({
          id: column.key,
          header: column.header,
          accessorFn: ({ row }: Held<Row>) => column.sortBy?.(row) ?? undefined,
          enableSorting: column.sortBy !== undefined,
          sortFn: (one, other, key) => bySortValue(one.getValue(key), other.getValue(key)),
          sortUndefined: 'last',
        }),
      ),
    [columns],
  );
  const data = useMemo(() => (rows ?? nothing).map((row): Held<Row> => ({ row })), [rows]);
  const table = useTable({
    features,
    columns: definitions,
    data,
    getRowId: ({ row }: Held<Row>) => rowKey(row),
    state: { sorting: complete ? sorting : unsorted },
  });
  const lines = table.getRowModel().rows;
  const keys = useMemo(() => lines.map((line) => line.id), [lines]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the address of a row is made anew at each drawing, and stays the same.
  useEffect(() => {
    if (rowTo) leaveTrail(label, () => lines.flatMap(({ original }) => rowTo(original.row) ?? []));
  }, [label, lines]);

  const leading = selection ? selectWidth : 0;
  const placed = useMemo(
    () =>
      placeColumns(
        columns.map(({ width: own = 140, grow = 1 }, index) => ({
          // On a narrow screen the first column, which stays, leaves room for the others.
          width: index === 0 && width > 0 ? Math.min(own, Math.max(120, width * 0.58)) : own,
          grow,
        })),
        width - leading,
      ),
    [columns, width, leading],
  );
  const neededWidth = leading + placed.reduce((sum, one) => sum + one.width, 0);
  const card = useMemo(
    () =>
      width > 0 && width < mostCardWidth && neededWidth > width
        ? layOutCard(
            columns.map(({ width: own = 140, grow = 1, corner = false, halfCard: half = false }) => ({
              width: own,
              grow,
              corner,
              half,
            })),
          )
        : null,
    [columns, width, neededWidth],
  );
  const totalWidth = card ? width : neededWidth;
  const rowHeight = card ? cardHeight(card, density) : lineHeight;
  const headHeight = card ? 0 : 36;
  const [scrolled, setScrolled] = useState(0);
  const visible = useMemo(() => visibleColumns(placed, scrolled, width || 1), [placed, scrolled, width]);

  const virtualizer = useVirtualizer({
    count: lines.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    overscan,
    scrollPaddingStart: headHeight,
    getItemKey: (index) => keys[index] ?? index,
    // Rows are drawn in a task of their own, not inside the scroll event.
    useFlushSync: false,
  });
  // Rows of one height that leave the window lend their elements to those that enter it. No more than this are drawn at once.
  const slots = Math.ceil((virtualizer.scrollRect?.height ?? 0) / rowHeight) + 2 * overscan + 2;

  // The next page is asked for before the end is reached, and once more when its loading ended without it.
  const isNearEnd = (virtualizer.getVirtualItems().at(-1)?.index ?? -1) >= lines.length - rowsAhead(lines.length);
  const wantsMore = isNearEnd && lines.length > 0 && !props.loadingMore && !error;
  useEffect(() => {
    if (wantsMore) onMore?.();
  }, [wantsMore, onMore]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: rows of another height stand elsewhere.
  useEffect(() => virtualizer.measure(), [rowHeight]);

  const go = (wanted: Place) => {
    const next = card ? { ...wanted, row: Math.max(0, wanted.row) } : wanted;
    setPlace(next);
    if (next.row >= 0) virtualizer.scrollToIndex(next.row, { align: 'auto' });
    if (card) return;
    const target = placed[next.column];
    const window = box.current;
    const first = placed[0];
    if (!target || !window || !first || next.column === 0) return;
    if (target.left < window.scrollLeft + first.width) window.scrollLeft = target.left - first.width;
    else if (target.left + target.width + leading > window.scrollLeft + width)
      window.scrollLeft = target.left + target.width + leading - width;
  };

  const sortBy = (key: string) => {
    if (!complete || !columns.some((column) => column.key === key && column.sortBy)) return;
    setSort((now) => {
      if (now?.key !== key) return { key, descending: false };
      return now.descending ? null : { key, descending: true };
    });
  };

  const cellId = useCallback(({ row, column }: Place) => `${id}-${row}-${column}`, [id]);

  const open = () => {
    const column = columns[place.column];
    const line = lines[place.row];
    if (place.row < 0) {
      if (column) sortBy(column.key);
      return;
    }
    const inside = document.getElementById(cellId(place))?.querySelector<HTMLElement>('button, a[href]');
    if (inside && place.column > 0) inside.click();
    else {
      const to = line && rowTo ? rowTo(line.original.row) : null;
      if (to !== null) links.go(to);
    }
  };

  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    if (event.target !== event.currentTarget) return;
    const mod = event.metaKey || event.ctrlKey;
    const line = lines[place.row];
    const next = moved(
      place,
      { key: event.key, mod },
      {
        rows: lines.length,
        columns: columns.length,
        page: Math.max(1, Math.floor(((box.current?.clientHeight ?? 0) - headHeight) / rowHeight) - 1),
      },
    );
    if (next) {
      event.preventDefault();
      if (event.shiftKey && selection) selection.onChange(withRange(selection.selected, keys, place.row, next.row));
      go(next);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      open();
    } else if (event.key === ' ' && line && (onPeek || selection)) {
      event.preventDefault();
      if (onPeek) onPeek(line.original.row);
      else selection?.onChange(toggled(selection.selected, line.id));
    } else if (event.key === 'x' && !mod && line && selection) {
      selection.onChange(toggled(selection.selected, line.id));
    } else if (event.key === 'a' && mod && selection) {
      event.preventDefault();
      selection.onChange(new Set(keys));
    } else if (event.key === 'Escape' && selection && selection.selected.size > 0) {
      event.stopPropagation();
      selection.onChange(new Set());
    }
  };

  const loading = rows === undefined && !error;
  const empty = rows !== undefined && rows.length === 0 && !error;
  const active = place.row < lines.length ? cellId(place) : undefined;

  return (
    <div data-table className="flex min-w-0 flex-col overflow-hidden rounded-card border border-line bg-surface">
      {error ? <div className="p-3">{error}</div> : null}
      {card && complete && lines.length > 1 && columns.some(({ sortBy: by }) => by !== undefined) ? (
        <CardSort
          columns={columns}
          sorted={sorting[0]}
          onSort={(chosen) =>
            setSort(() => (chosen === undefined ? null : { key: chosen.id, descending: chosen.desc }))
          }
        />
      ) : null}
      <div
        ref={box}
        role="grid"
        aria-label={label}
        aria-rowcount={(props.total ?? (complete ? lines.length : -1)) < 0 ? -1 : (props.total ?? lines.length) + 1}
        aria-colcount={columns.length + (selection ? 1 : 0)}
        aria-multiselectable={selection ? true : undefined}
        aria-busy={loading || undefined}
        aria-activedescendant={active}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onScroll={(event) => {
          // Columns are looked up again after a move that could bring new ones into the window.
          const at = event.currentTarget.scrollLeft;
          if (Math.abs(at - scrolled) > 64 || (at === 0 && scrolled !== 0)) setScrolled(at);
        }}
        className={cx(
          'group/grid relative overflow-auto [contain:strict]',
          // Only cards ask for its width: rows below a container cost more to draw while they are scrolled.
          card && '@container',
          // The cell that is looked at has the ring; around the whole it would be half covered.
          active === undefined ? '-outline-offset-2' : 'outline-none',
          // What failed stands there alone: a head without rows below it says nothing.
          error !== undefined && rows === undefined && 'hidden',
        )}
        style={{
          height:
            headHeight +
            (loading ? 8 * lineHeight : card ? virtualizer.getTotalSize() : lines.length * rowHeight) +
            (totalWidth > width ? 14 : 0),
          maxHeight: props.maxHeight ?? '70dvh',
        }}
      >
        <div
          role="presentation"
          className="relative"
          style={{ width: totalWidth, height: headHeight + virtualizer.getTotalSize() }}
        >
          <div role="rowgroup" className="sticky top-0 z-20 bg-surface">
            <HeadLine
              visible={card ? columns.map((_, index) => index) : visible}
              {...{ columns, placed, sorting, complete, leading, selection, keys, cellId, sortBy, totalWidth }}
              active={place.row === -1 ? place.column : -1}
              hidden={card !== null}
            />
          </div>
          {loading ? (
            <SkeletonLines count={8} height={lineHeight} width={totalWidth} />
          ) : (
            <div role="rowgroup">
              {virtualizer.getVirtualItems().map((item) => {
                const line = lines[item.index];
                if (!line) return null;
                const shared = {
                  row: line.original.row,
                  rowId: line.id,
                  index: item.index,
                  top: headHeight + item.start,
                  to: rowTo?.(line.original.row) ?? undefined,
                  active: place.row === item.index ? place.column : -1,
                  onPlace: setPlace,
                  ...{ columns, placed, visible, leading, selection, cellId, totalWidth },
                };
                return card ? (
                  <CardLine
                    key={line.id}
                    card={card}
                    density={density}
                    measure={virtualizer.measureElement}
                    {...shared}
                  />
                ) : (
                  <RowLine key={item.index % slots} height={rowHeight} sticks={totalWidth > width} {...shared} />
                );
              })}
            </div>
          )}
        </div>
      </div>
      {empty ? (props.filtered ? (props.filteredEmpty ?? props.empty) : props.empty) : null}
      {lines.length > 0 ? (
        <TableFoot
          label={label}
          loaded={lines.length}
          total={props.total}
          complete={complete}
          sortable={columns.some((column) => column.sortBy)}
          sortedBy={sortedColumn?.header}
          selected={selection?.selected.size ?? 0}
          {...(onMore ? { onMore } : {})}
          loadingMore={props.loadingMore ?? false}
          waitsUntil={props.waitsUntil ?? null}
          partial={props.partial}
          foot={props.foot}
        />
      ) : null}
    </div>
  );
}
