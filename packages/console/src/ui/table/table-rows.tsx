import type { SortedRows } from './sorted-rows.ts';
import { CardLine } from './table-cards.tsx';
import type { TableGeometry } from './table-geometry.ts';
import type { GridPlace } from './table-keys.ts';
import { RowLine, type SharedProps } from './table-parts.tsx';
import type { RowWindow } from './table-window.ts';

export interface TableRowsProps<Row> extends Pick<SortedRows<Row>, 'lines'> {
  readonly geometry: TableGeometry;
  readonly rowWindow: RowWindow;
  /** The active cell. */
  readonly place: GridPlace;
  readonly onPlace: (place: GridPlace) => void;
  readonly rowTo: ((row: Row) => string | null) | undefined;
  readonly shared: Omit<SharedProps<Row>, 'active'>;
}

/** The rows near the window, side by side or as cards. */
export function TableRows<Row>({ lines, geometry, rowWindow, place, onPlace, rowTo, shared }: TableRowsProps<Row>) {
  const { card, density, headHeight, rowHeight, totalWidth, width } = geometry;
  const { virtualizer, slots, drawn } = rowWindow;
  return (
    <div role="rowgroup">
      {drawn.map(({ index, start }) => {
        const line = lines[index];
        if (!line) return null;
        const props = {
          ...shared,
          row: line.original.row,
          rowId: line.id,
          index,
          top: headHeight + start,
          to: rowTo?.(line.original.row) ?? undefined,
          active: place.row === index ? place.column : -1,
          onPlace,
        };
        return card ? (
          <CardLine key={line.id} {...props} card={card} density={density} measure={virtualizer.measureElement} />
        ) : (
          <RowLine key={index % slots} {...props} height={rowHeight} sticks={totalWidth > width} />
        );
      })}
    </div>
  );
}
