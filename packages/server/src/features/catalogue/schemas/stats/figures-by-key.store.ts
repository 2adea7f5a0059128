import { createHash } from 'node:crypto';
import type { DataType } from '@arbiter/contract';
import type { JoinedFigure, JoinedValue } from '@arbiter/engine';
import { sqlType } from '../fields/data-types.ts';
import { averageOut, figureName, finiteOut, maxJoinedRows, truncatedName } from '../joins/joined-values.rules.ts';
import { canBeKey, type RowsByKey, type TableRow } from '../rows/rows-by-key.store.ts';
import type { JsonValue } from '../rows/values.rules.ts';
import { bigintOut, decimalOut, keyText, outForm } from '../rows/values-out.rules.ts';
import { quoteName, type SchemaTable } from '../schema-tables.store.ts';

/** One prepared statement with the aggregates of many keys' rows. A key without rows is missing. */
export type FiguresByKey = RowsByKey;

type FigureRequest = Pick<JoinedValue, 'figure' | 'column'>;

/** SQL of a figure over the newest rows, `n` counting them from 1, and what becomes of its answer. */
interface FigureSql {
  /** Over the column `v`. */
  readonly select: (v: string) => readonly string[];
  readonly convert: (raw: readonly unknown[]) => JsonValue;
}

const newest = `filter (where n <= ${maxJoinedRows})`;

const wholeTypes: readonly DataType[] = ['smallint', 'integer', 'bigint'];
const binaryTypes: readonly DataType[] = ['real', 'double'];

/** Adds binary fractions as the decimals they're written as, so that the order of rows doesn't change the sum. */
const exact = (dataType: DataType, v: string): string => (binaryTypes.includes(dataType) ? `${v}::text::numeric` : v);

function sumOut(dataType: DataType, raw: unknown): JsonValue {
  if (wholeTypes.includes(dataType)) return bigintOut(raw);
  return finiteOut(binaryTypes.includes(dataType) ? Number(raw) : decimalOut(raw));
}

function figureSql(figure: JoinedFigure, dataType: DataType): FigureSql {
  const form = outForm(dataType);
  const one = (select: (v: string) => string): FigureSql => ({
    select: (v) => [form.select(`(${select(v)})`)],
    convert: ([raw]) => finiteOut(form.convert(raw)),
  });
  switch (figure) {
    case 'sum':
      return {
        select: (v) => [`coalesce(sum(${exact(dataType, v)}) ${newest}, 0)::text`],
        convert: ([raw]) => sumOut(dataType, raw),
      };
    case 'avg':
      return {
        select: (v) => [`coalesce(sum(${exact(dataType, v)}) ${newest}, 0)::text`, `(count(${v}) ${newest})::int`],
        convert: ([sum, count]) => {
          const average = averageOut(String(sum), Number(count));
          return finiteOut(binaryTypes.includes(dataType) && average !== null ? Number(average) : average);
        },
      };
    case 'min':
    case 'max':
      return one((v) => `${figure}(${v}) ${newest}`);
    default:
      return one((v) => `(array_agg(${v}) filter (where n = 1))[1]`);
  }
}

/**
 * Returns the statement that reads aggregates of the rows whose `keyColumn` is one of the keys, compared as text in out
 * form: over the newest `joinedRowLimit` rows by primary key (docs/design/api-settled.md 33). An index on the key and
 * the primary key (`ds_index_group`) provides them in order. Runs under row-level security of the tenant that owns the
 * table. Throws when the table has no such column. `figureName` names its results.
 */
export function figuresByKeyStatement(
  table: SchemaTable,
  keyColumn: string,
  wanted: readonly FigureRequest[],
): FiguresByKey {
  const typeOf = (name: string): DataType => {
    const column = table.columns.find((candidate) => candidate.name === name);
    if (column === undefined) throw new Error(`schema ${table.schemaId} has no column ${name}`);
    return column.dataType;
  };
  const keyType = typeOf(keyColumn);
  const keyForm = outForm(keyType);
  const columns = [...new Set(wanted.flatMap(({ column }) => column ?? []))];
  const figures = wanted.flatMap(({ figure, column }) =>
    column === null
      ? []
      : [{ name: figureName(figure, column), at: columns.indexOf(column), sql: figureSql(figure, typeOf(column)) }],
  );
  const selected = figures.flatMap(({ at, sql }) => sql.select(`v${at}`)).map((each, at) => `${each} as f${at}`);
  const key = quoteName(table.primaryKey);
  const values = columns.map((name, at) => `, t.${quoteName(name)} as v${at}`).join('');
  const text =
    `select ${keyForm.select('asked.k')} as k, figures.* from unnest($1::${sqlType(keyType)}[]) asked (k), lateral (` +
    `select ${[`(count(*) ${newest})::int as total`, `coalesce(bool_or(n > ${maxJoinedRows}), false) as cut`, ...selected].join(', ')} ` +
    `from (select row_number() over (order by p desc) as n, * from (` +
    `select t.${key} as p${values} from ${table.table} t where t.${quoteName(keyColumn)} = asked.k ` +
    `order by t.${key} desc limit ${maxJoinedRows + 1}) newest) numbered) figures where figures.total > 0`;
  // A recreated column may have another type under the same text, as in `rowsByKeyStatement`.
  const types = [keyType, ...columns.map(typeOf)].join(' ');
  return {
    name: `figures_${createHash('sha256').update(`${types}\n${text}`).digest('hex').slice(0, 32)}`,
    text,
    keys: (keys) => keys.filter((candidate) => canBeKey(keyType, candidate)),
    parse(rows) {
      const found = new Map<string, TableRow>();
      for (const raw of rows) {
        const at = keyText(keyForm.convert(raw.k));
        if (at === null) continue;
        const row: Record<string, JsonValue> = { [figureName('count', null)]: Number(raw.total) };
        if (raw.cut === true) row[truncatedName] = true;
        let next = 0;
        for (const { name, sql } of figures) {
          const values = sql.select('').map(() => raw[`f${next++}`]);
          row[name] = sql.convert(values);
        }
        found.set(at, row);
      }
      return found;
    },
  };
}
