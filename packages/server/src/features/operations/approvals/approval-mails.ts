import type { Tx } from '../../../db/tx.ts';
import type { EnqueueMail } from '../../identity/mail/index.ts';
import { readSettings } from '../../identity/settings/index.ts';
import { getTenant } from '../../identity/tenants/index.ts';
import { selectRecipients } from '../../identity/users/index.ts';
import { deciders, openStage } from './approvals.rules.ts';
import type { ApprovalRow, StageRow } from './approvals.store.ts';

/** Maximum people notified of one stage. */
const maxReported = 50;

const wordsOf = ({ action, entityType, entityName }: ApprovalRow) => ({ action, entityType, entityName });

/**
 * Emails everyone who may decide the open stage (docs/design/api-settled.md, Operations). Without email nobody is
 * notified.
 */
export async function tellDeciders(
  tx: Tx,
  enqueueMail: EnqueueMail,
  row: ApprovalRow,
  stages: readonly StageRow[],
): Promise<void> {
  const open = openStage(row.status, stages);
  if (open === undefined || !enqueueMail.isConfigured) return;
  const { fourEyesEnabled } = await readSettings(tx);
  const acted = [row.requesterId, ...stages.flatMap(({ decidedBy }) => (decidedBy === null ? [] : [decidedBy]))];
  const recipients = await selectRecipients(
    tx,
    { roles: deciders(open), except: fourEyesEnabled ? acted : [] },
    maxReported,
  );
  if (recipients.length === 0) return;
  const { name: tenantName } = await getTenant(tx);
  for (const { email } of recipients) {
    await enqueueMail(tx, {
      kind: 'approval_requested',
      to: email,
      tenantName,
      approvalId: row.id,
      requestedBy: row.requesterName,
      stageName: open.stageName,
      change: wordsOf(row),
    });
  }
}

/** Emails the requester the result, unless they decided it themselves. */
export async function tellRequester(
  tx: Tx,
  enqueueMail: EnqueueMail,
  row: ApprovalRow,
  decidedBy: string | null,
): Promise<void> {
  const { status } = row;
  if (status === 'pending' || row.requesterId === decidedBy || !enqueueMail.isConfigured) return;
  const [requester] = await selectRecipients(tx, { ids: [row.requesterId] }, 1);
  if (requester === undefined) return;
  const { name: tenantName } = await getTenant(tx);
  await enqueueMail(tx, {
    kind: 'approval_resolved',
    to: requester.email,
    tenantName,
    approvalId: row.id,
    outcome: status,
    by: status === 'expired' ? null : row.approverName,
    comments: status === 'expired' ? null : row.comments,
    change: wordsOf(row),
  });
}
