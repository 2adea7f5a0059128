import { memo } from 'react';
import { cx } from './cx.ts';
import type { Density } from './density.tsx';
import { SelectField } from './field.tsx';
import { Link } from './link.tsx';
import type { Column } from './table-column.ts';
import type { CardCell, CardLayout } from './table-layout.ts';
import { RowLink, type RowProps, RowSelect, ringClass, rowClass } from './table-parts.tsx';

/** Heights in px: space above and below, the line of the name, each further line. */
const edges: Readonly<Record<Density, number>> = { compact: 5, comfortable: 10 };
const nameLine = 26;
const line = 24;

/** Height in px of a row that is drawn as a card. */
export const cardHeight = ({ lines }: CardLayout, density: Density): number =>
  2 * edges[density] + nameLine + (lines - 1) * line;

interface CardLineProps<Row> extends RowProps<Row> {
  readonly card: CardLayout;
  readonly density: Density;
}

/** A row where the columns do not fit side by side: the name above, the other values with their names below it. */
function Card<Row>(props: CardLineProps<Row>) {
  const { columns, leading, selection, cellId, totalWidth, active, card, row, rowId, index, top, height, to } = props;
  const selected = selection?.selected.has(rowId) ?? false;
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={selection ? selected : undefined}
      className={rowClass(selected, active >= 0)}
      style={{ transform: `translateY(${top}px)`, height, width: totalWidth }}
    >
      {selection ? <RowSelect {...{ selection, leading, rowId, index, selected }} /> : null}
      {columns.map((column, at) => {
        const cell = card.cells[at];
        if (!cell) return null;
        const content = column.cell(row);
        const bare = at === 0 || column.corner === true || column.header === '' || content === null || content === '';
        return (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the grid itself has the keys; a press only says where the reader is
          <div
            key={column.key}
            id={cellId({ row: index, column: at })}
            role={at === 0 ? 'rowheader' : 'gridcell'}
            aria-colindex={at + (selection ? 2 : 1)}
            className={cx(
              'absolute flex items-center gap-1.5 px-3',
              cell.part === 'end' && cell.line === 0 && 'justify-end ps-0',
              active === at && ringClass,
            )}
            style={cellStyle(
              cell,
              leading,
              edges[props.density],
              columns.some(({ corner }) => corner === true),
            )}
            onClick={() => props.onPlace({ row: index, column: at })}
          >
            {bare ? null : (
              <span aria-hidden className="shrink-0 text-caption text-faint">
                {column.header}
                {column.unit ? ` ${column.unit}` : ''}
              </span>
            )}
            {at === 0 && to ? (
              <Link to={to} look="plain" tabIndex={-1} dir="auto" className="min-w-0 truncate font-medium text-ink">
                {content}
              </Link>
            ) : (
              <span
                className={cx(
                  'table-cell-content min-w-0 truncate [&_a]:inline-block [&_a]:leading-6',
                  at === 0 && 'font-medium',
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

const cornerWidth = '6.75rem';

function cellStyle({ line: at, part }: CardCell, leading: number, edge: number, hasCorner: boolean) {
  const all = `calc(100% - ${leading}px)`;
  if (at === 0) {
    const width = !hasCorner ? all : part === 'end' ? cornerWidth : `calc(${all} - ${cornerWidth})`;
    const start = part === 'end' ? { insetInlineEnd: 0 } : { insetInlineStart: leading };
    return { top: edge, height: nameLine, width, ...start };
  }
  return {
    top: edge + nameLine + (at - 1) * line,
    height: line,
    width: part === 'whole' ? all : `calc(${all} / 2)`,
    insetInlineStart: part === 'end' ? `calc(${leading}px + ${all} / 2)` : leading,
  };
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
        label="Order"
        labelHidden
        placeholder="Order: as listed"
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
