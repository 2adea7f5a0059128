import { AppError } from '../../../../platform/app-error.ts';

/**
 * A job that doesn't get its turn within this part of its time gets none, because the rest wouldn't be enough. Of a
 * request's four seconds that's two, as for a caller of the pool (docs/design/quality.md T27).
 */
const turnWithin = 0.5;

export interface PatientJob {
  /** Monotonic ms at which the request came in. */
  readonly startedAt: number;
  /** Monotonic ms at which it was queued again; absent: it was not. */
  readonly queuedAt?: number;
  /** Monotonic ms by which the request must be answered (platform/deadline.ts). */
  readonly until: number;
  readonly reject: (error: unknown) => void;
}

export const isLate = ({ startedAt, queuedAt = startedAt, until }: PatientJob, now: number): boolean =>
  now - queuedAt > turnWithin * (until - startedAt) || now >= until;

/** Returns a 503 for a job that didn't get its turn in time. */
export const tooLate = (): AppError => new AppError('overloaded', { retryAfterSeconds: 1 });

export function refuse(late: readonly PatientJob[]): void {
  for (const job of late) job.reject(tooLate());
}

/** Jobs by whether their turn came in time. */
export interface Timely<Job> {
  readonly jobs: readonly Job[];
  /** To be rejected with `tooLate`. */
  readonly late: readonly Job[];
  /** Milliseconds until the first of `jobs` must be answered. */
  readonly patienceMs: number;
}

/** Tells the jobs that have waited for their turn too long from the others, and how long those can still wait. */
export function byTime<Job extends PatientJob>(asked: readonly Job[]): Timely<Job> {
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
  return { jobs, late, patienceMs: until - now };
}
