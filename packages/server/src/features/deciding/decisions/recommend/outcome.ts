import type { DecideJob } from './decide-job.ts';

/** What came of a job in one attempt: its answer, or what it failed with. */
export type Outcome = Answered | Failed;

export interface Answered {
  readonly job: DecideJob;
  /** JSON text. */
  readonly answer: string;
  /** What a playground may still be given; null for other tenants. */
  readonly quotaLeft: number | null;
}

export interface Failed {
  readonly job: DecideJob;
  readonly answer: null;
  readonly error: unknown;
}

export const failed = (job: DecideJob, error: unknown): Failed => ({ job, answer: null, error });
