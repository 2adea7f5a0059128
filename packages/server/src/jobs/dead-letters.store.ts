import { columns, computed, expression, type RowOf, select, selectList, table } from '../db/columns.ts';
import type { Tx } from '../db/index.ts';
import { newId } from '../platform/ids.ts';
import { installation } from './leases.store.ts';
import { type DeadJob, selectDeadJobs, takeDeadJobs } from './queue.store.ts';
import type { JobRegistry } from './registry.ts';

type DeadLetterPayload = Readonly<Record<string, unknown>>;

/**
 * `payload` holds only ids; `error` is the last attempt's error without data; `retryCount` counts attempts over all
 * manual retries.
 */
const letters = columns(table<'dead_letters', { payload: DeadLetterPayload }>('dead_letters'), [
  'id',
  'topic',
  'payload',
  'error',
  'retryCount',
  'failedAt',
]);

/** A job that used up its attempts. `topic` is the name of the job. */
export type DeadLetter = RowOf<typeof letters>;

const counts = selectList(
  columns(table('dead_letters'), ['topic']),
  computed<{ count: number }>({ count: expression('count(*)') }),
);

/** Filters dead letters. If both are given, both must match. */
export interface DeadLetterFilter {
  readonly topic: string | null;
  readonly ids: readonly string[] | null;
}

/** Maximum dead letters per retry (docs/design/api-access.md 15). */
const maxRetries = 1_000;

const ofFilter = 'tenant_id = $1 and ($2::text is null or topic = $2) and ($3::uuid[] is null or id = any ($3))';
const filterValues = (tx: Tx, { topic, ids }: DeadLetterFilter): unknown[] => [tx.tenantId, topic, ids];

/** Members of a job's payload with its tenant and its past attempts. */
const withoutOrigin = ({ tenantId: _, triesBefore: __, ...payload }: DeadJob['payload']) => payload;

/** Returns the tenant's jobs without attempts left; without a tenant, jobs that work across tenants. */
export async function findDeadJobs(tx: Tx, most: number): Promise<DeadJob[]> {
  return (await selectDeadJobs(tx, most)).map((job) => ({ ...job, payload: withoutOrigin(job.payload) }));
}

/** Moves such jobs from the queue to the dead letters. Returns the topics of those that were still queued. */
export async function buryDeadJobs(tx: Tx, ids: readonly string[]): Promise<readonly string[]> {
  const dead = await takeDeadJobs(tx, ids);
  const buried = dead.map(({ task, payload, tries, error }) => ({
    id: newId(),
    topic: task,
    payload: withoutOrigin(payload),
    error: error ?? 'the process exited during the last attempt',
    retry_count: tries + (typeof payload.triesBefore === 'number' ? payload.triesBefore : 0),
  }));
  if (buried.length > 0) {
    await tx.query(
      `insert into arbiter.dead_letters (tenant_id, id, topic, payload, error, retry_count, failed_at)
       select $1, id, topic, payload, error, retry_count, $3
       from jsonb_to_recordset($2::jsonb) as l(id uuid, topic text, payload jsonb, error text, retry_count int)`,
      [tx.tenantId === '' ? installation : tx.tenantId, JSON.stringify(buried), tx.now],
    );
  }
  return buried.map(({ topic }) => topic);
}

/** Returns the number of dead letters by topic. */
export async function countDeadLetters(tx: Tx, filter: DeadLetterFilter): Promise<Record<string, number>> {
  const rows = await select(
    tx,
    counts,
    `from arbiter.dead_letters where ${ofFilter} group by topic order by topic`,
    filterValues(tx, filter),
  );
  return Object.fromEntries(rows.map(({ topic, count }) => [topic, count]));
}

/** The newest dead letters first. */
export async function listDeadLetters(tx: Tx, filter: DeadLetterFilter, limit: number): Promise<DeadLetter[]> {
  return select(tx, letters, `from arbiter.dead_letters where ${ofFilter} order by failed_at desc, id desc limit $4`, [
    ...filterValues(tx, filter),
    limit,
  ]);
}

/**
 * Puts dead letters back into the queue, the oldest first, at most `maxRetries`; each of them once, even if other callers ask at
 * the same time. Those of a job that this version doesn't know stay. Returns how many.
 */
export async function retryDeadLetters(tx: Tx, registry: JobRegistry, filter: DeadLetterFilter): Promise<number> {
  const jobs = [...registry.values()].map(({ job }) => job);
  const [row] = await tx.query<{ requeued: number }>(
    `with known as (select * from unnest($4::text[], $5::int[]) as k(name, attempts)),
     chosen as (
       select id from arbiter.dead_letters
       where ${ofFilter} and topic in (select name from known) order by id limit $6 for update),
     gone as (delete from arbiter.dead_letters d using chosen c where d.tenant_id = $1 and d.id = c.id returning d.*),
     put as (
       select graphile_worker.arbiter_enqueue(task => g.topic, max_attempts => k.attempts,
                payload => g.payload || jsonb_build_object('triesBefore', g.retry_count))
       from gone g join known k on k.name = g.topic)
     select count(*) as requeued from put`,
    [...filterValues(tx, filter), jobs.map((job) => job.name), jobs.map((job) => job.attempts), maxRetries],
  );
  return row?.requeued ?? 0;
}

/** Deletes dead letters; returns how many. */
export async function purgeDeadLetters(tx: Tx, filter: DeadLetterFilter): Promise<number> {
  const [row] = await tx.query<{ deleted: number }>(
    `with chosen as (select id from arbiter.dead_letters where ${ofFilter} order by id for update),
     gone as (delete from arbiter.dead_letters d using chosen c where d.tenant_id = $1 and d.id = c.id returning 1)
     select count(*) as deleted from gone`,
    filterValues(tx, filter),
  );
  return row?.deleted ?? 0;
}

/** Days to keep dead letters (docs/design/api-access.md 14, fixed lives). */
const keptDays = 30;
const dayMs = 86_400_000;
const rowsPerSlice = 1_000;

/**
 * Deletes expired dead letters of all tenants in a system transaction. Returns true when there may be more; call it
 * again in another transaction.
 */
export async function expireDeadLetters(tx: Tx): Promise<boolean> {
  const [row] = await tx.query<{ deleted: number }>(
    `with oldest as (
       select tenant_id, id from arbiter.dead_letters where failed_at < $1 order by failed_at limit $2
       for update skip locked),
     gone as (
       delete from arbiter.dead_letters d using oldest o where d.tenant_id = o.tenant_id and d.id = o.id returning 1)
     select count(*) as deleted from gone`,
    [new Date(tx.now.getTime() - keptDays * dayMs), rowsPerSlice],
  );
  return row?.deleted === rowsPerSlice;
}

/** Returns the number of dead letters of all tenants by topic. Needs a system transaction. */
export async function countAllDeadLetters(tx: Tx): Promise<Record<string, number>> {
  const rows = await select(tx, counts, 'from arbiter.dead_letters group by topic order by topic');
  return Object.fromEntries(rows.map(({ topic, count }) => [topic, count]));
}

/** Deletes the tenant's dead letters whose payload names the customer. Returns their number. */
export async function eraseDeadLetters(tx: Tx, customerId: string): Promise<number> {
  const rows = await tx.query(
    `delete from arbiter.dead_letters where tenant_id = $1 and jsonb_path_exists(payload,
       '$.**.customerId ? (@ == $id)', jsonb_build_object('id', $2::text)) returning 1`,
    [tx.tenantId, customerId],
  );
  return rows.length;
}
