import { memo } from 'react';
import { cx } from '../cx.ts';
import type { Density } from '../density.tsx';
import { SelectField } from '../field.tsx';
import { Link } from '../link.tsx';
import type { Column } from './table-column.ts';
import type { CardCell, CardLayout } from './table-layout.ts';
import { RowLink, type RowProps, RowSelect, ringClass, rowClass } from './table-parts.tsx';

/** Px: space above and below, the line of the name, each further line. */
const edges: Readonly<Record<Density, number>> = { compact: 5, comfortable: 10 };
const nameLine = 26;
const line = 24;

/** What a row that is drawn as a card will be high, in px, as long as it is not drawn: no text of it takes a second line. */
export const cardHeight = ({ lines }: CardLayout, density: Density): number =>
  2 * edges[density] + nameLine + (lines - 1) * line;

interface CardLineProps<Row> extends RowProps<Row> {
  readonly card: CardLayout;
  readonly density: Density;
  /** Told the element, whose height is that of its texts. */
  readonly measure: (element: HTMLElement | null) => void;
}

/**
 * A row where the columns do not fit side by side: the name above, the other values with their names below it. Long texts take
 * further lines, and what says nothing of this row takes none.
 */
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
          // biome-ignore lint/a11y/useKeyWithClickEvents: the grid itself has the keys; a press only says where the reader is
          <div
            key={column.key}
            id={cellId({ row: index, column: at })}
            role={at === 0 ? 'rowheader' : 'gridcell'}
            aria-colindex={at + (selection ? 2 : 1)}
            className={cx('min-w-0 px-4', placeClass(cell, hasCorner), active === at ? ringClass : hiddenWhereEmpty)}
            style={cell.part === 'end' && cell.line === 0 ? { top: edges[props.density] } : undefined}
            onClick={() => props.onPlace({ row: index, column: at })}
          >
            {bare ? null : (
              <span aria-hidden className="shrink-0 text-caption leading-6 text-faint">
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
const hiddenWhereEmpty = 'has-[>[data-value]:empty]:hidden';

function placeClass({ line: at, part }: CardCell, hasCorner: boolean): string {
  if (at === 0 && part === 'end')
    return 'absolute end-0 flex h-6.5 w-29 items-center justify-end ps-0 @max-[16rem]:static @max-[16rem]:w-auto @max-[16rem]:justify-start @max-[16rem]:ps-4';
  if (at === 0) return cx('col-span-full flex min-h-6.5 items-center py-0.5', hasCorner && 'pe-29 @max-[16rem]:pe-4');
  return cx('flex flex-wrap gap-x-1.5 leading-6', part === 'whole' ? 'col-span-full' : 'pe-1');
}

export interface CardSortProps<Row> {
  readonly columns: readonly Column<Row>[];
  readonly sorted: { readonly id: string; readonly desc: boolean } | undefined;
  readonly onSort: (sorted: { readonly id: string; readonly desc: boolean } | undefined) => void;
}

/** Chooses the order of rows that are drawn as cards, in place of the heads of columns. */
export function CardSort<Row>({ columns, sorted, onSort }: CardSortProps<Row>) {
  const sortable = columns.filter(({ sortBy }) => sortBy !== undefined);
  return (
    <div className="border-b border-line p-2">
      <SelectField
        label="Sort by"
        labelHidden
        placeholder="Default order"
        options={sortable.flatMap(({ key, header }) => [
          { value: key, label: `${header}, ascending` },
          { value: `-${key}`, label: `${header}, descending` },
        ])}
        value={sorted === undefined ? '' : `${sorted.desc ? '-' : ''}${sorted.id}`}
        onChange={({ target: { value } }) =>
          onSort(value === '' ? undefined : { id: value.replace(/^-/, ''), desc: value.startsWith('-') })
        }
      />
    </div>
  );
}
