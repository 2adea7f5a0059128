import Type from 'typebox';
import type { Database, Tx } from '../../../db/index.ts';
import type { Retainer } from '../../../feature.ts';
import { handleInSlices, type JobHandler, job } from '../../../jobs/index.ts';
import { removeByAge } from '../../operations/retention/index.ts';
import { deleteEnded } from './assignments.store.ts';
import { expireExposures } from './exposures.store.ts';

/** Deletes assignments that have ended, and exposures with the history that they belong to. */
const expireAssignmentsJob = job({
  name: 'assignments.expire',
  payload: Type.Object({}, { additionalProperties: false }),
  schedule: { cron: '35 4 * * *', payload: {}, upkeep: true },
});

/** What this feature deletes by age. */
export const retainers = [
  {
    dataClass: 'interactions',
    counted: 'metrics',
    remove: (tx: Tx) => removeByAge(tx, 'interactions', (days) => expireExposures(tx, days)),
  },
] as const satisfies readonly Retainer[];
const [exposures] = retainers;

/** Returns this feature's jobs with their handlers. */
export const assignmentJobs = (database: Database): readonly JobHandler[] => [
  handleInSlices(
    expireAssignmentsJob,
    database,
    async (tx) => (await deleteEnded(tx)).more,
    async (tx) => (await exposures.remove(tx)).more,
  ),
];
