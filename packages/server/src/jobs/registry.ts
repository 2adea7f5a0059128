import type { Static, TSchema } from 'typebox';
import type { Job } from './job.ts';
import { Postponed } from './postponed.ts';

/** What a handler gets besides the payload. */
export interface JobRun {
  readonly jobId: string;
  /** 1 for the first try. */
  readonly attempt: number;
  /** The scheduled instant of this run; null for a job that wasn't scheduled. */
  readonly dueAt: Date | null;
  /** Aborts when the process stops: end soon, the job will be tried again. */
  readonly signal: AbortSignal;
}

export interface TenantJobRun extends JobRun {
  /** Open transactions with it, so that row-level security holds. */
  readonly tenantId: string;
}

/** A job with what does it. What `run` throws is tried again later, so it must be repeatable. */
export interface JobHandler {
  readonly job: Job;
  readonly run: (payload: unknown, facts: JobRun, tenantId: string | null) => Promise<void>;
  /** Ends what waits for a job that became a dead letter. Safe to repeat. */
  readonly giveUp?: (payload: unknown, tenantId: string) => Promise<void>;
}

/**
 * Defines how work of one tenant is done. `giveUp`: ends what someone waits for (a run, a training) after the last attempt
 * threw or its process died. The dead letter says why.
 */
export function handleJob<P extends TSchema>(
  job: Job<P, 'tenant'>,
  run: (payload: Static<P>, facts: TenantJobRun) => Promise<void>,
  giveUp?: (payload: Static<P>, tenantId: string) => Promise<void>,
): JobHandler {
  return {
    job,
    async run(payload, facts, tenantId) {
      if (tenantId === null) throw new Error(`${job.name} must run for one tenant`);
      const own = job.check(payload);
      try {
        await run(own, { ...facts, tenantId });
      } catch (error) {
        const isLast = facts.attempt >= job.attempts && !facts.signal.aborted && !(error instanceof Postponed);
        if (isLast) await giveUp?.(own, tenantId);
        throw error;
      }
    },
    ...(giveUp === undefined ? {} : { giveUp: async (payload, tenantId) => giveUp(job.check(payload), tenantId) }),
  };
}

/** Says how work across tenants is done. */
export function handleInstallationJob<P extends TSchema>(
  job: Job<P, 'installation'>,
  run: (payload: Static<P>, facts: JobRun) => Promise<void>,
): JobHandler {
  return { job, run: (payload, facts) => run(job.check(payload), facts) };
}

/** All jobs of a process, by name. */
export type JobRegistry = ReadonlyMap<string, JobHandler>;

/** Throws when two jobs have one name. */
export function createJobRegistry(handlers: readonly JobHandler[]): JobRegistry {
  const registry = new Map<string, JobHandler>();
  for (const handler of handlers) {
    const { name } = handler.job;
    if (registry.has(name)) throw new Error(`two jobs are named ${name}`);
    registry.set(name, handler);
  }
  return registry;
}
