import type { Static, TSchema } from 'typebox';
import { type createQueuePool, queueSchema, type Tx } from '../db/index.ts';
import type { Job } from './job.ts';
import { selectHolders, workerLease } from './leases.store.ts';

export interface EnqueueOptions {
  /** Unique per tenant: a job that still waits under this key is replaced. */
  readonly key?: string;
  /** Earliest time to run. */
  readonly runAt?: Date;
  /**
   * Jobs with a smaller number run first, whenever they were added. Default 0, at most 32,767. For work that one tenant
   * may enqueue in bulk: with a number that grows with its backlog, others don't wait for all of it.
   */
  readonly turn?: number;
  /** Tries before it becomes a dead letter. Default: the job's. */
  readonly attempts?: number;
}

/**
 * Puts a job into the queue; it starts only when the transaction commits. The tenant is the transaction's and reaches
 * the handler as `tenantId`. Throws, and writes nothing, when the payload does not fit the job's schema or the
 * transaction has no tenant for work of one (or has one, for work across tenants).
 */
export async function enqueueJob<P extends TSchema>(
  tx: Tx,
  job: Job<P>,
  payload: Static<P>,
  options: EnqueueOptions = {},
): Promise<void> {
  if ((tx.tenantId !== '') !== (job.scope === 'tenant')) {
    throw new Error(`${job.name} must run for ${job.scope === 'tenant' ? 'one tenant' : 'no tenant'}`);
  }
  await tx.query(
    `select graphile_worker.arbiter_enqueue(task => $1, payload => $2::jsonb, job_key => $3, run_at => $4,
                                            max_attempts => $5, turn => $6)`,
    [
      job.name,
      JSON.stringify(job.check(payload)),
      options.key ?? null,
      options.runAt ?? null,
      options.attempts ?? job.attempts,
      options.turn ?? 0,
    ],
  );
}

/**
 * Puts one job for each payload into the queue, in one statement; otherwise like `enqueueJob`.
 * @param keyOf returns the `key` of a payload's job
 */
export async function enqueueJobs<P extends TSchema>(
  tx: Tx,
  job: Job<P, 'tenant'>,
  payloads: readonly Static<P>[],
  { runAt, turn, keyOf }: Pick<EnqueueOptions, 'runAt' | 'turn'> & { keyOf?: (payload: Static<P>) => string } = {},
): Promise<void> {
  if (tx.tenantId === '') throw new Error(`${job.name} must run for one tenant`);
  if (payloads.length === 0) return;
  await tx.query(
    `select graphile_worker.arbiter_enqueue(task => $1, payload => p.payload::jsonb, job_key => p.key, run_at => $3,
                                            max_attempts => $4, turn => $5)
       from unnest($2::text[], $6::text[]) as p (payload, key)`,
    [
      ...[
        job.name,
        payloads.map((payload) => JSON.stringify(job.check(payload))),
        runAt ?? null,
        job.attempts,
        turn ?? 0,
      ],
      payloads.map((payload) => keyOf?.(payload) ?? null),
    ],
  );
}

/** Takes the tenant's job that waits under this key out of the queue. One at work continues. */
export async function dropJob(tx: Tx, key: string): Promise<void> {
  await tx.query('select graphile_worker.arbiter_drop($1)', [key]);
}

/** A scheduled run to enqueue. */
export interface DueRun {
  readonly job: Job;
  /** Holds the payload and `dueAt`. */
  readonly payload: string;
  readonly key: string;
  /** True: a job that still waits under the key serves this run too. False: the key is enqueued once only. */
  readonly keepWaiting: boolean;
}

/** Puts a run into the queue for each of these tenants (null: none), in a system transaction. */
export async function enqueueRuns(tx: Tx, run: DueRun, tenantIds: readonly (string | null)[]): Promise<void> {
  await tx.query(
    `select graphile_worker.arbiter_enqueue_for(t.id, $2, $3::jsonb, $4, $5, $6) from unnest($1::uuid[]) as t(id)`,
    [tenantIds, run.job.name, run.payload, run.key, run.job.attempts, run.keepWaiting],
  );
}

/** Returns how many jobs of each task wait or run, over all tenants. Needs a system transaction. */
export async function countJobs(tx: Tx): Promise<readonly { readonly task: string; readonly jobs: number }[]> {
  return tx.query('select task, jobs from graphile_worker.arbiter_queue_depth()');
}

/** Returns how many jobs of the transaction's tenant wait or run. */
export async function countOwnJobs(tx: Tx): Promise<number> {
  const [row] = await tx.query<{ jobs: number }>('select graphile_worker.arbiter_waiting()::float8 as jobs');
  return row?.jobs ?? 0;
}

/** Returns to the queue the jobs that a worker had taken and can no longer finish. */
export async function unlockJobs(pool: ReturnType<typeof createQueuePool>, workerId: string): Promise<void> {
  await pool.query(`select ${queueSchema}.force_unlock_workers($1)`, [[workerId]]);
}

/** Returns to the queue the jobs that workers outside `living` took more than `takenBeforeSeconds` ago. */
export async function handBackJobs(tx: Tx, living: readonly string[], takenBeforeSeconds: number): Promise<void> {
  await tx.query('select graphile_worker.arbiter_hand_back($1, make_interval(secs => $2))', [
    living,
    takenBeforeSeconds,
  ]);
}

/** Tenants (null: none) with jobs that used up their attempts, in a system transaction. */
export async function tenantsWithDeadJobs(tx: Tx): Promise<(string | null)[]> {
  const rows = await tx.query<{ tenantId: string | null }>(
    'select t as "tenantId" from graphile_worker.arbiter_dead_tenants() as t',
  );
  return rows.map(({ tenantId }) => tenantId);
}

/** How long a job may wait before we raise the alarm that nothing takes it. */
const consumerWithinSeconds = 120;

/**
 * Returns the tenants (null for none) with jobs that could have started two minutes ago while no process takes jobs.
 * Empty when one does. Needs a system transaction.
 */
export async function tenantsWithoutConsumer(tx: Tx): Promise<(string | null)[]> {
  if ((await selectHolders(tx, workerLease)).length > 0) return [];
  const rows = await tx.query<{ tenantId: string | null }>(
    'select t as "tenantId" from graphile_worker.arbiter_waiting_tenants(make_interval(secs => $1)) as t order by t',
    [consumerWithinSeconds],
  );
  return rows.map(({ tenantId }) => tenantId);
}

/** A job without attempts left. */
export interface DeadJob {
  readonly id: string;
  readonly task: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** Returns the tenant's jobs without attempts left, oldest first. */
export async function selectDeadJobs(tx: Tx, most: number): Promise<DeadJob[]> {
  return tx.query<DeadJob>('select job_id::text as id, task, payload from graphile_worker.arbiter_dead($1)', [most]);
}

export interface TakenJob extends Pick<DeadJob, 'task' | 'payload'> {
  readonly tries: number;
  readonly error: string | null;
}

/** Removes these jobs from the queue and returns those that were still there. */
export async function takeDeadJobs(tx: Tx, ids: readonly string[]): Promise<TakenJob[]> {
  return tx.query<TakenJob>('select task, payload, tries, error from graphile_worker.arbiter_take_dead($1::bigint[])', [
    ids,
  ]);
}

/** Takes all jobs of the transaction's tenant out of the queue, those at work too, but for jobs of these names. */
export async function forgetJobs(tx: Tx, kept: readonly string[]): Promise<void> {
  await tx.query('select graphile_worker.arbiter_forget($1::text[])', [kept]);
}
