import { columns, type RowOf, select, table } from '../../../db/columns.ts';
import type { Tx } from '../../../db/tx.ts';

const factors = table('second_factors');
const factorColumns = columns(factors, ['userId', 'sealed', 'lastStep', 'enabledAt']);

/** A person's second factor; without `enabledAt` it was begun and not proven yet. `lastStep`: of the last code that was used. */
export type Factor = RowOf<typeof factorColumns>;

/** `userId` is a UUID. */
export async function selectFactor(tx: Tx, userId: string): Promise<Factor | undefined> {
  const [row] = await select(tx, factorColumns, 'from arbiter.second_factors where tenant_id = $1 and user_id = $2', [
    tx.tenantId,
    userId,
  ]);
  return row;
}

/** The same, locked until the transaction ends. */
export async function lockFactor(tx: Tx, userId: string): Promise<Factor | undefined> {
  const [row] = await select(
    tx,
    factorColumns,
    'from arbiter.second_factors where tenant_id = $1 and user_id = $2 for update',
    [tx.tenantId, userId],
  );
  return row;
}

/** Starts a factor, or starts it over. Returns false for an active one, which stays as it is. */
export async function beginFactor(tx: Tx, userId: string, sealed: Buffer): Promise<boolean> {
  const rows = await tx.query(
    `insert into arbiter.second_factors (tenant_id, user_id, sealed, last_step, created_at) values ($1, $2, $3, 0, $4)
     on conflict (tenant_id, user_id) do update set sealed = excluded.sealed, last_step = 0, created_at = excluded.created_at
       where second_factors.enabled_at is null returning user_id`,
    [tx.tenantId, userId, sealed, tx.now],
  );
  return rows.length > 0;
}

/** Switches it on, with the hashes of its backup codes. */
export async function enableFactor(tx: Tx, userId: string, codeHashes: readonly Buffer[]): Promise<void> {
  await tx.query('update arbiter.second_factors set enabled_at = $3 where tenant_id = $1 and user_id = $2', [
    tx.tenantId,
    userId,
    tx.now,
  ]);
  await tx.query(
    'insert into arbiter.backup_codes (tenant_id, user_id, code_hash) select $1, $2, h from unnest($3::bytea[]) as h',
    [tx.tenantId, userId, codeHashes],
  );
}

/** Notes which code was used: no code of this or an earlier step is accepted again. */
export async function updateLastStep(tx: Tx, userId: string, step: number): Promise<void> {
  await tx.query('update arbiter.second_factors set last_step = $3 where tenant_id = $1 and user_id = $2', [
    tx.tenantId,
    userId,
    step,
  ]);
}

/** Uses a backup code. Returns false if there is no unused one with this hash. */
export async function takeBackupCode(tx: Tx, userId: string, codeHash: Buffer): Promise<boolean> {
  const rows = await tx.query(
    'delete from arbiter.backup_codes where tenant_id = $1 and user_id = $2 and code_hash = $3 returning user_id',
    [tx.tenantId, userId, codeHash],
  );
  return rows.length > 0;
}

/** Takes the factor away, with its backup codes. */
export async function deleteFactor(tx: Tx, userId: string): Promise<void> {
  await tx.query('delete from arbiter.backup_codes where tenant_id = $1 and user_id = $2', [tx.tenantId, userId]);
  await tx.query('delete from arbiter.second_factors where tenant_id = $1 and user_id = $2', [tx.tenantId, userId]);
}
