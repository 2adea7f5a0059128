import type { Suppression } from '@arbiter/engine';
import { columns, type NarrowRow, optional, type RowOf, select, table } from '../../../db/columns.ts';
import {
  bytesArray,
  type HotRow,
  type HotStatement,
  numberArray,
  type Tx,
  textArray,
  uuidArray,
} from '../../../db/index.ts';
import type { StoredState } from './customer-state-codec.ts';
import { noErasureMeanwhile } from './erasures.store.ts';

// Statements of the hot path are each prepared once per connection and take one array per column (docs/design/decisioning.md 6).

const stateColumns = 'customer_id, ref, data_key, customer_seq, state, base, suppressions';

/** Locks the customers' rows; those that another transaction holds are left out. */
export function lockStates(tenantId: string, customerIds: readonly string[], wait: boolean): HotStatement {
  return {
    name: wait ? 'decisions.lock.wait' : 'decisions.lock',
    text: `select ${stateColumns} from customer_states
      where tenant_id = $1 and customer_id = any($2::text[]) order by customer_id for update${wait ? '' : ' skip locked'}`,
    values: [tenantId, textArray(customerIds)],
  };
}

/** Reads the customers' rows without a lock, for decisions that store nothing. */
export function readStates(tenantId: string, customerIds: readonly string[]): HotStatement {
  return {
    name: 'decisions.read',
    text: `select ${stateColumns} from customer_states where tenant_id = $1 and customer_id = any($2::text[])`,
    values: [tenantId, textArray(customerIds)],
  };
}

/**
 * Creates rows for new customers, in id order. Skips rows that someone else creates at the same time, and all rows
 * while someone is erased: nothing read before about an erased customer may be stored.
 */
export function makeStates(
  tenantId: string,
  rows: readonly { readonly customerId: string; readonly ref: string; readonly dataKey: Buffer }[],
): HotStatement {
  return {
    name: 'decisions.make',
    text: `insert into customer_states (tenant_id, customer_id, ref, data_key, state)
      select $1, u.customer_id, u.ref, u.data_key, '' from unnest($2::text[], $3::uuid[], $4::bytea[]) as u(customer_id, ref, data_key)
      where ${noErasureMeanwhile} order by u.customer_id collate "C" on conflict (tenant_id, customer_id) do nothing returning ${stateColumns}`,
    values: [
      tenantId,
      textArray(rows.map((r) => r.customerId)),
      uuidArray(rows.map((r) => r.ref)),
      bytesArray(rows.map((r) => r.dataKey)),
    ],
  };
}

/**
 * Locks rows that others have created since this transaction began and that nobody holds now. Locks none while
 * someone is erased, as in `makeStates`.
 */
export function lockMadeStates(tenantId: string, customerIds: readonly string[]): HotStatement {
  return {
    name: 'decisions.lock.made',
    text: `select ${stateColumns} from customer_states
      where tenant_id = $1 and customer_id = any($2::text[]) and ${noErasureMeanwhile}
      order by customer_id for update skip locked`,
    values: [tenantId, textArray(customerIds)],
  };
}

type NumberedState = { customerSeq: number };
const states = table<'customer_states', NumberedState>('customer_states');

/** A suppression as the customer's row holds it for decisions. */
export interface KeptSuppression extends Suppression {
  /** Fingerprint of the policy that wrote it; absent in manual ones. */
  readonly mark?: string;
}

/**
 * A customer's row. `customerSeq`: number of its latest commit, 0 before the first; `base`: what `state` continues,
 * null while the state is short; `suppressions`: may include some that have expired.
 */
export type StateRow = Omit<NarrowRow<'customer_states', NumberedState>, 'tenantId' | 'suppressions'> & {
  readonly suppressions: readonly KeptSuppression[];
};

const noSuppressions: readonly KeptSuppression[] = [];

export function stateRow(row: HotRow): StateRow {
  return {
    customerId: row.customer_id as string,
    ref: row.ref as string,
    dataKey: row.data_key as Buffer,
    customerSeq: Number(row.customer_seq),
    state: row.state as Buffer,
    base: row.base as Buffer | null,
    suppressions: (row.suppressions as readonly KeptSuppression[] | null) ?? noSuppressions,
  };
}

/** PostgreSQL walks through the arrays for each row, so the time per row grows with their length. */
const statesPerStatement = 64;

/** What a transaction writes to a customer's row. */
export interface SavedState {
  readonly customerId: string;
  readonly customerSeq: number;
  /** The row had a base when it was read. */
  readonly hadBase: boolean;
  readonly stored: StoredState;
}

/**
 * Writes the states back. Addresses arrays by position instead of joining them: a plan made while the table was small
 * would join the wrong way round and read all customers of the tenant until the table is next analyzed (docs/adr/0102). Names
 * bases only for rows with a new one, because PostgreSQL then doesn't touch the others.
 */
export function saveStates(tenantId: string, rows: readonly SavedState[]): HotStatement[] {
  const [usual, rebased] = [rows.filter(keepsBase), rows.filter((row) => !keepsBase(row))];
  const values = (some: readonly SavedState[]) => [
    tenantId,
    textArray(some.map((row) => row.customerId)),
    bytesArray(some.map((row) => row.stored.state)),
    numberArray(some.map((row) => row.customerSeq)),
  ];
  const statements: HotStatement[] = [];
  for (let from = 0; from < usual.length; from += statesPerStatement) {
    statements.push({
      name: 'decisions.save',
      text: `update customer_states set ${savedColumns} where tenant_id = $1 and customer_id = any($2::text[])`,
      values: values(usual.slice(from, from + statesPerStatement)),
    });
  }
  if (rebased.length > 0) {
    statements.push({
      name: 'decisions.save.base',
      text: `update customer_states
        set ${savedColumns}, base = nullif(($5::bytea[])[array_position($2::text[], customer_id)], '')
        where tenant_id = $1 and customer_id = any($2::text[])`,
      values: [...values(rebased), bytesArray(rebased.map((row) => row.stored.base ?? none))],
    });
  }
  return statements;
}

/** Writes back the rows of many customers, which the transaction holds. */
export async function saveHeldStates(tx: Tx, rows: readonly SavedState[]): Promise<void> {
  for (const { text, values } of saveStates(tx.tenantId, rows)) await tx.query(text, values);
}

const savedColumns = `state = ($3::bytea[])[array_position($2::text[], customer_id)],
        customer_seq = ($4::bigint[])[array_position($2::text[], customer_id)]`;

const keepsBase = ({ stored, hadBase }: SavedState): boolean =>
  stored.base === undefined || (stored.base === null && !hadBase);
const none = Buffer.alloc(0);

const heldColumns = columns(states, ['customerId', 'customerSeq', 'state', 'base']);
/** A customer's row as `respond` uses it. `isNew`: this transaction created it. */
export type LockedState = RowOf<typeof heldColumns> & { readonly isNew: boolean };

/** Random parts of a customer's row. */
export interface FreshState {
  readonly ref: string;
  readonly dataKey: Buffer;
}

/**
 * Locks the customers' rows in id order, and creates those that are missing. Leaves out rows that another transaction holds
 * if this one may not `wait`. Creating a row waits for anyone creating the same one.
 */
export async function lockOrMakeStates(
  tx: Tx,
  customerIds: readonly string[],
  fresh: () => FreshState,
  wait: boolean,
): Promise<Map<string, LockedState>> {
  const locked = new Map<string, LockedState>();
  const lock = async (ids: readonly string[], made: ReadonlySet<string>): Promise<void> => {
    const rows = await select(
      tx,
      heldColumns,
      `from customer_states where tenant_id = $1 and customer_id = any($2::text[])
       order by customer_id for update${wait ? '' : ' skip locked'}`,
      [tx.tenantId, textArray(ids)],
    );
    for (const row of rows) locked.set(row.customerId, { ...row, isNew: made.has(row.customerId) });
  };
  if (customerIds.length > 0) await lock(customerIds, new Set());
  const missing = customerIds.filter((id) => !locked.has(id));
  if (missing.length > 0)
    await lock(
      missing,
      await ensureStates(
        tx,
        missing.map((customerId) => ({ customerId, ...fresh() })),
      ),
    );
  return locked;
}

/**
 * Creates the rows that are missing, in id order, and returns their customers. Waits for anyone creating the same ones, so
 * all who create several do it in this order.
 */
export async function ensureStates(
  tx: Tx,
  rows: readonly ({ readonly customerId: string } & FreshState)[],
): Promise<ReadonlySet<string>> {
  const createdRows = await tx.query<{ customerId: string }>(
    `insert into customer_states (tenant_id, customer_id, ref, data_key, state)
     select $1, u.customer_id, u.ref, u.data_key, '' from unnest($2::text[], $3::uuid[], $4::bytea[]) as u(customer_id, ref, data_key)
     order by u.customer_id collate "C" on conflict (tenant_id, customer_id) do nothing returning customer_id as "customerId"`,
    [
      tx.tenantId,
      textArray(rows.map((r) => r.customerId)),
      uuidArray(rows.map((r) => r.ref)),
      bytesArray(rows.map((r) => r.dataKey)),
    ],
  );
  return new Set(createdRows.map(({ customerId }) => customerId));
}

/** Holds the customers' rows, in id order, waiting for those that others hold. Customers without a row are left out. */
export async function lockStatesInOrder(
  tx: Tx,
  customerIds: readonly string[],
): Promise<Map<string, RowOf<typeof heldColumns>>> {
  const rows = await select(
    tx,
    heldColumns,
    'from customer_states where tenant_id = $1 and customer_id = any($2::text[]) order by customer_id for update',
    [tx.tenantId, textArray(customerIds)],
  );
  return new Map(rows.map((row) => [row.customerId, row]));
}

/** Returns the `ref` of a customer's row, locked until the transaction ends, or null. */
export async function findRef(tx: Tx, customerId: string): Promise<string | null> {
  const [row] = await select(
    tx,
    columns(states, ['ref']),
    'from customer_states where tenant_id = $1 and customer_id = $2 for update',
    [tx.tenantId, customerId],
  );
  return row?.ref ?? null;
}

/** Resets counters, reservations and outcomes; commit numbers continue. The caller holds the row. */
export async function resetState(tx: Tx, customerId: string): Promise<void> {
  await tx.query(`update customer_states set state = '', base = null where tenant_id = $1 and customer_id = $2`, [
    tx.tenantId,
    customerId,
  ]);
}

/** Gives the row another key, so that what the old one sealed can no longer be opened. The caller holds the row. */
export async function rekeyState(tx: Tx, customerId: string, { ref, dataKey }: FreshState): Promise<void> {
  await tx.query('update customer_states set ref = $3, data_key = $4 where tenant_id = $1 and customer_id = $2', [
    tx.tenantId,
    customerId,
    ref,
    dataKey,
  ]);
}

/** Takes the row away, and with it the key. */
export async function forgetState(tx: Tx, customerId: string): Promise<void> {
  await tx.query('delete from customer_states where tenant_id = $1 and customer_id = $2', [tx.tenantId, customerId]);
}

/** The customer's state without a lock, or null. */
export async function readState(tx: Tx, customerId: string): Promise<RowOf<typeof heldColumns> | null> {
  const [row] = await select(tx, heldColumns, 'from customer_states where tenant_id = $1 and customer_id = $2', [
    tx.tenantId,
    customerId,
  ]);
  return row ?? null;
}

/** Writes what decisions read of the customer's suppressions. The caller holds the row, so that none is lost. */
export async function saveSuppressions(tx: Tx, customerId: string, rows: readonly KeptSuppression[]): Promise<void> {
  await tx.query('update customer_states set suppressions = $3::jsonb where tenant_id = $1 and customer_id = $2', [
    tx.tenantId,
    customerId,
    rows.length === 0 ? null : JSON.stringify(rows),
  ]);
}

/**
 * Locks the rows of those customers that nobody else holds, in id order, for work that only counts. Returns numbers by
 * customer.
 */
export async function lockNumbers(tx: Tx, customerIds: readonly string[]): Promise<Map<string, number>> {
  const rows = await select(
    tx,
    columns(states, ['customerId', 'customerSeq']),
    `from customer_states where tenant_id = $1 and customer_id = any($2::text[]) order by customer_id for update skip locked`,
    [tx.tenantId, textArray(customerIds)],
  );
  return new Map(rows.map((row) => [row.customerId, row.customerSeq]));
}

/** Returns those of the customers that have a row, whoever holds it. */
export async function findKnown(tx: Tx, customerIds: readonly string[]): Promise<Set<string>> {
  const rows = await select(
    tx,
    columns(states, ['customerId']),
    'from customer_states where tenant_id = $1 and customer_id = any($2::text[])',
    [tx.tenantId, textArray(customerIds)],
  );
  return new Set(rows.map((row) => row.customerId));
}

/** Writes the numbers of rows that this transaction holds. */
export async function saveNumbers(tx: Tx, numbers: ReadonlyMap<string, number>): Promise<void> {
  await tx.query(
    `update customer_states set customer_seq = ($3::bigint[])[array_position($2::text[], customer_id)]
     where tenant_id = $1 and customer_id = any($2::text[])`,
    [tx.tenantId, textArray([...numbers.keys()]), numberArray([...numbers.values()])],
  );
}

/** SQL: joins the customer of a row, as `customer`; nothing when it was erased. `row` is the name of a table with a `customer_ref`. */
export const joinCustomer = (row: string): string =>
  `left join customer_states customer on customer.tenant_id = ${row}.tenant_id and customer.ref = ${row}.customer_ref`;

/** SQL: the `customer_ref` of a customer's rows, null when there are none. Both are parameters or columns, such as `$1`. */
export const refOfCustomer = (tenantId: string, customerId: string): string =>
  `(select customer.ref from customer_states customer
    where customer.tenant_id = ${tenantId} and customer.customer_id = ${customerId})`;

/** The customer columns of a statement with `joinCustomer`: null when the customer was erased. */
export const joinedCustomer = optional(columns(states, ['customerId', 'dataKey'], 'customer'));

/** Returns the stored data keys of customers by their refs in records. Leaves out erased customers. */
export async function dataKeysOf(tx: Tx, refs: readonly string[]): Promise<ReadonlyMap<string, Buffer>> {
  const rows = await tx.query<{ ref: string; dataKey: Buffer }>(
    `select ref, data_key as "dataKey" from customer_states where tenant_id = $1 and ref = any($2::uuid[])`,
    [tx.tenantId, uuidArray([...new Set(refs)])],
  );
  return new Map(rows.map(({ ref, dataKey }) => [ref, dataKey]));
}
