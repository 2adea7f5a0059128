import Type from 'typebox';
import { handleJob, type JobHandler, job } from '../../../jobs/index.ts';
import { type JudgePorts, judgeDue } from './judge.service.ts';

/** Judges experiments that promote on their own, on the first day after their time (docs/design/api-decisioning.md 16). */
const judgeJob = job({
  name: 'experiments.judge',
  payload: Type.Object({}, { additionalProperties: false }),
  schedule: { cron: '20 5 * * *', payload: {} },
});

/** Returns this feature's jobs with their handlers. */
export const experimentResultJobs = (ports: JudgePorts): readonly JobHandler[] => [
  handleJob(judgeJob, (_payload, { tenantId }) => judgeDue(ports, tenantId)),
];
