import { type createQueuePool, queueSchema, type Tx } from '../db/index.ts';

export interface EnqueueOptions {
  /** Unique per tenant: a job that still waits under this key is replaced. */
  readonly key?: string;
  /** Not before this instant. */
  readonly runAt?: Date;
  /** Jobs of one queue run one after the other. */
  readonly queue?: string;
  /** Tries before the job counts as dead. Default 6 (api-access.md 15). */
  readonly maxAttempts?: number;
}

/**
 * Puts a job into the queue; it starts only when the transaction commits. The tenant is the transaction's and reaches
 * the handler as `tenantId`. The payload holds ids, never customer data (architecture.md 5).
 */
export async function enqueueJob(
  tx: Tx,
  task: string,
  payload: Readonly<Record<string, unknown>>,
  options: EnqueueOptions = {},
): Promise<void> {
  await tx.query(
    `select graphile_worker.arbiter_enqueue(task => $1, payload => $2::jsonb, job_key => $3, run_at => $4,
                                            queue_name => $5, max_attempts => $6)`,
    [
      task,
      JSON.stringify(payload),
      options.key ?? null,
      options.runAt ?? null,
      options.queue ?? null,
      options.maxAttempts ?? 6,
    ],
  );
}

/** How many jobs of each task wait or run, over all tenants. Needs a system transaction. */
export async function countJobs(tx: Tx): Promise<readonly { readonly task: string; readonly jobs: number }[]> {
  return tx.query('select task, jobs from graphile_worker.arbiter_queue_depth()');
}

/** Gives back to the queue what a worker had taken and can no longer finish. */
export async function unlockJobs(pool: ReturnType<typeof createQueuePool>, workerId: string): Promise<void> {
  await pool.query(`select ${queueSchema}.force_unlock_workers($1)`, [[workerId]]);
}
