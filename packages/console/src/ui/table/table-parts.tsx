import type { SortingState } from '@tanstack/react-table';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { memo, useLayoutEffect, useRef } from 'react';
import { tableTexts } from '../../messages/ui.ts';
import { cx } from '../cx.ts';
import { Link, leftToBrowser, onHover, useLinks } from '../link.tsx';
import { Skeleton } from '../progress.tsx';
import type { Column, RowSelection } from './table-column.ts';
import { type GridPlace, toggled } from './table-keys.ts';
import type { ColumnPlace } from './table-layout.ts';

export const selectWidth = 40;

export interface SharedProps<Row> {
  readonly columns: readonly Column<Row>[];
  readonly placed: readonly ColumnPlace[];
  readonly visible: readonly number[];
  /** Width of the column of checkboxes, 0 without. */
  readonly leading: number;
  readonly selection: RowSelection | undefined;
  readonly cellId: (place: GridPlace) => string;
  readonly totalWidth: number;
  /** The active column; -1 if the active cell is in another row. */
  readonly active: number;
}

/** Ring of the active cell, shown while the grid has keyboard focus. */
export const ringClass =
  'group-focus-visible/grid:outline-2 group-focus-visible/grid:-outline-offset-2 group-focus-visible/grid:outline-accent';

function cellStyle(index: number, placed: ColumnPlace, leading: number) {
  return index === 0
    ? { width: placed.width, insetInlineStart: leading }
    : { width: placed.width, insetInlineStart: placed.left + leading };
}

/** The first and last cells align with the headings of sections. */
function cellClass(
  index: number,
  isLast: boolean,
  align: 'start' | 'end' | undefined,
  active: boolean,
  sticks = true,
): string {
  return cx(
    'flex h-full items-center',
    index === 0 ? 'ps-4' : 'ps-3',
    isLast ? 'pe-4' : 'pe-3',
    index > 0 ? 'absolute top-0' : sticks && 'sticky z-[1] bg-inherit',
    align === 'end' && 'justify-end text-end',
    active && ringClass,
  );
}

interface HeadProps<Row> extends SharedProps<Row> {
  readonly sorting: SortingState;
  readonly complete: boolean;
  readonly keys: readonly string[];
  readonly sortBy: (key: string) => void;
  /** For screen readers only: above rows drawn as cards. */
  readonly hidden: boolean;
}

/** Column names. They sort once all rows are loaded. */
export function HeadLine<Row>(props: HeadProps<Row>) {
  const { columns, placed, visible, leading, selection, cellId, totalWidth, active, sorting, complete, keys, sortBy } =
    props;
  const [sorted] = sorting;
  const all = selection !== undefined && keys.length > 0 && keys.every((key) => selection.selected.has(key));
  return (
    <div
      role="row"
      aria-rowindex={1}
      className={props.hidden ? 'hidden-text' : 'relative flex h-9 border-b border-line bg-surface'}
      style={props.hidden ? undefined : { width: totalWidth }}
    >
      {selection ? (
        <div
          role="columnheader"
          aria-colindex={1}
          className="sticky start-0 z-[3] flex items-center bg-inherit ps-3"
          style={{ width: leading }}
        >
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label={tableTexts.selectAll}
            checked={all}
            className="size-4"
            onChange={() => selection.onChange(new Set(all ? [] : keys))}
          />
        </div>
      ) : null}
      {visible.map((index) => {
        const [column, at] = [columns[index], placed[index]];
        if (!column || !at) return null;
        const sortable = complete && column.sortBy !== undefined;
        const direction =
          sortable && sorted?.id === column.key ? (sorted.desc ? 'descending' : 'ascending') : undefined;
        const Arrow = direction === 'descending' ? ArrowDown : ArrowUp;
        const name = (
          <>
            <span className="truncate">{column.header}</span>
            {column.unit ? <span className="font-normal text-faint">{column.unit}</span> : null}
          </>
        );
        return (
          <div
            key={column.key}
            id={cellId({ row: -1, column: index })}
            role="columnheader"
            aria-colindex={index + (selection ? 2 : 1)}
            aria-sort={sortable ? (direction ?? 'none') : undefined}
            className={cx(
              cellClass(index, index === columns.length - 1, column.align, active === index),
              'text-caption font-medium text-soft',
            )}
            style={cellStyle(index, at, leading)}
          >
            {sortable ? (
              <button
                type="button"
                tabIndex={-1}
                onClick={() => sortBy(column.key)}
                className="-mx-1 flex h-6 min-w-0 items-center gap-1 rounded-control px-1 hover:bg-hover hover:text-ink"
              >
                {name}
                {direction ? <Arrow aria-hidden className="size-3 shrink-0 text-accent-ink" /> : null}
              </button>
            ) : (
              <span className="flex min-w-0 items-center gap-1">{name}</span>
            )}
          </div>
        );
      })}
    </div>
  );
}

export interface RowProps<Row> extends SharedProps<Row> {
  readonly row: Row;
  readonly rowId: string;
  readonly index: number;
  readonly top: number;
  readonly to: string | undefined;
  readonly onPlace: (place: GridPlace) => void;
}

export const rowClass = (selected: boolean, active: boolean): string =>
  cx(
    'table-row-line absolute start-0 top-0 border-b border-line text-dense',
    selected
      ? 'bg-accent-soft'
      : active
        ? 'bg-surface group-focus-visible/grid:bg-hover hover:bg-hover'
        : 'bg-surface hover:bg-hover',
  );

interface RowSelectProps {
  readonly selection: RowSelection;
  readonly leading: number;
  readonly rowId: string;
  readonly index: number;
  readonly selected: boolean;
}

/** The checkbox that selects a row. */
export function RowSelect({ selection, leading, rowId, index, selected }: RowSelectProps) {
  return (
    <div
      role="gridcell"
      aria-colindex={1}
      className="sticky start-0 z-[3] flex items-center bg-inherit ps-3"
      style={{ width: leading }}
    >
      <input
        type="checkbox"
        tabIndex={-1}
        aria-label={tableTexts.selectRow(index + 1)}
        checked={selected}
        className="size-4"
        onChange={() => selection.onChange(toggled(selection.selected, rowId))}
      />
    </div>
  );
}

/** The link that covers a whole row. */
export function RowLink({ to }: { readonly to: string }) {
  const links = useLinks();
  return (
    <a
      href={links.href(to)}
      tabIndex={-1}
      aria-hidden
      className="absolute inset-0 z-[2]"
      {...onHover(links, to)}
      onClick={(event) => {
        if (leftToBrowser(event)) return;
        event.preventDefault();
        links.go(to);
      }}
    />
  );
}

interface RowLineProps<Row> extends RowProps<Row> {
  readonly height: number;
  /** The columns don't fit side by side, so the first one stays in place. */
  readonly sticks: boolean;
}

/** A row. A link covers it, so that the browser's own ways of opening a link work; controls in cells are above the link. */
function Line<Row>(props: RowLineProps<Row>) {
  const {
    columns,
    placed,
    visible,
    leading,
    selection,
    cellId,
    totalWidth,
    active,
    row,
    rowId,
    index,
    top,
    height,
    to,
  } = props;
  const selected = selection?.selected.has(rowId) ?? false;
  const element = useRef<HTMLDivElement>(null);
  // The element may show another row next: a focused control must not act on that one.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the row changes
  useLayoutEffect(
    () => () => {
      const line = element.current;
      if (line?.contains(document.activeElement)) line.closest<HTMLElement>('[role="grid"]')?.focus();
    },
    [rowId],
  );
  return (
    <div
      ref={element}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={selection ? selected : undefined}
      className={cx('flex', rowClass(selected, active >= 0))}
      style={{ transform: `translateY(${top}px)`, height, width: totalWidth }}
    >
      {selection ? <RowSelect {...{ selection, leading, rowId, index, selected }} /> : null}
      {visible.map((at) => {
        const [column, place] = [columns[at], placed[at]];
        if (!column || !place) return null;
        const content = column.cell(row);
        return (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the grid handles keys; a click only moves the active cell
          <div
            key={column.key}
            id={cellId({ row: index, column: at })}
            role={at === 0 ? 'rowheader' : 'gridcell'}
            aria-colindex={at + (selection ? 2 : 1)}
            className={cellClass(at, at === columns.length - 1, column.align, active === at, props.sticks)}
            style={cellStyle(at, place, leading)}
            onClick={() => props.onPlace({ row: index, column: at })}
          >
            {at === 0 && to ? (
              <Link to={to} look="plain" tabIndex={-1} dir="auto" className="min-w-0 truncate font-medium text-ink">
                {content}
              </Link>
            ) : (
              <span className={cx('table-cell-content min-w-0 truncate', at === 0 && 'font-medium')}>{content}</span>
            )}
          </div>
        );
      })}
      {to ? <RowLink to={to} /> : null}
    </div>
  );
}

/** Rendered again only when the row changes, so that keys and scrolling leave most rows alone. */
export const RowLine = memo(Line) as typeof Line;

/** Placeholders for rows that are loading. */
export function SkeletonLines({
  count,
  height,
  width,
}: {
  readonly count: number;
  readonly height: number;
  readonly width: number;
}) {
  return (
    <div aria-hidden style={{ width }}>
      {Array.from({ length: count }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholders
        <div key={index} className="flex items-center border-b border-line px-4" style={{ height }}>
          <Skeleton className="h-3 w-full max-w-3xl" />
        </div>
      ))}
    </div>
  );
}
