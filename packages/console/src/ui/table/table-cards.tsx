import { memo } from 'react';
import { cardSortTexts as t } from '../../messages/ui.ts';
import { cx } from '../cx.ts';
import type { Density } from '../density.tsx';
import { SelectField } from '../field.tsx';
import { Link } from '../link.tsx';
import type { SortedRows } from './sorted-rows.ts';
import type { Column } from './table-column.ts';
import type { CardCell, CardLayout } from './table-layout.ts';
import { RowLink, type RowProps, RowSelect, ringClass, rowClass } from './table-parts.tsx';

/** In px: padding above and below, height of the name's line, height of other lines. */
const edges: Readonly<Record<Density, number>> = { compact: 5, comfortable: 10 };
const nameLine = 26;
const line = 24;

/** Returns the estimated height of a card before it's drawn, in px: assumes that no text wraps. */
export const cardHeight = ({ lines }: CardLayout, density: Density): number =>
  2 * edges[density] + nameLine + (lines - 1) * line;

interface CardLineProps<Row> extends RowProps<Row> {
  readonly card: CardLayout;
  readonly density: Density;
  /** Measures the element: its height depends on its texts. */
  readonly measure: (element: HTMLElement | null) => void;
}

/** A row of a narrow table: the name on top, labeled values below. Long texts wrap, empty values take no line. */
function Card<Row>(props: CardLineProps<Row>) {
  const { columns, leading, selection, cellId, totalWidth, active, card, row, rowId, index, top, to, measure } = props;
  const selected = selection?.selected.has(rowId) ?? false;
  const hasCorner = columns.some(({ corner }) => corner === true);
  return (
    <div
      ref={measure}
      data-index={index}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={selection ? selected : undefined}
      className={cx(
        'grid grid-flow-row-dense grid-cols-[repeat(auto-fit,minmax(max(9rem,40%),1fr))]',
        rowClass(selected, active >= 0),
      )}
      style={{
        transform: `translateY(${top}px)`,
        width: totalWidth,
        paddingBlock: edges[props.density],
        paddingInlineStart: leading,
      }}
    >
      {selection ? (
        <div className="absolute inset-y-0 start-0 flex">
          <RowSelect {...{ selection, leading, rowId, index, selected }} />
        </div>
      ) : null}
      {columns.map((column, at) => {
        const cell = card.cells[at];
        if (!cell) return null;
        const content = column.cell(row);
        const bare = at === 0 || column.corner === true || column.header === '';
        return (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the grid handles keys; a click only moves the active cell
          <div
            key={column.key}
            id={cellId({ row: index, column: at })}
            role={at === 0 ? 'rowheader' : 'gridcell'}
            aria-colindex={at + (selection ? 2 : 1)}
            className={cx('min-w-0 px-4', placeClass(cell, hasCorner), active === at ? ringClass : hiddenIfEmpty)}
            style={cell.part === 'end' && cell.line === 0 ? { top: edges[props.density] } : undefined}
            onClick={() => props.onPlace({ row: index, column: at })}
          >
            {bare ? null : (
              <span
                aria-hidden
                className="line-clamp-2 max-w-3/4 min-w-0 shrink-0 text-caption leading-6 wrap-anywhere text-faint"
              >
                {column.header}
                {column.unit ? ` ${column.unit}` : ''}
              </span>
            )}
            {at === 0 && to ? (
              <Link to={to} look="plain" tabIndex={-1} dir="auto" className={cx(nameClass, 'text-ink')}>
                {content}
              </Link>
            ) : (
              <span
                data-value
                className={cx(
                  'table-cell-content min-w-0 [&_.truncate]:whitespace-normal [&_a]:inline-block [&_a]:py-0 [&_a]:align-top [&_a]:leading-6',
                  at === 0 ? nameClass : 'line-clamp-3 break-words',
                )}
              >
                {content}
              </span>
            )}
          </div>
        );
      })}
      {to ? <RowLink to={to} /> : null}
    </div>
  );
}

export const CardLine = memo(Card) as typeof Card;

const nameClass = 'line-clamp-3 min-w-0 break-words font-medium leading-5 [&_.truncate]:whitespace-normal';
const hiddenIfEmpty = 'has-[>[data-value]:empty]:hidden';

function placeClass({ line: at, part }: CardCell, hasCorner: boolean): string {
  if (at === 0 && part === 'end')
    return 'absolute end-0 flex h-6.5 w-29 items-center justify-end ps-0 @max-[16rem]:static @max-[16rem]:w-auto @max-[16rem]:justify-start @max-[16rem]:ps-4';
  if (at === 0) return cx('col-span-full flex min-h-6.5 items-center py-0.5', hasCorner && 'pe-29 @max-[16rem]:pe-4');
  return cx('flex gap-x-1.5 leading-6', part === 'whole' && 'col-span-full', part === 'start' && 'pe-1');
}

export interface CardSortProps<Row> extends Pick<SortedRows<Row>, 'sorting' | 'setSort'> {
  readonly columns: readonly Column<Row>[];
}

/** Selects the sort order of cards, which have no column heads. */
export function CardSort<Row>({ columns, sorting: [sorted], setSort }: CardSortProps<Row>) {
  const sortable = columns.filter(({ sortBy }) => sortBy !== undefined);
  if (sortable.length === 0) return null;
  return (
    <div className="border-b border-line p-2">
      <SelectField
        label={t.label}
        labelHidden
        placeholder={t.default}
        options={sortable.flatMap(({ key, header }) => [
          { value: key, label: t.ascending(header) },
          { value: `-${key}`, label: t.descending(header) },
        ])}
        value={sorted === undefined ? '' : `${sorted.desc ? '-' : ''}${sorted.id}`}
        onChange={({ target: { value } }) =>
          setSort(() => (value === '' ? null : { key: value.replace(/^-/, ''), descending: value.startsWith('-') }))
        }
      />
    </div>
  );
}
