import type { DecideJob } from './decide-job.ts';

/** A job's result in one attempt: its answer, or its failure. */
export type JobOutcome = AnsweredJob | Failed;

export interface AnsweredJob {
  readonly job: DecideJob;
  /** JSON text. */
  readonly answer: string;
  /** The playground's remaining quota; null for other tenants. */
  readonly quotaLeft: number | null;
}

export interface Failed {
  readonly job: DecideJob;
  readonly answer: null;
  readonly error: unknown;
}

export const failed = (job: DecideJob, error: unknown): Failed => ({ job, answer: null, error });
