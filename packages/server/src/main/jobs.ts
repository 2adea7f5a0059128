import { jobsOf } from '../feature.ts';
import { createJobRegistry, type JobRegistry, machineryJobs } from '../jobs/index.ts';
import { features } from './features.ts';
import { type JobPorts, jobFeaturePorts } from './ports.ts';

/** Every job of the product with what does it: the machinery's own and those of the features. */
export function jobRegistry({ database, trials }: Pick<JobPorts, 'database' | 'trials'>): JobRegistry {
  const ports: JobPorts = { database, trials, ...jobFeaturePorts };
  return createJobRegistry([...machineryJobs(database), ...jobsOf(features, ports)]);
}
