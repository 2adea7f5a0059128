import type { Fact } from '../ui/facts.tsx';
import type { Column } from '../ui/table/table-column.ts';

/** A list, with the preview of a row next to it if there's room. */
export const peekGrid = 'grid items-start gap-4 lg:grid-flow-col lg:auto-cols-[26rem] lg:grid-cols-[minmax(0,1fr)]';

/** Returns the content of a row preview: every column, also hidden ones, with the first as heading. */
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
