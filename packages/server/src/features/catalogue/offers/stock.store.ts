import { columns, select, table } from '../../../db/columns.ts';
import { type HotStatement, numberArray, type Tx, uuidArray } from '../../../db/index.ts';

// Takers of stock lock its rows in id order, after the customers. Decisions only read it.

/** Returns the ids of the tenant's sold-out offers. */
export function readSoldOut(tenantId: string): HotStatement {
  return {
    name: 'offers.sold-out',
    text: 'select offer_id from offer_stock where tenant_id = $1 and remaining = 0',
    values: [tenantId],
  };
}

/** Returns the ids of the tenant's sold-out offers, as the transaction sees them. */
export async function selectSoldOut(tx: Tx): Promise<string[]> {
  const from = 'from arbiter.offer_stock where tenant_id = $1 and remaining = 0';
  return (await select(tx, stockColumns, from, [tx.tenantId])).map(({ offerId }) => offerId);
}

/** Takes one piece for each conversion, never below 0. Skips offers whose stock isn't tracked. */
export async function takeStock(tx: Tx, offerIds: readonly string[]): Promise<void> {
  if (offerIds.length === 0) return;
  const counts = new Map<string, number>();
  for (const id of offerIds) counts.set(id, (counts.get(id) ?? 0) + 1);
  await tx.query(
    `with held as (
       select offer_id from arbiter.offer_stock where tenant_id = $1 and offer_id = any($2::uuid[])
       order by offer_id for update
     )
     update arbiter.offer_stock s set remaining = greatest(0, s.remaining - u.pieces)
     from held, unnest($2::uuid[], $3::bigint[]) as u(offer_id, pieces)
     where s.tenant_id = $1 and s.offer_id = held.offer_id and u.offer_id = held.offer_id`,
    [tx.tenantId, uuidArray([...counts.keys()]), numberArray([...counts.values()])],
  );
}

/**
 * Adjusts an offer's stock to its `totalStock`: a change of the total changes the rest by the same amount, never below
 * 0. Null stops tracking. The caller holds the offer's row.
 */
export async function changeStock(tx: Tx, offerId: string, before: number | null, total: number | null): Promise<void> {
  if (total === null) {
    await tx.query('delete from arbiter.offer_stock where tenant_id = $1 and offer_id = $2', [tx.tenantId, offerId]);
    return;
  }
  await tx.query(
    `insert into arbiter.offer_stock as s (tenant_id, offer_id, remaining) values ($1, $2, $3)
     on conflict (tenant_id, offer_id) do update set remaining = greatest(0, s.remaining + $4)`,
    [tx.tenantId, offerId, total, total - (before ?? 0)],
  );
}

const stockColumns = columns(table('offer_stock'), ['offerId', 'remaining']);

/** Returns the remaining stock by offer. Leaves out offers whose stock isn't tracked. */
export async function selectStock(tx: Tx, offerIds: readonly string[]): Promise<Map<string, number>> {
  if (offerIds.length === 0) return new Map();
  const rows = await select(
    tx,
    stockColumns,
    'from arbiter.offer_stock where tenant_id = $1 and offer_id = any($2::uuid[])',
    [tx.tenantId, uuidArray(offerIds)],
  );
  return new Map(rows.map(({ offerId, remaining }) => [offerId, Number(remaining)]));
}
