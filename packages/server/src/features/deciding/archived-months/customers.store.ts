import { bytesArray, type Tx, textArray, uuidArray } from '../../../db/index.ts';
import { newId } from '../../../platform/ids.ts';

/** A customer's name in archived history, and the key that seals it. */
export interface ArchivedCustomer {
  readonly customerId: string;
  readonly ref: string;
  readonly dataKey: Buffer;
}

/** Returns the names and keys of customers for the files of a month, and creates missing ones. `newKey`: as `CustomerKeys.create`. */
export async function namesOf(
  tx: Tx,
  customerIds: readonly string[],
  month: string,
  newKey: () => Buffer,
): Promise<ReadonlyMap<string, ArchivedCustomer>> {
  const ids = [...new Set(customerIds)].toSorted();
  const find = () =>
    tx.query<ArchivedCustomer>(
      `select customer_id as "customerId", ref, data_key as "dataKey" from archived_customers
       where tenant_id = $1 and customer_id = any($2::text[])`,
      [tx.tenantId, textArray(ids)],
    );
  const known = new Map((await find()).map((row) => [row.customerId, row]));
  await tx.query(
    `update archived_customers set last_month = ($3 || '-01')::date
     where tenant_id = $1 and customer_id = any($2::text[]) and last_month < ($3 || '-01')::date`,
    [tx.tenantId, textArray(ids), month],
  );
  const fresh = ids.filter((id) => !known.has(id));
  if (fresh.length === 0) return known;
  await tx.query(
    `insert into archived_customers (tenant_id, customer_id, ref, data_key, last_month)
     select $1, u.id, u.ref, u.data_key, ($5::text || '-01')::date from unnest($2::text[], $3::uuid[], $4::bytea[]) as u(id, ref, data_key)
     on conflict do nothing`,
    [tx.tenantId, textArray(fresh), uuidArray(fresh.map(() => newId())), bytesArray(fresh.map(newKey)), month],
  );
  return new Map((await find()).map((row) => [row.customerId, row]));
}

/** Returns customers by their names in files. Leaves out erased ones. */
export async function customersNamed(tx: Tx, refs: readonly string[]): Promise<ReadonlyMap<string, ArchivedCustomer>> {
  const rows = await tx.query<ArchivedCustomer>(
    `select customer_id as "customerId", ref, data_key as "dataKey" from archived_customers
     where tenant_id = $1 and ref = any($2::uuid[])`,
    [tx.tenantId, uuidArray([...new Set(refs)])],
  );
  return new Map(rows.map((row) => [row.ref, row]));
}

/** Makes a customer's archived history anonymous and its sealed values unreadable. */
export async function forgetName(tx: Tx, customerId: string): Promise<void> {
  await tx.query('delete from archived_customers where tenant_id = $1 and customer_id = $2', [tx.tenantId, customerId]);
}

/** Deletes the names of customers whose last file of history is gone. */
export async function forgetUnusedNames(tx: Tx): Promise<void> {
  await tx.query(
    `delete from archived_customers where tenant_id = $1 and last_month < coalesce(
       (select min(month) from archived_parts where tenant_id = $1 and kind <> 'decisions'), 'infinity')`,
    [tx.tenantId],
  );
}
