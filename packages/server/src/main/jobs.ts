import { jobsOf } from '../feature.ts';
import { createJobRegistry, type JobRegistry, machineryJobs } from '../jobs/index.ts';
import { features } from './features.ts';
import type { JobPorts } from './ports.ts';

/** Every job of the product with what does it: the machinery's own and those of the features. */
export function jobRegistry(ports: JobPorts): JobRegistry {
  return createJobRegistry([...machineryJobs(ports.database), ...jobsOf(features, ports)]);
}
