import { isApprovable } from '@arbiter/contract';
import type { Tx } from '../../db/tx.ts';
import { AppError } from '../../platform/app-error.ts';
import { readSettings } from '../settings/index.ts';
import type { GovernedRow, RecordSpec } from './record-spec.ts';

/** Transactions in which an approval is applied. */
const approved = new WeakSet<Tx>();

/** From here on the transaction may make records live: all stages of an approval said so. */
export function allowGoingLive(tx: Tx): void {
  approved.add(tx);
}

const isLive = (row: GovernedRow | null): boolean => row !== null && Reflect.get(row, 'status') === 'active';

/** `requireGoingLive` for a write after which a record is live that was not live before. */
export async function checkGoingLive<Row extends GovernedRow>(
  tx: Tx,
  { resource: { entityType, noun } }: RecordSpec<Row>,
  { before, after }: { readonly before: Row | null; readonly after: Row },
): Promise<void> {
  if (isApprovable(entityType) && isLive(after) && !isLive(before)) await requireGoingLive(tx, noun);
}

/**
 * Where the tenant wants approvals (`approvalWorkflowEnabled`), editors do not make governed records live by themselves: 403
 * `approval_required`. Admins may, and so may an approval (docs/design/api-access.md 6).
 */
export async function requireGoingLive(tx: Tx, noun: string): Promise<void> {
  if (tx.actor.role === 'admin' || approved.has(tx)) return;
  if (!(await readSettings(tx)).approvalWorkflowEnabled) return;
  throw new AppError('approval_required', {
    detail: `An editor makes a ${noun} live by an approval: file one at POST /api/v1/approvals.`,
  });
}
