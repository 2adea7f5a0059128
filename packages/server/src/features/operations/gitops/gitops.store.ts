import type { PolicyFile } from '@arbiter/contract';
import { columns, type RowOf, select, table } from '../../../db/columns.ts';
import type { Tx } from '../../../db/tx.ts';

const appliedColumns = columns(table<'applied_files', { files: readonly PolicyFile[] }>('applied_files'), [
  'applyId',
  'appliedAt',
  'userId',
  'userName',
  'configVersion',
  'hash',
  'files',
]);

/** The last apply of a tenant. */
export type AppliedFiles = RowOf<typeof appliedColumns>;

/** Null: no files were applied yet. */
export async function selectApplied(tx: Tx): Promise<AppliedFiles | null> {
  const [row] = await select(tx, appliedColumns, 'from arbiter.applied_files where tenant_id = $1', [tx.tenantId]);
  return row ?? null;
}

/** Replaces what was applied before. */
export async function upsertApplied(tx: Tx, row: AppliedFiles): Promise<void> {
  await tx.query(
    `insert into arbiter.applied_files (tenant_id, apply_id, applied_at, user_id, user_name, config_version, hash, files)
     values ($1, $2, $3, $4, $5, $6, $7, $8::jsonb)
     on conflict (tenant_id) do update set apply_id = excluded.apply_id, applied_at = excluded.applied_at,
       user_id = excluded.user_id, user_name = excluded.user_name, config_version = excluded.config_version,
       hash = excluded.hash, files = excluded.files`,
    [
      tx.tenantId,
      row.applyId,
      row.appliedAt,
      row.userId,
      row.userName,
      row.configVersion,
      row.hash,
      JSON.stringify(row.files),
    ],
  );
}

/** Serializes the applies of a tenant. */
export async function lockApplies(tx: Tx): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('arbiter.gitops:' || $1, 0))`, [tx.tenantId]);
}

/** Returns the transaction's current lock timeout, in the database's format. */
export async function readLockWait(tx: Tx): Promise<string> {
  const [row] = await tx.query<{ wait: string }>(`select current_setting('lock_timeout') as wait`);
  return row?.wait ?? '0';
}

/** Lets the rest of the transaction wait so long for a lock. */
export async function setLockWait(tx: Tx, wait: string): Promise<void> {
  await tx.query(`select set_config('lock_timeout', $1, true)`, [wait]);
}

/** A point of the transaction to which `backToSavepoint` returns. */
export async function setSavepoint(tx: Tx): Promise<void> {
  await tx.query('savepoint policy_object');
}

export async function backToSavepoint(tx: Tx): Promise<void> {
  await tx.query('rollback to savepoint policy_object');
}

export async function releaseSavepoint(tx: Tx): Promise<void> {
  await tx.query('release savepoint policy_object');
}
