import { jobsOf } from '../feature.ts';
import { mailQueue } from '../features/identity/mail/index.ts';
import { templateNarrativeWriter } from '../features/operations/report-rendering/index.ts';
import { createJobRegistry, type JobRegistry, machineryJobs } from '../jobs/index.ts';
import { features } from './features.ts';
import { type JobPorts, jobFeaturePorts } from './ports.ts';

/** Returns every job of the product with its handler: the machinery's own and those of the features. */
export function jobRegistry(
  given: Omit<
    JobPorts,
    | keyof typeof jobFeaturePorts
    | 'enqueueMail'
    | 'envelope'
    | 'logger'
    | 'narrativeWriter'
    | 'openBreakers'
    | 'publicUrl'
  >,
): JobRegistry {
  const { database, mail, notifier } = given;
  const ports: JobPorts = {
    ...given,
    ...jobFeaturePorts,
    enqueueMail: mailQueue(mail.envelope),
    envelope: mail.envelope,
    logger: mail.logger,
    narrativeWriter: templateNarrativeWriter,
    openBreakers: (tenantId) => notifier.openBreakers(tenantId),
    publicUrl: mail.publicUrl,
  };
  return createJobRegistry([...machineryJobs(database), ...jobsOf(features, ports)]);
}
