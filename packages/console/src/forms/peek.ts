import type { Fact } from '../ui/facts.tsx';
import type { Column } from '../ui/table/table-column.ts';

/** A list and, where there is room for it, the look at one of its rows beside it. */
export const peekGrid = 'grid items-start gap-4 lg:grid-flow-col lg:auto-cols-[26rem] lg:grid-cols-[minmax(0,1fr)]';

/** What a look at a row shows: every column in full, also those that the table does not show, with the first as its heading. */
export function lookAt<Row>(columns: readonly Column<Row>[], row: Row): { heading: string; facts: readonly Fact[] } {
  const [first, ...others] = columns;
  return {
    heading: String(first?.text?.(row) ?? ''),
    facts: others
      .filter(({ text }) => text !== null)
      .map(({ header, unit, cell }) => ({
        label: unit === undefined ? header : `${header}, ${unit}`,
        value: cell(row),
      })),
  };
}
