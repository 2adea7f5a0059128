import Type from 'typebox';
import { handleInstallationJob, installationJob, type JobHandler } from '../../../jobs/index.ts';
import { type ExpiryPorts, expireApprovals } from './expire.service.ts';

/** Lets requests that waited too long expire (docs/design/api-access.md 14). */
const expireApprovalsJob = installationJob({
  name: 'approvals.expire',
  payload: Type.Object({}, { additionalProperties: false }),
  schedule: { cron: '*/15 * * * *', payload: {} },
});

/** How this feature's jobs are done. */
export const approvalJobs = (ports: ExpiryPorts): JobHandler[] => [
  handleInstallationJob(expireApprovalsJob, async () => {
    const now = await ports.database.withSystem('approvals-expire', async (tx) => tx.now);
    const { failed } = await expireApprovals(ports, now);
    const [first] = failed;
    if (first !== undefined) throw new Error(`approvals of ${failed.length} tenants could not be processed`);
  }),
];
