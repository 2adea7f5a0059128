import type { Approval, ApprovalCreate, ApprovalDetail, ApprovalStatus } from '@arbiter/contract';
import { isApprovable } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import type { RequestFacts } from '../../../http/handler.ts';
import { AppError } from '../../../platform/app-error.ts';
import type { Envelope, SealPlace } from '../../../platform/crypto/crypto.ts';
import { newId } from '../../../platform/ids.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import { personBehind } from '../../identity/credentials/index.ts';
import { readTarget } from './apply.service.ts';
import { tellDeciders } from './approval-mails.ts';
import { announceRequested } from './approvals.events.ts';
import type { ApprovalPorts } from './approvals.ports.ts';
import { showApproval, withExpiry } from './approvals.rules.ts';
import {
  type ApprovalRow,
  countPending,
  insertApproval,
  insertSecret,
  insertStage,
  type Payload,
  type StageRow,
  selectApproval,
  selectApprovals,
  selectSecret,
  selectStages,
} from './approvals.store.ts';
import { differences } from './diff.rules.ts';
import { hidePayload } from './hidden-payload.rules.ts';
import { payloadRemarks } from './payload-remarks.ts';

/** Maximum waiting requests of one tenant, because each can email everyone who decides. */
const maxPending = 1_000;

/** Without stages an admin decides. */
const defaultStages = [{ stageName: 'Approval', requiredRole: 'admin' }] as const;

export const noApproval = () => new AppError('not_found', { detail: 'This approval request does not exist.' });

/** Where the whole payload of a request is sealed. */
const payloadPlace = (tenantId: string, recordId: string): SealPlace => ({
  tenantId,
  recordId,
  field: 'payload',
});

/**
 * Files a request. Checks only its shape: whether the record exists and may be changed is checked when it's applied
 * (docs/design/api-access.md 8). Throws 409 `limit_reached`, and 503 `not_configured` for secrets that can't be sealed.
 */
export async function fileApproval(
  tx: Tx,
  facts: RequestFacts,
  ports: ApprovalPorts,
  body: ApprovalCreate,
): Promise<Approval> {
  if ((await countPending(tx)) >= maxPending) {
    throw new AppError('limit_reached', {
      detail: `There are already ${maxPending} pending requests. Decide some of them first.`,
    });
  }
  const { payload: sent, stages = defaultStages, ...asked } = body;
  tx.remarks.push(...payloadRemarks(asked, sent));
  const payload = await pinned(tx, facts, ports, body);
  const { shown, paths } = payload === undefined ? { shown: null, paths: [] } : hidePayload(payload);
  const row: ApprovalRow = {
    ...asked,
    id: newId(),
    status: 'pending',
    requesterId: await personBehind(tx),
    requesterName: tx.actor.name,
    payload: shown,
    payloadBytes: payload === undefined ? 0 : Buffer.byteLength(JSON.stringify(payload)),
    hiddenPaths: paths,
    approverId: null,
    approverName: null,
    comments: null,
    appliedEntityId: null,
    createdAt: tx.now,
    resolvedAt: null,
  };
  const asStages = stages.map(
    (stage, at): StageRow => ({
      ...stage,
      approvalId: row.id,
      id: newId(),
      ordinal: at + 1,
      status: 'pending',
      decidedBy: null,
      decidedByName: null,
      comments: null,
      decidedAt: null,
    }),
  );
  await insertApproval(tx, row);
  for (const stage of asStages) await insertStage(tx, stage);
  if (payload !== undefined && paths.length > 0) await keepSecret(tx, ports.envelope, row.id, payload);
  const approval = showApproval(row, asStages, 'one');
  await recordAudit(tx, {
    action: 'create',
    entityType: 'approval',
    entityId: row.id,
    entityName: row.entityName,
    after: approval,
  });
  await announceRequested(tx, row, asStages);
  await tellDeciders(tx, ports.enqueueMail, row, asStages);
  return withExpiry(approval, ports.approvalMaxAgeHours);
}

/**
 * The payload, with the version of the flow that is to be published as it is: what is approved later is this draft, or nothing
 * (docs/adr/0054).
 */
async function pinned(
  tx: Tx,
  facts: RequestFacts,
  ports: ApprovalPorts,
  { entityType, entityId, action, payload }: ApprovalCreate,
): Promise<ApprovalCreate['payload']> {
  if (entityType !== 'decisionFlow' || action !== 'update' || payload?.publish !== true) return payload;
  if (['draftConfig', 'rowVersion', 'version'].some((name) => payload[name] !== undefined)) return payload;
  const flow = await readTarget(tx, facts, ports, { entityType, entityId });
  return flow === null ? payload : { ...payload, rowVersion: flow.rowVersion };
}

async function keepSecret(tx: Tx, envelope: Envelope | null, id: string, payload: Payload): Promise<void> {
  if (envelope === null) {
    throw new AppError('not_configured', { detail: "Secrets can't be stored: DATA_ENCRYPTION_KEY is not set." });
  }
  await insertSecret(tx, id, envelope.seal(payloadPlace(tx.tenantId, id), JSON.stringify(payload)));
}

/** The payload with its secrets, as it was sent. */
export async function openPayload(tx: Tx, envelope: Envelope | null, row: ApprovalRow): Promise<Payload> {
  if (row.hiddenPaths.length === 0) return row.payload ?? {};
  const sealed = await selectSecret(tx, row.id);
  if (sealed === undefined) throw new Error('a pending request keeps its secrets');
  if (envelope === null) {
    throw new AppError('not_configured', { detail: "The payload can't be decrypted: DATA_ENCRYPTION_KEY is not set." });
  }
  const payload: Payload = JSON.parse(envelope.open(payloadPlace(tx.tenantId, row.id), sealed).toString('utf8'));
  return payload;
}

/** The newest requests of one state, or of all. */
export async function listApprovals(
  tx: Tx,
  { approvalMaxAgeHours }: Pick<ApprovalPorts, 'approvalMaxAgeHours'>,
  status: ApprovalStatus | 'all',
  limit: number,
): Promise<Approval[]> {
  const rows = await selectApprovals(tx, status === 'all' ? null : status, limit);
  const stages = await selectStages(
    tx,
    rows.map(({ id }) => id),
  );
  const byApproval = Map.groupBy(stages, ({ approvalId }) => approvalId);
  return rows.map((row) => withExpiry(showApproval(row, byApproval.get(row.id) ?? [], 'list'), approvalMaxAgeHours));
}

/** Returns one request with its difference to the current record. Throws 404. */
export async function readApproval(
  tx: Tx,
  facts: RequestFacts,
  ports: ApprovalPorts,
  id: string,
): Promise<ApprovalDetail> {
  const row = await selectApproval(tx, id);
  if (row === undefined) throw noApproval();
  const { entityType, entityId, action } = row;
  const target =
    action === 'create' || !isApprovable(entityType)
      ? null
      : await readTarget(tx, facts, ports, { entityType, entityId });
  return {
    ...withExpiry(showApproval(row, await selectStages(tx, [row.id]), 'one'), ports.approvalMaxAgeHours),
    diff: target === null || !isApprovable(entityType) ? [] : differences(entityType, row, target),
    targetFound: target !== null,
  };
}
