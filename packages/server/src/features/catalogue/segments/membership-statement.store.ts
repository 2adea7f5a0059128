import { createHash } from 'node:crypto';
import { type HotRow, type HotStatement, textArray } from '../../../db/index.ts';
import { newLiterals } from '../condition-sql/index.ts';
import { canBeKey, keyText, outForm, sqlType } from '../schemas/index.ts';
import { belongs, countingRow, type Definition, fromSql, keyColumn, keySql } from './membership-sql.store.ts';

/** One prepared statement that finds, for many customers, which segments of one base schema they belong to. */
export interface MembershipStatement {
  ask(customerIds: readonly string[]): HotStatement;
  /** By customer: membership in the order of the segments. A customer without a row is missing. */
  parse(rows: readonly HotRow[]): ReadonlyMap<string, readonly boolean[]>;
}

/** The statement for segments of one base schema. Customers are found by the index of the row key. */
export function membershipStatement(definitions: readonly Definition[]): MembershipStatement {
  const [first] = definitions;
  if (first === undefined) throw new Error('a statement needs at least one segment');
  const { base } = first;
  const { dataType } = keyColumn(base);
  const form = outForm(dataType);
  const literals = newLiterals('parameters', 2);
  const answers = definitions.map((definition, at) => `coalesce(${belongs(definition, literals)}, false) as s${at}`);
  const text =
    `select ${[`${form.select(keySql(base))} as k`, ...answers].join(', ')} ${fromSql(base)} ` +
    `where ${keySql(base)} = any ($1::${sqlType(dataType)}[]) and ${countingRow(base)}`;
  // A recreated column may have another type under the same text.
  const types = [base, ...definitions.flatMap(({ joins }) => joins.map(({ schema }) => schema))]
    .flatMap(({ columns }) => columns.map((column) => `${column.name} ${column.dataType}`))
    .join('\n');
  const name = `segments_${createHash('sha256').update(`${types}\n${text}`).digest('hex').slice(0, 32)}`;
  return {
    ask: (customerIds) => ({
      name,
      text,
      values: [textArray(customerIds.filter((id) => canBeKey(dataType, id))), ...literals.values],
    }),
    parse(rows) {
      const found = new Map<string, readonly boolean[]>();
      for (const row of rows) {
        const key = keyText(form.convert(row.k));
        if (key !== null)
          found.set(
            key,
            definitions.map((_, at) => row[`s${at}`] === true),
          );
      }
      return found;
    },
  };
}
