import { type Database, systemActor, type Tx } from '../../../db/index.ts';
import type { Logger } from '../../../platform/logger.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import type { EnqueueMail } from '../../identity/mail/index.ts';
import { selectTenantIds } from '../../identity/tenants/index.ts';
import { tellRequester } from './approval-mails.ts';
import { tellResolved } from './approvals.events.ts';
import { showApproval } from './approvals.rules.ts';
import { deleteSecrets, expirePending, selectStages } from './approvals.store.ts';

/** What letting requests expire takes. */
export interface ExpiryPorts {
  readonly database: Database;
  readonly enqueueMail: EnqueueMail;
  /** Hours after which a request that waits expires (APPROVAL_MAX_AGE_HOURS). */
  readonly approvalMaxAgeHours: number;
  readonly logger: Logger;
}

/** What one call did, over all tenants. */
export interface ExpiredApprovals {
  readonly cutoff: Date;
  readonly expired: number;
  /** Tenants whose requests couldn't be checked; the others were. */
  readonly failed: readonly { readonly tenantId: string; readonly error: string }[];
}

const hourMs = 3_600_000;

/**
 * Expires requests of all tenants that waited too long. A second call finds none. A simultaneous decision comes before
 * or after: a request is never both decided and expired. A failing tenant doesn't affect the others.
 */
export async function expireApprovals(ports: ExpiryPorts, now: Date): Promise<ExpiredApprovals> {
  const { database, approvalMaxAgeHours, logger } = ports;
  const cutoff = new Date(now.getTime() - approvalMaxAgeHours * hourMs);
  const failed: { tenantId: string; error: string }[] = [];
  let expired = 0;
  for (const tenantId of await database.withSystem('approvals-expire', selectTenantIds)) {
    try {
      expired += await database.withTenant(tenantId, systemActor('approvals-expire'), (tx) =>
        expireInTenant(tx, ports, cutoff),
      );
    } catch (err) {
      logger.warn({ err, tenantId }, 'approvals of a tenant could not be processed');
      failed.push({ tenantId, error: 'failed' });
    }
  }
  return { cutoff, expired, failed };
}

/** The same for the transaction's tenant; answers with how many expired. */
async function expireInTenant(
  tx: Tx,
  { enqueueMail }: Pick<ExpiryPorts, 'enqueueMail'>,
  cutoff: Date,
): Promise<number> {
  const rows = await expirePending(tx, cutoff);
  if (rows.length === 0) return 0;
  const ids = rows.map(({ id }) => id);
  await tellResolved(tx, rows);
  await deleteSecrets(tx, ids);
  const stages = Map.groupBy(await selectStages(tx, ids), ({ approvalId }) => approvalId);
  for (const row of rows) {
    const own = stages.get(row.id) ?? [];
    await recordAudit(tx, {
      action: 'update',
      entityType: 'approval',
      entityId: row.id,
      entityName: row.entityName,
      before: showApproval({ ...row, status: 'pending', resolvedAt: null }, own, 'one'),
      after: showApproval(row, own, 'one'),
    });
    await tellRequester(tx, enqueueMail, row, null);
  }
  return rows.length;
}
