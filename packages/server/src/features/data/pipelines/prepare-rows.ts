import type { DataType, SchemaField } from '@arbiter/contract';
import { takeTurns } from '../../../platform/turns.ts';
import type { LoadedRow } from '../../catalogue/schemas/index.ts';
import type { SourceRow } from '../connectors/index.ts';
import type { RowProblemEntry } from './runs.store.ts';
import { SourceFailed } from './source-errors.rules.ts';
import type { Transformer } from './transforms.rules.ts';
import { emptyRow, parsed, plain, plainRow, type Row } from './values.rules.ts';

/** Rows of the source, ready for the schema. */
export interface PreparedRows {
  readonly read: number;
  readonly rows: readonly LoadedRow[];
  readonly problems: readonly RowProblemEntry[];
  /** Columns that the schema lacks and that no earlier row had. */
  readonly unknownColumns: readonly string[];
}

/** Returns consecutive parts as one. */
export const together = (parts: readonly PreparedRows[]): PreparedRows => ({
  read: parts.reduce((sum, { read }) => sum + read, 0),
  rows: parts.flatMap(({ rows }) => rows),
  problems: parts.flatMap(({ problems }) => problems),
  unknownColumns: parts.flatMap(({ unknownColumns }) => unknownColumns),
});

export interface Preparer {
  prepare(rows: readonly SourceRow[]): Promise<PreparedRows>;
}

/** Columns in a message. */
const maxNames = 50;

/** Columns for a message. */
export const listColumns = (names: readonly string[]): string =>
  names.slice(0, maxNames).join(', ') + (names.length > maxNames ? ` and ${names.length - maxNames} more` : '');

/**
 * Prepares the rows of a run from `firstRow` on: transforms them (null: there are no transforms), drops other columns, and reads texts as values. Throws `SourceFailed` if the first rows have no column of the schema: a mistake in the pipeline, and not data.
 */
export function createPreparer(
  fields: readonly Pick<SchemaField, 'name' | 'dataType'>[],
  transform: Transformer | null,
  firstRow: number,
): Preparer {
  const types = new Map<string, DataType>(fields.map(({ name, dataType }) => [name, dataType]));
  const unknown = new Set<string>();
  let row = firstRow - 1;
  let matched = false;
  const fit = (values: SourceRow, found: string[]): Row => {
    const fitting = emptyRow();
    for (const name in values) {
      const type = types.get(name);
      if (type !== undefined) {
        fitting[name] = parsed(type, plain(values[name]));
        matched = true;
      } else if (!unknown.has(name)) {
        unknown.add(name);
        found.push(name);
      }
    }
    return fitting;
  };
  return {
    async prepare(sources) {
      const turns = takeTurns();
      const rows: LoadedRow[] = [];
      const problems: RowProblemEntry[] = [];
      const unknownColumns: string[] = [];
      for (const source of sources) {
        row += 1;
        const result = transform === null ? ({ kind: 'row', row: source } as const) : transform(plainRow(source));
        if (result.kind === 'row') rows.push({ row, values: fit(result.row, unknownColumns) });
        else if (result.kind === 'problem') problems.push({ row, ...result.problem });
        const pause = turns();
        if (pause !== undefined) await pause;
      }
      if (rows.length > 0 && !matched) {
        const message = `No column of the source is in the schema: ${listColumns(unknownColumns)}.`;
        throw new SourceFailed({ code: 'schema_mismatch', message }, false, null);
      }
      return { read: sources.length, rows, problems, unknownColumns };
    },
  };
}
