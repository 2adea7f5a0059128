import type { Database } from '../../../db/index.ts';
import { feature } from '../../../feature.ts';
import { assignmentJobs, retainers } from './assignments.jobs.ts';
import { eraseAssignments } from './assignments.store.ts';

export {
  type Assignment,
  deleteEnded,
  isCurrent,
  readAssignments,
  type StoredAssignment,
  saveAssignments,
  storedAssignment,
} from './assignments.store.ts';
export {
  type Exposure,
  exposedCustomers,
  noteExposures,
  type ReportedExposure,
  saveExposures,
} from './exposures.store.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['experiment_assignments', 'experiment_exposures'];

export const assignmentsFeature = feature({
  name: 'assignments',
  tables,
  resets: { empties: tables },
  erases: [
    {
      tables,
      scopes: ['interactions', 'all', 'everything'],
      erase: async (tx, { customerId }) => ({ experimentAssignments: await eraseAssignments(tx, customerId) }),
    },
  ],
  retains: retainers,
  jobs: ({ database }: { readonly database: Database }) => assignmentJobs(database),
});
