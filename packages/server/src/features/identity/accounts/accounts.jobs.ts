import Type from 'typebox';
import { handleInstallationJob, installationJob, type JobHandler } from '../../../jobs/index.ts';
import { answerRequestJob } from './account-requests.job.ts';
import { type AnswerPorts, answerRequest } from './account-requests.service.ts';
import { deleteOldRequests } from './account-requests.store.ts';
import { deleteOldClaims } from './registration.store.ts';

export type AccountJobPorts = AnswerPorts;

/** Deletes coordination data of parallel registrations, and requests whose job gave up. */
const sweepClaimsJob = installationJob({
  name: 'accounts.sweep-claims',
  payload: Type.Object({}, { additionalProperties: false }),
  schedule: { cron: '20 4 * * *', payload: {}, upkeep: true },
});

const keptMs = 24 * 3_600_000;

/** Returns this feature's jobs with their handlers. */
export function accountJobs(ports: AccountJobPorts): readonly JobHandler[] {
  const { database } = ports;
  return [
    handleInstallationJob(answerRequestJob, ({ place, requestId }) => answerRequest(ports, place, requestId)),
    handleInstallationJob(sweepClaimsJob, () =>
      database.withSystem('accounts.sweep-claims', async (tx) => {
        const before = new Date(tx.now.getTime() - keptMs);
        await deleteOldClaims(tx, before);
        await deleteOldRequests(tx, before);
      }),
    ),
  ];
}
