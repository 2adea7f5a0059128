import type { ApprovalDecision, ApprovalResult } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import type { RequestFacts } from '../../../http/handler.ts';
import { AppError } from '../../../platform/app-error.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import { isSamePerson, personBehind } from '../../identity/credentials/index.ts';
import { readSettings } from '../../identity/settings/index.ts';
import { applyChange } from './apply.service.ts';
import { tellDeciders, tellRequester } from './approval-mails.ts';
import { announceRequested, tellResolved } from './approvals.events.ts';
import type { ApprovalPorts } from './approvals.ports.ts';
import { decidesStage, openStage, showApproval } from './approvals.rules.ts';
import { noApproval, openPayload } from './approvals.service.ts';
import {
  type ApprovalRow,
  deleteSecrets,
  lockApproval,
  type StageRow,
  selectApproval,
  selectStages,
  updateApproval,
  updateStage,
} from './approvals.store.ts';

/** What the decider sees once no one else can decide: the request, its stages, and the open one among them. */
interface LockedApproval {
  readonly row: ApprovalRow;
  readonly stages: readonly StageRow[];
  readonly open: StageRow;
}

/**
 * Decides the open stage. Reads the stage before locking the request, and it must still be open then: of several
 * deciders one succeeds (docs/design/quality.md E2). When the last stage approves, this transaction makes the change;
 * if that fails, the decision is undone too (E1). Throws 404; 403 for a role below the stage's, and
 * `self_approval_forbidden`; 409 `already_resolved` or `concurrent_modification`; what the direct write throws.
 */
export async function decide(
  tx: Tx,
  facts: RequestFacts,
  ports: ApprovalPorts,
  id: string,
  { action, comments = null, stage: meant }: ApprovalDecision,
): Promise<ApprovalResult> {
  const { row, stages, open } = await hold(tx, id, meant);
  if (!decidesStage(facts.role, open)) {
    throw new AppError('forbidden', { detail: `The stage ${open.stageName} requires the ${open.requiredRole} role.` });
  }
  const person = await personBehind(tx);
  await assertFourEyes(tx, row, stages);
  const status = action === 'approve' ? 'approved' : 'rejected';
  const decision = { decidedBy: person, decidedByName: tx.actor.name, comments, decidedAt: tx.now };
  const decidedStages = stages.map((stage): StageRow => (stage === open ? { ...stage, ...decision, status } : stage));
  const isLast = status === 'rejected' || open === stages.at(-1);
  const applies = isLast && status === 'approved';
  const after: ApprovalRow = {
    ...row,
    status: isLast ? status : 'pending',
    approverId: person,
    approverName: tx.actor.name,
    comments,
    resolvedAt: isLast ? tx.now : null,
    appliedEntityId: applies
      ? await applyChange(tx, facts, ports, { ...row, payload: await openPayload(tx, ports.envelope, row) })
      : null,
  };
  await updateStage(tx, { ...open, ...decision, status });
  await updateApproval(tx, after);
  if (isLast) await deleteSecrets(tx, [row.id]);
  await noteDecision(tx, action, { row, stages, after, decidedStages });
  if (isLast) await tellResolved(tx, [after]);
  else await announceRequested(tx, after, decidedStages);
  if (isLast) await tellRequester(tx, ports.enqueueMail, after, person);
  else await tellDeciders(tx, ports.enqueueMail, after, decidedStages);
  return resultOf(after, decidedStages);
}

/** Where the tenant requires four eyes, whoever filed the request or decided an earlier stage can't decide. */
async function assertFourEyes(tx: Tx, row: ApprovalRow, stages: readonly StageRow[]): Promise<void> {
  if (!(await readSettings(tx)).fourEyesEnabled) return;
  const acted = [
    { person: row.requesterId, at: row.createdAt },
    ...stages.flatMap(({ decidedBy, decidedAt }) =>
      decidedBy === null || decidedAt === null ? [] : [{ person: decidedBy, at: decidedAt }],
    ),
  ];
  for (const { person, at } of acted) {
    if (!(await isSamePerson(tx, person, at))) continue;
    throw new AppError('self_approval_forbidden', {
      detail: 'Another user must decide (four-eyes). People who have owned the same API key or client count as one.',
    });
  }
}

async function hold(tx: Tx, id: string, meant: number | undefined): Promise<LockedApproval> {
  const seen = await selectApproval(tx, id);
  if (seen === undefined) throw noApproval();
  const noted = openStage(seen.status, await selectStages(tx, [seen.id]))?.ordinal;
  const row = await lockApproval(tx, seen.id);
  if (row === undefined) throw noApproval();
  const stages = await selectStages(tx, [row.id]);
  const open = openStage(row.status, stages);
  if (open === undefined) {
    throw new AppError('already_resolved', { detail: `The request is already ${row.status}.` });
  }
  if (open.ordinal !== noted || (meant !== undefined && meant !== open.ordinal)) {
    throw new AppError('concurrent_modification', {
      detail: `Someone else decided first: stage ${open.ordinal}, ${open.stageName}, is open now.`,
    });
  }
  return { row, stages, open };
}

interface Decided {
  readonly row: ApprovalRow;
  readonly stages: readonly StageRow[];
  readonly after: ApprovalRow;
  readonly decidedStages: readonly StageRow[];
}

async function noteDecision(
  tx: Tx,
  action: ApprovalDecision['action'],
  { row, stages, after, decidedStages }: Decided,
): Promise<void> {
  const about = { entityType: 'approval', entityId: row.id, entityName: row.entityName };
  await recordAudit(tx, {
    ...about,
    action,
    before: showApproval(row, stages, 'one'),
    after: showApproval({ ...after, appliedEntityId: null }, decidedStages, 'one'),
  });
  if (after.appliedEntityId === null) return;
  const { entityType, appliedEntityId } = after;
  await recordAudit(tx, {
    ...about,
    action: 'apply',
    after: { entityType, entityId: appliedEntityId, action: row.action },
  });
}

function resultOf(row: ApprovalRow, stages: readonly StageRow[]): ApprovalResult {
  const { id, status, currentStage, appliedEntityId, approverId, approverName, comments, resolvedAt } = showApproval(
    row,
    stages,
    'list',
  );
  return { id, status, currentStage, appliedEntityId, approverId, approverName, comments, resolvedAt };
}
