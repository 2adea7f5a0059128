import type { Prepared } from '../recommend/decide-job.ts';

/** A question as far as it is read for. */
export type BatchQuestion = Pick<Prepared, 'flow' | 'request'> & {
  /** Absent for questions without a caller. */
  readonly job?: { readonly call: { readonly debug: boolean } };
};
