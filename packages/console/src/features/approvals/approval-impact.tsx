import type { Approval } from '@arbiter/contract/operations/approvals';
import { approvalTexts as t } from '../../messages/approvals.ts';
import { later } from '../../ui/later.tsx';
import { loadPublishImpact } from '../flows/index.ts';
import { loadPolicyImpact } from '../policies/index.ts';

const PublishImpact = later(loadPublishImpact);
const PolicyImpact = later(loadPolicyImpact);

export interface ApprovalImpactProps {
  readonly request: Approval;
  /** The record as it is now; undefined while it loads, and for new records. */
  readonly record: Readonly<Record<string, unknown>> | undefined;
}

/** Shows what a request would change for customers, if that can be computed. */
export function ApprovalImpact({ request, record }: ApprovalImpactProps) {
  const { action, entityType, entityId, payload } = request;
  if (request.status !== 'pending' || action === 'delete') return null;
  if (entityType === 'decisionFlow' && payload?.publish === true) return <PublishImpact flowId={entityId} />;
  if (entityType === 'contactPolicy' && payload !== null && (action === 'create' || record !== undefined)) {
    return <PolicyImpact record={record} payload={payload} />;
  }
  return <p className="text-dense text-soft">{t.noImpact}</p>;
}
