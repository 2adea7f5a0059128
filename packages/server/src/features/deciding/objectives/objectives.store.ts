import type { CountsRow } from '@arbiter/engine';
import { columns, select, table } from '../../../db/columns.ts';
import type { Tx } from '../../../db/index.ts';
import { AppError } from '../../../platform/app-error.ts';
import { type CountsBody, type CountsState, noRows, withChanges } from './counts-state.ts';

/** How many states may follow a whole one before the next is stored whole. */
const wholeEvery = 60;

const stored = table<'objective_counts', { body: CountsBody }>('objective_counts');
const rowColumns = columns(stored, ['number', 'isWhole', 'body']);
const headColumns = columns(stored, ['number', 'checkedAt']);

export interface CountsHead {
  readonly number: number;
  readonly checkedAt: Date;
}

/** Returns the number of the newest state, or null if there isn't one. */
export async function newestHead(tx: Tx): Promise<CountsHead | null> {
  const [head] = await select(
    tx,
    headColumns,
    'from arbiter.objective_counts where tenant_id = $1 order by number desc limit 1',
    [tx.tenantId],
  );
  return head === undefined ? null : { number: Number(head.number), checkedAt: head.checkedAt };
}

/** The state of a number: the last whole one at or below it, and what changed since. 0: nothing was counted. */
export async function readState(tx: Tx, number: number): Promise<CountsState> {
  const rows = await select(
    tx,
    rowColumns,
    `from arbiter.objective_counts where tenant_id = $1 and number <= $2 and number >= coalesce((
       select max(number) from arbiter.objective_counts where tenant_id = $1 and number <= $2 and is_whole), 1)
     order by number`,
    [tx.tenantId, number],
  );
  let offers: ReadonlyMap<string, CountsRow> = noRows;
  for (const row of rows) offers = withChanges(row.isWhole ? noRows : offers, row.body);
  if (number > 0 && Number(rows.at(-1)?.number) !== number)
    throw new AppError('record_corrupt', { detail: `State ${number} of the objective figures is missing.` });
  return { number, offers };
}

/**
 * Stores the state behind `head`, whole from time to time. False when another process stored one in the meantime: then
 * that one is kept.
 */
export async function appendState(
  tx: Tx,
  number: number,
  changes: CountsBody,
  offers: ReadonlyMap<string, CountsRow>,
): Promise<boolean> {
  const isWhole = number % wholeEvery === 1;
  const rows = await tx.query(
    `insert into objective_counts (tenant_id, number, is_whole, body, made_at, checked_at)
     values ($1, $2, $3, $4, $5, $5) on conflict do nothing returning number`,
    [tx.tenantId, number, isWhole, JSON.stringify(isWhole ? Object.fromEntries(offers) : changes), tx.now],
  );
  return rows.length > 0;
}

/** Says that the state is still what history says. */
export async function confirmState(tx: Tx, number: number): Promise<void> {
  await tx.query(
    'update objective_counts set checked_at = greatest(checked_at, $3) where tenant_id = $1 and number = $2',
    [tx.tenantId, number, tx.now],
  );
}

/** Leaves one state of the tenant, empty and with the next number: numbers that processes hold are never given again. */
export async function beginCountsAnew(tx: Tx): Promise<void> {
  const head = await newestHead(tx);
  if (head === null) return;
  await tx.query('delete from objective_counts where tenant_id = $1', [tx.tenantId]);
  await tx.query(
    `insert into objective_counts (tenant_id, number, is_whole, body, made_at, checked_at) values ($1, $2, true, '{}', $3, $3)`,
    [tx.tenantId, head.number + 1, tx.now],
  );
}
