import type { ApprovalAction, ApprovalStage, ApprovalStatus, Role } from '@arbiter/contract';
import { columns, type RowOf, select, table } from '../../../db/columns.ts';
import type { Tx } from '../../../db/tx.ts';
import { isUuid } from '../../../platform/ids.ts';

/** A JSON object as it was sent. */
export type Payload = Readonly<Record<string, unknown>>;

const approvals = table<'approvals', { action: ApprovalAction; status: ApprovalStatus; payload: Payload | null }>(
  'approvals',
);
const stages = table<'approval_stages', { requiredRole: Role; status: ApprovalStage['status'] }>('approval_stages');

const approvalNames = [
  'id',
  'entityType',
  'entityId',
  'entityName',
  'action',
  'status',
  'requesterId',
  'requesterName',
  'payload',
  'payloadBytes',
  'hiddenPaths',
  'approverId',
  'approverName',
  'comments',
  'appliedEntityId',
  'createdAt',
  'resolvedAt',
] as const;

const approvalColumns = columns(approvals, approvalNames);
/** The same where the statement calls the table `a`. */
const returned = columns(approvals, approvalNames, 'a');

const stageColumns = columns(stages, [
  'approvalId',
  'id',
  'ordinal',
  'stageName',
  'requiredRole',
  'status',
  'decidedBy',
  'decidedByName',
  'comments',
  'decidedAt',
]);

export type ApprovalRow = RowOf<typeof approvalColumns>;
export type StageRow = RowOf<typeof stageColumns>;

/** The newest requests, of one state or of all. */
export async function selectApprovals(tx: Tx, status: ApprovalStatus | null, most: number): Promise<ApprovalRow[]> {
  return select(
    tx,
    approvalColumns,
    'from arbiter.approvals where tenant_id = $1 and ($2::text is null or status = $2) order by id desc limit $3',
    [tx.tenantId, status, most],
  );
}

/** Undefined for an ID that isn't a request of the tenant. */
export async function selectApproval(tx: Tx, id: string): Promise<ApprovalRow | undefined> {
  if (!isUuid(id)) return undefined;
  const [row] = await select(tx, approvalColumns, 'from arbiter.approvals where tenant_id = $1 and id = $2', [
    tx.tenantId,
    id,
  ]);
  return row;
}

/** The same, locked until the transaction ends. */
export async function lockApproval(tx: Tx, id: string): Promise<ApprovalRow | undefined> {
  const [row] = await select(
    tx,
    approvalColumns,
    'from arbiter.approvals where tenant_id = $1 and id = $2 for update',
    [tx.tenantId, id],
  );
  return row;
}

/** Stages of these requests, in order. */
export async function selectStages(tx: Tx, approvalIds: readonly string[]): Promise<StageRow[]> {
  if (approvalIds.length === 0) return [];
  return select(
    tx,
    stageColumns,
    'from arbiter.approval_stages where tenant_id = $1 and approval_id = any($2) order by approval_id, ordinal',
    [tx.tenantId, approvalIds],
  );
}

/** How many requests of the tenant wait for a decision. */
export async function countPending(tx: Tx): Promise<number> {
  const [row] = await tx.query<{ pending: number }>(
    `select count(*)::int as pending from arbiter.approvals where tenant_id = $1 and status = 'pending'`,
    [tx.tenantId],
  );
  return row?.pending ?? 0;
}

export async function insertApproval(tx: Tx, row: ApprovalRow): Promise<void> {
  await tx.query(
    `insert into arbiter.approvals (tenant_id, id, entity_type, entity_id, entity_name, action, status, requester_id,
       requester_name, payload, payload_bytes, hidden_paths, created_at)
     values ($1, $2, $3, $4, $5, $6, 'pending', $7, $8, $9::jsonb, $10, $11, $12)`,
    [
      tx.tenantId,
      row.id,
      row.entityType,
      row.entityId,
      row.entityName,
      row.action,
      row.requesterId,
      row.requesterName,
      row.payload === null ? null : JSON.stringify(row.payload),
      row.payloadBytes,
      row.hiddenPaths,
      row.createdAt,
    ],
  );
}

export async function insertStage(tx: Tx, row: StageRow): Promise<void> {
  await tx.query(
    `insert into arbiter.approval_stages (tenant_id, approval_id, ordinal, id, stage_name, required_role, status)
     values ($1, $2, $3, $4, $5, $6, 'pending')`,
    [tx.tenantId, row.approvalId, row.ordinal, row.id, row.stageName, row.requiredRole],
  );
}

/** Notes the decision about a stage. */
export async function updateStage(tx: Tx, row: StageRow): Promise<void> {
  await tx.query(
    `update arbiter.approval_stages set status = $4, decided_by = $5, decided_by_name = $6, comments = $7, decided_at = $8
      where tenant_id = $1 and approval_id = $2 and ordinal = $3`,
    [
      tx.tenantId,
      row.approvalId,
      row.ordinal,
      row.status,
      row.decidedBy,
      row.decidedByName,
      row.comments,
      row.decidedAt,
    ],
  );
}

/** Notes what a decision makes of a request. */
export async function updateApproval(tx: Tx, row: ApprovalRow): Promise<void> {
  await tx.query(
    `update arbiter.approvals set status = $3, approver_id = $4, approver_name = $5, comments = $6, resolved_at = $7,
       applied_entity_id = $8
      where tenant_id = $1 and id = $2`,
    [
      tx.tenantId,
      row.id,
      row.status,
      row.approverId,
      row.approverName,
      row.comments,
      row.resolvedAt,
      row.appliedEntityId,
    ],
  );
}

/**
 * Lets what waits since before the cutoff expire, all of the tenant in one statement; answers with the requests. One that is
 * being decided is waited for, and is no longer open then.
 */
export async function expirePending(tx: Tx, cutoff: Date): Promise<ApprovalRow[]> {
  return tx.query<ApprovalRow>(
    `with due as (
       select id from arbiter.approvals
        where tenant_id = $1 and status = 'pending' and created_at < $2 order by id for update)
     update arbiter.approvals a set status = 'expired', resolved_at = $3 from due
      where a.tenant_id = $1 and a.id = due.id and a.status = 'pending' returning ${returned.sql}`,
    [tx.tenantId, cutoff, tx.now],
  );
}

export async function insertSecret(tx: Tx, approvalId: string, sealed: Buffer): Promise<void> {
  await tx.query('insert into arbiter.approval_secrets (tenant_id, approval_id, sealed) values ($1, $2, $3)', [
    tx.tenantId,
    approvalId,
    sealed,
  ]);
}

/** The payload of a request that holds secrets, sealed. */
export async function selectSecret(tx: Tx, approvalId: string): Promise<Buffer | undefined> {
  const [row] = await tx.query<{ sealed: Buffer }>(
    'select sealed from arbiter.approval_secrets where tenant_id = $1 and approval_id = $2',
    [tx.tenantId, approvalId],
  );
  return row?.sealed;
}

export async function deleteSecrets(tx: Tx, approvalIds: readonly string[]): Promise<void> {
  await tx.query('delete from arbiter.approval_secrets where tenant_id = $1 and approval_id = any($2)', [
    tx.tenantId,
    approvalIds,
  ]);
}
