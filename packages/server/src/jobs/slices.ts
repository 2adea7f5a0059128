import { type Database, systemActor, type Tx } from '../db/index.ts';
import type { Job } from './job.ts';
import { handleInstallationJob, handleJob, type JobHandler } from './registry.ts';

/** Does a part of the work in the transaction that it is given; true when there may be more. */
export type Slice = (tx: Tx) => Promise<boolean>;

/** What a slice has deleted. */
export interface Removed {
  readonly rows: number;
  /** True when there may be more. */
  readonly more: boolean;
}

/** Runs a tenant's work in short transactions: repeats each step until nothing is left. */
export function handleInSlices(job: Job, database: Database, ...steps: readonly Slice[]): JobHandler {
  const of = job.name.replaceAll('.', '-');
  const work = async (tenantId: string | null, signal: AbortSignal): Promise<void> => {
    for (const step of steps) {
      let more = true;
      while (more && !signal.aborted) {
        more =
          tenantId === null
            ? await database.withSystem(of, step)
            : await database.withTenant(tenantId, systemActor(of), step);
      }
      if (more) throw new Error(`the process stopped before ${job.name} finished`);
    }
  };
  return isTenantJob(job)
    ? handleJob(job, (_payload, { tenantId, signal }) => work(tenantId, signal))
    : handleInstallationJob({ ...job, scope: 'installation' }, (_payload, { signal }) => work(null, signal));
}

const isTenantJob = (job: Job): job is Job & { readonly scope: 'tenant' } => job.scope === 'tenant';
