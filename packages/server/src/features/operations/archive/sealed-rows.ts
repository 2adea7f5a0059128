import type { Tx } from '../../../db/index.ts';
import {
  type ArchivedRow,
  type ArchiveKind,
  archiveContext,
  customersNamed,
  namesOf,
  type RowToArchive,
  rowJson,
} from '../../deciding/archived-months/index.ts';
import { type CustomerKeys, dataKeysOf } from '../../deciding/customer-states/index.ts';
import { type Seal, unseal } from '../../deciding/sealed-records/index.ts';

export interface SealPorts {
  readonly customerKeys: CustomerKeys;
  readonly seal: Seal;
}

/** Gives rows of a month the names that files have for their customers, and seals what could identify them. */
export async function sealRows(
  tx: Tx,
  { customerKeys, seal }: SealPorts,
  kind: ArchiveKind,
  month: string,
  rows: readonly RowToArchive[],
): Promise<ArchivedRow[]> {
  const customers = rows.map(({ customer }) => customer);
  const sealed = (row: RowToArchive, stored: Buffer | undefined): Buffer | null =>
    stored === undefined
      ? null
      : seal(customerKeys.open(tx.tenantId, stored), archiveContext(tx.tenantId, row.id), row.secret);
  if (kind.customerColumn === 'customer_ref') {
    const keys = await dataKeysOf(tx, customers);
    return rows.map((row) => ({
      id: row.id,
      customerRef: row.customer,
      plain: row.plain,
      sealed: sealed(row, keys.get(row.customer)),
    }));
  }
  const names = await namesOf(tx, customers, month, () => customerKeys.create(tx.tenantId));
  return rows.flatMap((row) => {
    const name = names.get(row.customer);
    if (name === undefined) return [];
    return [{ id: row.id, customerRef: name.ref, plain: row.plain, sealed: sealed(row, name.dataKey) }];
  });
}

/** What is left of the row of a decision whose customer was erased. */
const erasedDecision = String.raw`{"result_hash": "\\x"}`;

/**
 * Returns the JSON of the rows as their table has them, without history of customers who were erased. Throws SealBroken
 * when a sealed part isn't the one that was written.
 */
export async function openRows(
  tx: Tx,
  { customerKeys }: Pick<SealPorts, 'customerKeys'>,
  kind: ArchiveKind,
  rows: readonly ArchivedRow[],
): Promise<{ readonly id: string; readonly json: string }[]> {
  const refs = rows.map(({ customerRef }) => customerRef);
  const open = ({ id, sealed }: ArchivedRow, stored: Buffer): string =>
    unseal(customerKeys.open(tx.tenantId, stored), archiveContext(tx.tenantId, id), sealed ?? Buffer.alloc(0));
  const json = ({ id, plain }: ArchivedRow, customer: string, secret: string) => ({
    id,
    json: rowJson(tx.tenantId, kind.customerColumn, { id, customer, plain }, secret),
  });
  if (kind.customerColumn === 'customer_ref') {
    const keys = await dataKeysOf(tx, refs);
    return rows.map((row) => {
      const stored = row.sealed === null ? undefined : keys.get(row.customerRef);
      return json(row, row.customerRef, stored === undefined ? erasedDecision : open(row, stored));
    });
  }
  const names = await customersNamed(tx, refs);
  return rows.flatMap((row) => {
    const name = names.get(row.customerRef);
    return name === undefined ? [] : [json(row, name.customerId, open(row, name.dataKey))];
  });
}
