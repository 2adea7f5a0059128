import { AppError } from '../../platform/app-error.ts';

/** A job that did not get its turn in this time gets none: like a caller of the pool (quality.md T27). */
const turnWithinMs = 2_000;

export interface PatientJob {
  /** Monotonic ms at which the request came in. */
  readonly startedAt: number;
  /** Monotonic ms by which the request must be answered (platform/deadline.ts). */
  readonly until: number;
  readonly reject: (error: unknown) => void;
}

export const isLate = (job: PatientJob, now: number): boolean => now - job.startedAt > turnWithinMs || now >= job.until;

export function refuse(late: readonly PatientJob[]): void {
  for (const job of late) job.reject(new AppError('overloaded', { retryAfterSeconds: 1 }));
}

/** Jobs by whether their turn came in time. */
export interface Timely<Job> {
  readonly jobs: readonly Job[];
  /** Rejected with 503. */
  readonly late: readonly Job[];
  /** Milliseconds until the first of `jobs` must be answered. */
  readonly patienceMs: number;
}

/** Rejects the jobs that have waited for their turn too long, and says how long the others can still wait. */
export function inTime<Job extends PatientJob>(asked: readonly Job[]): Timely<Job> {
  const now = performance.now();
  const jobs: Job[] = [];
  const late: Job[] = [];
  let until = Infinity;
  for (const job of asked) {
    if (isLate(job, now)) {
      late.push(job);
      continue;
    }
    until = Math.min(until, job.until);
    jobs.push(job);
  }
  refuse(late);
  return { jobs, late, patienceMs: until - now };
}
