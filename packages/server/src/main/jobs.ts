import type { Database } from '../db/index.ts';
import { decisionJobs } from '../features/decisions/index.ts';
import { interactionJobs } from '../features/interactions/index.ts';
import { sealedRecordJobs } from '../features/sealed-records/index.ts';
import { streamJobs } from '../features/stream/index.ts';
import { createJobRegistry, type JobRegistry, machineryJobs } from '../jobs/index.ts';

/** Every job of the product with what does it; each feature with jobs is plugged in here. */
export function jobRegistry(database: Database): JobRegistry {
  return createJobRegistry([
    ...machineryJobs(database),
    ...decisionJobs(database),
    ...interactionJobs(database),
    ...sealedRecordJobs(database),
    ...streamJobs(database),
  ]);
}
