import type { Tx } from '../../../db/tx.ts';

/** Emptying tables that are named by their owners (`Resets` in feature.ts). */

/** Which of these tables refer to which other one of them. */
export async function selectReferences(
  tx: Tx,
  tables: readonly string[],
): Promise<readonly { readonly from: string; readonly to: string }[]> {
  return tx.query<{ from: string; to: string }>(
    `select distinct f.relname as "from", t.relname as "to"
       from pg_constraint c join pg_class f on f.oid = c.conrelid join pg_class t on t.oid = c.confrelid
      where c.contype = 'f' and f.oid <> t.oid and f.relnamespace = 'arbiter'::regnamespace
        and t.relnamespace = 'arbiter'::regnamespace and f.relname = any ($1) and t.relname = any ($1)`,
    [tables],
  );
}

/** Deletes the tenant's rows of a table; answers with their number. `name` comes from a feature, never from a request. */
export async function emptyTable(tx: Tx, name: string): Promise<number> {
  if (!/^[a-z_]+$/.test(name)) throw new Error(`not a valid table name: ${name}`);
  const [row] = await tx.query<{ gone: number }>(
    `with gone as (delete from arbiter."${name}" where tenant_id = $1 returning 1) select count(*)::int as gone from gone`,
    [tx.tenantId],
  );
  return row?.gone ?? 0;
}

/** The same for a table from which the application may not delete otherwise. */
export async function emptyHistory(tx: Tx, name: string): Promise<void> {
  await tx.query('select arbiter.empty_history($1)', [name]);
}
