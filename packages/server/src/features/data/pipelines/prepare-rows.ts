import type { DataType, SchemaField } from '@arbiter/contract';
import { takeTurns } from '../../../platform/turns.ts';
import type { LoadedRow } from '../../catalogue/schemas/index.ts';
import type { SourceRow } from '../connectors/index.ts';
import type { RowProblemEntry } from './runs.store.ts';
import type { Transformer } from './transforms.rules.ts';
import { parsed, plainRow, type Row } from './values.rules.ts';

/** Rows of the source, ready for the schema. */
export interface PreparedRows {
  readonly read: number;
  readonly rows: readonly LoadedRow[];
  readonly problems: readonly RowProblemEntry[];
  /** Columns that the schema lacks and that no earlier row had. */
  readonly unknownColumns: readonly string[];
}

export interface Preparer {
  prepare(rows: readonly SourceRow[]): Promise<PreparedRows>;
  /** Whether any row had a column of the schema. */
  hasMatched(): boolean;
}

/** Prepares the rows of a run from `firstRow` on: transforms them, drops other columns, and reads texts as values. */
export function createPreparer(
  fields: readonly Pick<SchemaField, 'name' | 'dataType'>[],
  transform: Transformer,
  firstRow: number,
): Preparer {
  const types = new Map<string, DataType>(fields.map(({ name, dataType }) => [name, dataType]));
  const unknown = new Set<string>();
  let row = firstRow - 1;
  let matched = false;
  const fit = (values: Row, found: string[]): Row => {
    const fitting: Row = Object.create(null);
    for (const name of Object.keys(values)) {
      const type = types.get(name);
      if (type !== undefined) {
        fitting[name] = parsed(type, values[name]);
        matched = true;
      } else if (!unknown.has(name)) {
        unknown.add(name);
        found.push(name);
      }
    }
    return fitting;
  };
  return {
    hasMatched: () => matched,
    async prepare(sources) {
      const turns = takeTurns();
      const rows: LoadedRow[] = [];
      const problems: RowProblemEntry[] = [];
      const unknownColumns: string[] = [];
      for (const source of sources) {
        row += 1;
        const result = transform(plainRow(source));
        if (result.kind === 'row') rows.push({ row, values: fit(result.row, unknownColumns) });
        else if (result.kind === 'problem') problems.push({ row, ...result.problem });
        await turns();
      }
      return { read: sources.length, rows, problems, unknownColumns };
    },
  };
}
