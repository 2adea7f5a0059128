import { type Tx, uuidArray } from '../../../db/index.ts';
import type { ArchiveKind } from './archived-row.ts';

/** A row of a table on its way into a file. */
export interface RowToArchive {
  readonly id: string;
  /** The table's name for the customer. */
  readonly customer: string;
  readonly plain: Readonly<Record<string, unknown>>;
  /** A JSON object as text, because parsing would change its numbers. */
  readonly secret: string;
}

/** Selects rows of a month. */
export interface MonthSlice {
  /** The first id of the month, and of the next one. */
  readonly from: string;
  readonly to: string;
  /** Only rows after this id. */
  readonly after: string | null;
  readonly limit: number;
}

/** Returns the tenant's first id in a table; null if it has none. */
export async function firstStoredId(tx: Tx, { table }: ArchiveKind): Promise<string | null> {
  const [row] = await tx.query<{ id: string }>(`select id from ${table} where tenant_id = $1 order by id limit 1`, [
    tx.tenantId,
  ]);
  return row?.id ?? null;
}

/** Returns rows of a month, ordered by id. */
export function selectRows(
  tx: Tx,
  { table, customerColumn, columns }: ArchiveKind,
  { from, to, after, limit }: MonthSlice,
): Promise<RowToArchive[]> {
  const names = Object.keys(columns);
  const plain = names.map((name) => `'${name}', to_jsonb(d.${name})`).join(', ');
  const unsealed = [...names, 'tenant_id', 'id', customerColumn].map((name) => `'${name}'`).join(', ');
  return tx.query<RowToArchive>(
    `select d.id, d.${customerColumn} as customer, jsonb_build_object(${plain}) as plain,
       (select coalesce(jsonb_object_agg(key, value), '{}')::text
        from jsonb_each(to_jsonb(d) - array[${unsealed}]) where value <> 'null') as secret
     from ${table} d
     where d.tenant_id = $1 and d.id >= $2 and d.id < $3 and ($4::uuid is null or d.id > $4)
     order by d.id limit $5`,
    [tx.tenantId, from, to, after, limit],
  );
}

/**
 * Locks the rows that equal their entry in a JSON list, and returns their ids: for these, the file holds exactly what the
 * table has. Leaves out rows that changed or were deleted.
 */
export async function lockEqualRows(
  tx: Tx,
  table: ArchiveKind['table'],
  ids: readonly string[],
  rows: string,
): Promise<string[]> {
  const equal = await tx.query<{ id: string }>(
    `select d.id from ${table} d join jsonb_populate_recordset(null::arbiter.${table}, $3::jsonb) r on r.id = d.id
     where d.tenant_id = $1 and d.id = any($2::uuid[]) and d is not distinct from r
     order by d.id for update of d`,
    [tx.tenantId, uuidArray(ids), rows],
  );
  return equal.map(({ id }) => id);
}

/** Puts the rows of a JSON list into the table, and returns the ids of those that weren't there. */
export async function insertRows(tx: Tx, table: ArchiveKind['table'], rows: string): Promise<string[]> {
  const inserted = await tx.query<{ id: string }>(
    `insert into ${table} select r.* from jsonb_populate_recordset(null::arbiter.${table}, $2::jsonb) r
     where r.tenant_id = $1 on conflict do nothing returning id`,
    [tx.tenantId, rows],
  );
  return inserted.map(({ id }) => id);
}

/** A row as JSON text, for the functions above. `secret`: as in `RowToArchive`. */
export function rowJson(
  tenantId: string,
  customerColumn: ArchiveKind['customerColumn'],
  row: Pick<RowToArchive, 'id' | 'customer' | 'plain'>,
  secret: string,
): string {
  const shown = JSON.stringify({ ...row.plain, tenant_id: tenantId, id: row.id, [customerColumn]: row.customer });
  return secret === '{}' ? shown : `${shown.slice(0, -1)}, ${secret.trimStart().slice(1)}`;
}
