import { jobsOf } from '../feature.ts';
import { createJobRegistry, type JobRegistry, machineryJobs } from '../jobs/index.ts';
import { features } from './features.ts';
import { type JobPorts, jobFeaturePorts } from './ports.ts';

/** Returns every job of the product with its handler: the machinery's own and those of the features. */
export function jobRegistry(processPorts: Omit<JobPorts, keyof typeof jobFeaturePorts>): JobRegistry {
  const ports: JobPorts = { ...processPorts, ...jobFeaturePorts };
  return createJobRegistry([...machineryJobs(ports.database), ...jobsOf(features, ports)]);
}
