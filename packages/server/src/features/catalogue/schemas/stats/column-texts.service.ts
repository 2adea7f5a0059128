import { inTime, type Tx } from '../../../../db/index.ts';
import { suggestibleColumns } from '../fields/suggestible-columns.store.ts';
import { readSchemaTables } from '../schema-tables.store.ts';
import { selectTexts } from './column-texts.store.ts';

/** Time for the texts of one column, and of all of them, in ms. */
const columnMs = 250;
const allMs = 750;

export interface NamedColumn {
  readonly schemaId: string;
  readonly column: string;
}

/**
 * Returns all texts of columns of texts, by `<schemaId> <column>`. Leaves out columns with many different texts, those that
 * take too long to read, and keys and sensitive columns, whose texts nobody should see.
 */
export async function columnTexts(
  tx: Tx,
  wanted: readonly NamedColumn[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  if (wanted.length === 0) return found;
  const { columns } = await suggestibleColumns(tx);
  const tables = new Map((await readSchemaTables(tx)).map((table) => [table.schemaId, table]));
  const until = performance.now() + allMs;
  for (const { schemaId, column } of wanted) {
    const table = tables.get(schemaId);
    const own = table?.columns.find(({ name }) => name === column);
    if (table === undefined || own === undefined || columns[schemaId]?.[column]?.kind !== 'text') continue;
    const left = Math.min(columnMs, Math.floor(until - performance.now()));
    if (left <= 0) break;
    const texts = await inTime(tx, () => selectTexts(tx, table, own), left);
    if (texts !== null) found.set(`${schemaId} ${column}`, texts);
  }
  return found;
}
