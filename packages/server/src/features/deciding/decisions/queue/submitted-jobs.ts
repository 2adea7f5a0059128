import { overdue, unconfirmed } from '../../../../platform/deadline.ts';
import type { PatientJob } from './patience.ts';

/** Jobs whose callers are waiting for the outcome. */
export interface SubmittedJobs {
  /**
   * Submits a job and returns its outcome, at the job's deadline at the latest. A batch shares waits with others (for a
   * catalogue that is being read, for evidence), and those don't end with the deadline of one job. `stores`: whether the
   * job may have stored something by then.
   */
  outcomeOf<T>(
    stores: boolean,
    submit: (resolve: (value: T) => void, reject: (error: unknown) => void) => PatientJob,
  ): Promise<T>;
  /** Rejects the jobs whose deadline has passed. */
  rejectOverdue(now: number): void;
}

export function createSubmittedJobs(): SubmittedJobs {
  /** Whether the job stores anything. */
  const submitted = new Map<PatientJob, boolean>();
  return {
    async outcomeOf<T>(
      stores: boolean,
      submit: (resolve: (value: T) => void, reject: (error: unknown) => void) => PatientJob,
    ): Promise<T> {
      const outcome = Promise.withResolvers<T>();
      const job = submit(outcome.resolve, outcome.reject);
      submitted.set(job, stores);
      try {
        return await outcome.promise;
      } finally {
        submitted.delete(job);
      }
    },
    rejectOverdue(now) {
      for (const [job, stores] of submitted) if (now >= job.until) job.reject(stores ? unconfirmed() : overdue());
    },
  };
}
