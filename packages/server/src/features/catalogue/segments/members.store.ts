import type { Tx } from '../../../db/tx.ts';
import { newLiterals } from '../condition-sql/index.ts';
import { canBeKey, type JsonValue, keyText, outForm, quoteName, sqlType } from '../schemas/index.ts';
import {
  belongs,
  countingRow,
  type Definition,
  fromSql,
  keyColumn,
  keySql,
  membersQuery,
} from './membership-sql.store.ts';

/** True when the base has a row of this customer, a member or not. */
export async function hasCustomer(tx: Tx, { base }: Definition, customerId: string): Promise<boolean> {
  const { dataType } = keyColumn(base);
  if (!canBeKey(dataType, customerId)) return false;
  const rows = await tx.query(`select ${fromSql(base)} where ${keySql(base)} = $1::${sqlType(dataType)} limit 1`, [
    customerId,
  ]);
  return rows.length > 0;
}

/** True when the base has a row that could be a member. */
export async function hasCustomers(tx: Tx, { base }: Definition): Promise<boolean> {
  const rows = await tx.query(`select ${fromSql(base)} where ${countingRow(base)} limit 1`);
  return rows.length > 0;
}

/** Members behind a customer id, in the order of their row keys. */
export async function selectMembers(
  tx: Tx,
  definition: Definition,
  after: string | null,
  limit: number,
): Promise<string[]> {
  const { base } = definition;
  const { dataType } = keyColumn(base);
  const form = outForm(dataType);
  const key = keySql(base);
  const literals = newLiterals('parameters', after === null ? 2 : 3);
  const where = `${countingRow(base)} and ${belongs(definition, literals)}`;
  const behind = after === null ? '' : ` and ${key} > $2::${sqlType(dataType)}`;
  const rows = await tx.query<{ k: unknown }>(
    `select ${form.select(key)} as k ${fromSql(base)} where ${where}${behind} order by ${key} limit $1`,
    [limit, ...(after === null ? [] : [after]), ...literals.values],
  );
  return rows.flatMap(({ k }) => keyText(form.convert(k)) ?? []);
}

/** Number of members, at most this many. */
export async function countUpTo(tx: Tx, definition: Definition, most: number): Promise<number> {
  const { text, values } = membersQuery(definition, 2);
  const [row] = await tx.query<{ count: number }>(
    `select count(*)::int as count from (select from (${text}) m limit $1) counted`,
    [most, ...values],
  );
  return row?.count ?? 0;
}

/** Returns rows of the base whose customers belong to the segment, by row key, all columns in out form. */
export async function selectRows(
  tx: Tx,
  definition: Definition,
  limit: number,
): Promise<Readonly<Record<string, JsonValue>>[]> {
  const { base } = definition;
  const literals = newLiterals('parameters', 2);
  const forms = base.columns.map(({ name, dataType }) => ({ name, form: outForm(dataType) }));
  const list = forms.map(({ name, form }, at) => `${form.select(`b.${quoteName(name)}`)} as c${at}`).join(', ');
  const where = `${countingRow(base)} and ${belongs(definition, literals)}`;
  const rows = await tx.query(`select ${list} ${fromSql(base)} where ${where} order by ${keySql(base)} limit $1`, [
    limit,
    ...literals.values,
  ]);
  return rows.map((row) => Object.fromEntries(forms.map(({ name, form }, at) => [name, form.convert(row[`c${at}`])])));
}

/** Room of the hash by which customers are sampled. */
const hashes = 2 ** 31;

/**
 * Returns how many customers belong to exactly which of the segments: counts by a bit set, the first segment being 1.
 * `share`: fraction of all customers to sample, the same ones for every segment.
 */
export async function countTogether(
  tx: Tx,
  definitions: readonly Definition[],
  share: number,
): Promise<ReadonlyMap<number, number>> {
  const parameters: unknown[] = [Math.floor(share * hashes)];
  const parts = definitions.map((definition, at) => {
    const { text, values } = membersQuery(definition, parameters.length + 1);
    parameters.push(...values);
    return `select m.customer_id, ${1 << at} as bit from (${text}) m`;
  });
  const rows = await tx.query<{ bits: number; count: number | string }>(
    `select bits, count(*) as count from (
       select bit_or(bit) as bits from (${parts.join(' union all ')}) every_one
        where (hashtextextended(customer_id, 0) & ${hashes - 1}) < $1::bigint group by customer_id) customers
     group by bits`,
    parameters,
  );
  return new Map(rows.map(({ bits, count }) => [bits, Number(count)]));
}
