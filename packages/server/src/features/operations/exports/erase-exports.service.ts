import { type Database, systemActor, type Tx } from '../../../db/index.ts';
import type { ErasedCustomer } from '../../../feature.ts';
import type { PrivateFolder } from '../../../platform/private-folder.ts';
import { takeTurns } from '../../../platform/turns.ts';
import type { KeyedHash } from '../../deciding/customer-states/index.ts';
import { enqueueErasing } from './erase-customers-job.ts';
import { folderOf } from './exports.rules.ts';
import { deleteErasure, insertErasure, selectErasures, waitForCheckpoint } from './exports.store.ts';

export interface EraseExportsPorts {
  readonly database: Database;
  readonly exportFolder: PrivateFolder;
  readonly customerHash: KeyedHash;
}

/**
 * Queues a job that removes a customer from existing export files, since files can't change in a transaction. Waits for
 * a running export, which may have read the customer's rows, so that its file exists when the job runs.
 */
export async function eraseLater(tx: Tx, { hash }: ErasedCustomer): Promise<'exports'[]> {
  if (!(await waitForCheckpoint(tx))) return [];
  await insertErasure(tx, hash());
  await enqueueErasing(tx);
  return ['exports'];
}

/**
 * Rewrites files without the lines of erased customers recorded before their erasure, and deletes files that become
 * empty. Repeatable: erasures are forgotten once all files were checked.
 */
export async function eraseFromExports(
  { database, exportFolder, customerHash }: EraseExportsPorts,
  tenantId: string,
  signal: AbortSignal,
): Promise<void> {
  const actor = systemActor('customer-erase');
  const erasures = await database.withTenant(tenantId, actor, selectErasures);
  if (erasures.length === 0) return;
  const byHash = new Map(erasures.map(({ hash, erasedAt }) => [hash, erasedAt]));
  const known = new Map<string, Date | null>();
  const erasedAt = (customerId: string): Date | null => {
    let at = known.get(customerId);
    if (at === undefined) {
      const hashes = customerHash.all(tenantId, customerId).map((hash) => hash.toString('hex'));
      at = hashes.map((hash) => byHash.get(hash)).find((found) => found !== undefined) ?? null;
      known.set(customerId, at);
    }
    return at;
  };
  for (const path of await exportFolder.list(folderOf(tenantId), '.json')) {
    if (signal.aborted) throw new Error('the process stopped before all files were processed');
    const text = await exportFolder.read(path);
    if (text === null) continue;
    const lines = text.split('\n').filter((line) => line !== '');
    const remainingLines: string[] = [];
    const turns = takeTurns();
    for (const line of lines) {
      const row: { readonly customerId: string; readonly createdAt: string } = JSON.parse(line);
      const at = erasedAt(row.customerId);
      if (at === null || new Date(row.createdAt) > at) remainingLines.push(`${line}\n`);
      const pause = turns();
      if (pause !== undefined) await pause;
    }
    if (remainingLines.length === 0) await exportFolder.remove(path);
    else if (remainingLines.length < lines.length) await exportFolder.write(path, remainingLines.join(''));
    // Memory is bounded by the customers of one file.
    known.clear();
  }
  await database.withTenant(tenantId, actor, async (tx) => {
    for (const { hash, erasedAt: at } of erasures) await deleteErasure(tx, hash, at);
  });
}
