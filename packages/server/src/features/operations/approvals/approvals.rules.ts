import type { Approval, ApprovalStage, Role } from '@arbiter/contract';
import { roles } from '@arbiter/contract';
import type { ApprovalRow, StageRow } from './approvals.store.ts';

/** True when the role decides a stage: the stage's own, and never a viewer. */
export const decidesStage = (role: Role, { requiredRole }: Pick<StageRow, 'requiredRole'>): boolean =>
  role !== 'viewer' && roles.indexOf(role) >= roles.indexOf(requiredRole);

/** Roles that decide a stage. */
export const deciders = (stage: Pick<StageRow, 'requiredRole'>): Role[] =>
  roles.filter((role) => decidesStage(role, stage));

/** The stage that awaits a decision; undefined for a request that does not wait. */
export function openStage(status: ApprovalRow['status'], stages: readonly StageRow[]): StageRow | undefined {
  return status === 'pending' ? stages.find((stage) => stage.status === 'pending') : undefined;
}

const showStage = ({ approvalId: _approval, decidedAt, ...stage }: StageRow): ApprovalStage => ({
  ...stage,
  decidedAt: decidedAt?.toISOString() ?? null,
});

/** Payloads up to this many bytes are in lists; two hundred of them make an answer of reasonable size. */
const longestListed = 32 * 1024;

/** A request as in the audit log. Responses also say when it expires. */
type StoredApproval = Omit<Approval, 'expiresAt'>;

const hourMs = 3_600_000;

/** Adds the expiry to a request. `maxAgeHours` is the operator's setting. */
export const withExpiry = (approval: StoredApproval, maxAgeHours: number): Approval => ({
  ...approval,
  expiresAt:
    approval.status === 'pending'
      ? new Date(Date.parse(approval.createdAt) + maxAgeHours * hourMs).toISOString()
      : null,
});

/** Returns a request without its expiry. */
export function showApproval(row: ApprovalRow, stages: readonly StageRow[], view: 'one' | 'list'): StoredApproval {
  const { hiddenPaths: _hidden, createdAt, resolvedAt, payload, ...shown } = row;
  return {
    ...shown,
    payload: payload === null || (view === 'list' && row.payloadBytes > longestListed) ? null : { ...payload },
    currentStage: openStage(row.status, stages)?.ordinal ?? null,
    createdAt: createdAt.toISOString(),
    resolvedAt: resolvedAt?.toISOString() ?? null,
    stages: stages.map(showStage),
  };
}
