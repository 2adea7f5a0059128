import type { Actor, Database } from '../../../db/index.ts';
import type { Tx } from '../../../db/tx.ts';
import type { Resets } from '../../../feature.ts';
import { forgetJobs } from '../../../jobs/index.ts';
import { AppError } from '../../../platform/app-error.ts';
import { recordAudit } from '../audit/index.ts';
import { deletionOrder } from './reset.rules.ts';
import { emptyHistory, emptyTable, selectReferences } from './reset.store.ts';
import { lockTenant } from './tenants.store.ts';

/** Deleting all of a tenant takes longer than a request usually may, in ms. */
const statementMs = 60_000;

export interface ResetPorts {
  readonly database: Database;
  /** What all features, and the rooms below them, say of their tables. */
  readonly resets: readonly Resets[];
}

/**
 * Deletes everything that a playground holds but the account, its credentials, settings and audit log, and sets the counter of
 * decisions to 0; answers with the version of the catalogue that is empty. Nothing else of the tenant runs in the meantime, on any
 * node: work in progress is finished and deleted, later work finds nothing (docs/design/quality.md T31,
 * docs/adr/0044). Throws 403 `not_playground`, 503 `unavailable` when work of the tenant does not end within
 * seconds.
 */
export async function resetTenant(
  { database, resets }: ResetPorts,
  caller: { readonly tenantId: string; readonly actor: Actor; readonly requestId: string },
): Promise<number> {
  let version = 0;
  await database.withTenant(caller.tenantId, caller.actor, (tx) => empty(tx, resets), {
    alone: true,
    requestId: caller.requestId,
    statementTimeoutMs: statementMs,
    onCatalogueVersion: (told) => {
      version = told;
    },
  });
  return version;
}

async function empty(tx: Tx, resets: readonly Resets[]): Promise<void> {
  const tenant = await lockTenant(tx);
  if (tenant === undefined) throw new AppError('not_found', { detail: 'This tenant does not exist.' });
  if (!tenant.isPlayground) throw new AppError('not_playground', { detail: 'Only playgrounds can be reset.' });
  await forgetJobs(
    tx,
    resets.flatMap(({ keepsJobs = [] }) => keepsJobs),
  );
  for (const { begin } of resets) await begin?.(tx);
  const histories = new Set(resets.flatMap(({ emptiesHistory = [] }) => emptiesHistory));
  const tables = [...resets.flatMap(({ empties = [] }) => empties), ...histories];
  for (const table of deletionOrder(tables, await selectReferences(tx, tables))) {
    if (histories.has(table)) await emptyHistory(tx, table);
    else await emptyTable(tx, table);
  }
  // Deleting records writes their history, which an `end` deletes.
  for (const { clear } of resets) await clear?.(tx);
  for (const { end } of resets) await end?.(tx);
  await recordAudit(tx, {
    action: 'reset',
    entityType: 'tenant',
    entityId: tenant.id,
    entityName: tenant.name,
  });
  tx.touchCatalogue();
}
