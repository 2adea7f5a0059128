import { bytesArray, type HotRow, type HotStatement, type Tx, textArray, uuidArray } from '../../db/index.ts';

// Statements of the hot path are each prepared once per connection and take one array per column (docs/design/decisioning.md 6).

/** Locks the customers' rows; those that another transaction holds are left out. */
export function lockStates(tenantId: string, customerIds: readonly string[], wait: boolean): HotStatement {
  return {
    name: wait ? 'decisions.lock.wait' : 'decisions.lock',
    text: `select customer_id, ref, data_key, state from customer_states
      where tenant_id = $1 and customer_id = any($2::text[]) order by customer_id for update${wait ? '' : ' skip locked'}`,
    values: [tenantId, textArray(customerIds)],
  };
}

/** Reads the customers' rows without a lock, for decisions that store nothing. */
export function readStates(tenantId: string, customerIds: readonly string[]): HotStatement {
  return {
    name: 'decisions.read',
    text: `select customer_id, ref, data_key, state from customer_states where tenant_id = $1 and customer_id = any($2::text[])`,
    values: [tenantId, textArray(customerIds)],
  };
}

/** Makes rows for new customers, in id order; a row that somebody else makes at the same time is left out. */
export function makeStates(
  tenantId: string,
  rows: readonly { readonly customerId: string; readonly ref: string; readonly dataKey: Buffer }[],
): HotStatement {
  return {
    name: 'decisions.make',
    text: `insert into customer_states (tenant_id, customer_id, ref, data_key, state)
      select $1, u.customer_id, u.ref, u.data_key, '' from unnest($2::text[], $3::uuid[], $4::bytea[]) as u(customer_id, ref, data_key)
      order by u.customer_id on conflict (tenant_id, customer_id) do nothing returning customer_id, ref, data_key, state`,
    values: [
      tenantId,
      textArray(rows.map((r) => r.customerId)),
      uuidArray(rows.map((r) => r.ref)),
      bytesArray(rows.map((r) => r.dataKey)),
    ],
  };
}

export interface StateRow {
  readonly customerId: string;
  readonly ref: string;
  readonly dataKey: Buffer;
  readonly state: Buffer;
}

export function stateRow(row: HotRow): StateRow {
  return {
    customerId: row.customer_id as string,
    ref: row.ref as string,
    dataKey: row.data_key as Buffer,
    state: row.state as Buffer,
  };
}

/**
 * Writes the states back. By position in the arrays and not by a join with them: a plan made while the table was small
 * would join the wrong way round and go through every customer of the tenant for the rest of the connection's life.
 */
export function saveStates(tenantId: string, customerIds: readonly string[], states: readonly Buffer[]): HotStatement {
  return {
    name: 'decisions.save',
    text: `update customer_states set state = ($3::bytea[])[array_position($2::text[], customer_id)]
      where tenant_id = $1 and customer_id = any($2::text[])`,
    values: [tenantId, textArray(customerIds), bytesArray(states)],
  };
}

/** Locks the customer's state row, or makes it; null when another transaction holds it and this one may not `wait`. */
export async function lockState(
  tx: Tx,
  customerId: string,
  fresh: () => { readonly ref: string; readonly dataKey: Buffer },
  wait: boolean,
): Promise<Buffer | null> {
  const select = `select state from customer_states where tenant_id = $1 and customer_id = $2 for update`;
  const lock = wait ? select : `${select} skip locked`;
  const [known] = await tx.query<{ state: Buffer }>(lock, [tx.tenantId, customerId]);
  if (known) return known.state;
  const { ref, dataKey } = fresh();
  await tx.query(
    `insert into customer_states (tenant_id, customer_id, ref, data_key, state) values ($1, $2, $3, $4, '') on conflict do nothing`,
    [tx.tenantId, customerId, ref, dataKey],
  );
  const [made] = await tx.query<{ state: Buffer }>(lock, [tx.tenantId, customerId]);
  return made?.state ?? null;
}

export async function saveState(tx: Tx, customerId: string, state: Buffer): Promise<void> {
  await tx.query('update customer_states set state = $3 where tenant_id = $1 and customer_id = $2', [
    tx.tenantId,
    customerId,
    state,
  ]);
}

/** SQL: joins the customer of a row, as `customer`; nothing when it was erased. `row` is the name of a table with a `customer_ref`. */
export const joinCustomer = (row: string): string =>
  `left join customer_states customer on customer.tenant_id = ${row}.tenant_id and customer.ref = ${row}.customer_ref`;
