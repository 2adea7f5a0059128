import { approvalOperations } from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { approvalRequested, approvalResolved } from './approvals.events.ts';
import { approvalJobs } from './approvals.jobs.ts';
import type { ApprovalPorts } from './approvals.ports.ts';
import { approvalRoutes } from './approvals.routes.ts';
import type { ExpiryPorts } from './expire.service.ts';

export { countPending } from './approvals.store.ts';
export { type ExpiryPorts, expireApprovals } from './expire.service.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['approvals', 'approval_stages', 'approval_secrets'];

export const approvalsFeature = feature({
  name: 'approvals',
  tables,
  events: [approvalRequested, approvalResolved],
  resets: { empties: tables },
  operations: (ports: ApprovalPorts) => handlerEntries(approvalOperations, approvalRoutes(ports)),
  jobs: (ports: ExpiryPorts) => approvalJobs(ports),
});
