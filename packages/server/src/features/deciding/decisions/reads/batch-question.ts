import type { PreparedJob } from '../recommend/decide-job.ts';

/** A question as far as it is read for. */
export type BatchQuestion = Pick<PreparedJob, 'flow' | 'request'> & {
  /** Absent for questions without a caller. */
  readonly job?: { readonly call: { readonly debug: boolean } };
};
