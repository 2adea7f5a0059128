import type { AuditAction, AuditLog, Pagination } from '@arbiter/contract';
import type { Actor, Tx } from '../../../db/tx.ts';
import { pageOf } from '../../../http/answers/cursor-page.ts';
import { AppError } from '../../../platform/app-error.ts';
import { isUuid, newId } from '../../../platform/ids.ts';
import { chainRows, type UnchainedRow } from './audit.chain.ts';
import { describeChange } from './audit.rules.ts';
import {
  type AuditFilter,
  appendRows,
  countMatching,
  lockHead,
  selectAfter,
  selectById,
  selectNewest,
} from './audit.store.ts';

/** Describes one change. `before` and `after` are the record as the API shows it; secrets are masked here. */
export interface AuditEntry {
  readonly action: AuditAction;
  /** camelCase resource name: `offer`, `apiKey`. */
  readonly entityType: string;
  readonly entityId: string;
  readonly entityName: string | null;
  /** Version of the record after the change, when it has one. */
  readonly entityVersion?: number | null;
  readonly before?: object | null;
  readonly after?: object | null;
  /**
   * Dotted paths of new secrets. They aren't part of the record, which shows masks before and after, so a comparison
   * alone would miss them.
   */
  readonly secretsGiven?: readonly string[];
  /** The actor, if it isn't the transaction's. */
  readonly actor?: Actor;
}

const pendingRows = new WeakMap<Tx, UnchainedRow[]>();

/** Rows that are linked and written together: to link thousands of them in one go would hold the event loop. */
const rowsAtOnce = 250;

/**
 * Notes one change in the tenant's audit log, in the change's own transaction (docs/design/api-access.md 7).
 * The rows of a transaction are linked and written right before its commit, because that locks the tenant's
 * chain: so writers wait for each other briefly and never in a circle.
 */
export async function recordAudit(tx: Tx, entry: AuditEntry): Promise<void> {
  if (tx.tenantId === '') throw new Error('an audit row belongs to a tenant');
  const { actor = tx.actor } = entry;
  const row: UnchainedRow = {
    id: newId(),
    tenantId: tx.tenantId,
    timestamp: tx.now.toISOString(),
    userId: actor.id,
    userName: actor.name,
    requestId: tx.requestId,
    action: entry.action,
    entityType: entry.entityType,
    entityId: entry.entityId,
    entityName: entry.entityName,
    entityVersion: entry.entityVersion ?? null,
    ...describeChange(entry.before ?? null, entry.after ?? null, entry.secretsGiven),
  };
  const pending = pendingRows.get(tx);
  if (pending !== undefined) {
    pending.push(row);
    return;
  }
  const rows = [row];
  pendingRows.set(tx, rows);
  tx.beforeCommit(async () => {
    pendingRows.delete(tx);
    let head = await lockHead(tx);
    for (let at = 0; at < rows.length; at += rowsAtOnce) {
      const linked = chainRows(head, rows.slice(at, at + rowsAtOnce));
      await appendRows(tx, linked.rows, linked.head);
      head = linked.head;
    }
    tx.written('audit_rows', rows.length);
  });
}

/** Returns how many rows the transaction has recorded so far, for `forgetAuditSince`. */
export const markAudit = (tx: Tx): number => pendingRows.get(tx)?.length ?? 0;

/** Discards rows recorded since the mark, after their changes were rolled back to a savepoint. */
export function forgetAuditSince(tx: Tx, mark: number): void {
  pendingRows.get(tx)?.splice(mark);
}

/**
 * Returns the actions after this entity's newest row, oldest first, at most `limit`: person, action, entity and
 * instant. Empty if the entity has no row.
 */
export async function auditedSince(
  tx: Tx,
  entityType: string,
  entityId: string,
  limit: number,
): Promise<
  Pick<AuditLog, 'userId' | 'userName' | 'action' | 'entityType' | 'entityId' | 'entityName' | 'timestamp'>[]
> {
  return selectAfter(tx, entityType, entityId, limit);
}

const notFound = () => new AppError('not_found', { detail: 'This audit row does not exist.' });

/** Returns one row. Throws 404 for malformed, unknown and foreign ids. */
export async function getAuditLog(tx: Tx, id: string): Promise<AuditLog> {
  const row = isUuid(id) ? await selectById(tx, id) : undefined;
  if (row === undefined) throw notFound();
  return row;
}

/** Returns a page of audit rows, newest first. `cursor` is the id of the previous page's last row. */
export async function listAuditLogs(
  tx: Tx,
  filter: AuditFilter,
  page: { readonly limit: number; readonly cursor: string | null },
): Promise<{ data: AuditLog[]; pagination: Pagination }> {
  const after = page.cursor === null ? null : isUuid(page.cursor) ? await selectById(tx, page.cursor) : undefined;
  if (after === undefined) throw new AppError('invalid_cursor', { detail: "The cursor doesn't belong to this list." });
  const found = await selectNewest(tx, filter, after?.sequence ?? null, page.limit + 1);
  const total = await countMatching(tx, filter);
  const { rows, pagination } = pageOf({ rows: found, limit: page.limit, total, cursorOf: (row) => row.id });
  return { data: rows, pagination };
}
