import type { Database, Tx } from '../db/index.ts';
import { nextRun, parseCron } from '../platform/time/cron.ts';
import type { Job } from './job.ts';
import { holdsLease, installation, type Lease, leaseSeconds, releaseLease, takeLease } from './leases.store.ts';
import { enqueueRuns } from './queue.store.ts';
import type { JobRegistry } from './registry.ts';
import {
  bringForward,
  type DueSchedule,
  declareSchedule,
  lockDueSchedules,
  moveOn,
  type SchedulePlace,
  selectPlanned,
} from './schedules.store.ts';

/** Puts jobs into the queue when they are due. Several nodes run one; the one with the lease does the work. */
export interface Scheduler {
  /** Call about every second. Takes or renews the lease and enqueues what's due. */
  tick(): Promise<void>;
  /** False when no call of `tick` has come to an end, on whichever side of the lease, for as long as a lease lasts. */
  works(): boolean;
  /** Releases the lease, so another node can take over immediately. */
  stop(): Promise<void>;
}

export interface SchedulerOptions {
  readonly database: Database;
  readonly registry: JobRegistry;
  /** Name of this process, unlike any other's. */
  readonly holder: string;
  /** `upkeep`: jobs marked as upkeep. `others`: the rest, and tenants' schedules. Each has its own lease. */
  readonly part: 'upkeep' | 'others';
  /** Port: IDs of all tenants, in a system transaction. */
  readonly tenantIds: (tx: Tx) => Promise<readonly string[]>;
  /** Called for each claimed run. */
  readonly onRun?: (job: string) => void;
  /** Receives the error of a single schedule. The others continue. */
  readonly onError: (error: unknown, job: string) => void;
  /** Monotonic ms. */
  readonly elapsed?: () => number;
}

/** Runs that are claimed in one transaction. */
const maxClaimed = 100;
/** Schedules that are checked in one transaction. */
const maxChecked = 500;
/** How often to check all schedules for a next run that's too far ahead. */
const checkEveryMs = 60_000;
/** Enqueueing a job for each of many tenants takes longer than a request may. */
const claimTimeoutMs = 30_000;

export function createScheduler(options: SchedulerOptions): Scheduler {
  const { database } = options;
  const elapsed = options.elapsed ?? (() => performance.now());
  const jobs = new Map<string, Job>();
  for (const { job } of options.registry.values()) {
    if ((job.schedule?.upkeep === true) === (options.part === 'upkeep')) jobs.set(job.name, job);
  }
  const name = options.part === 'upkeep' ? 'scheduler.upkeep' : 'scheduler';
  let lease: Lease | null = null;
  let declared = false;
  let checkedAt = Number.NEGATIVE_INFINITY;
  let worked = elapsed();
  return {
    async tick() {
      const had = lease;
      lease = await database.withSystem('scheduler', (tx) => takeLease(tx, name, options.holder));
      const currentLease = lease;
      if (currentLease !== null) {
        // Another process may have held the lease and stored other schedules.
        if (!declared || had?.token !== currentLease.token)
          await database.withSystem('scheduler', (tx) => declare(tx, jobs));
        declared = true;
        if (elapsed() - checkedAt >= checkEveryMs) {
          await bringAllForward(database, [...jobs.keys()]);
          checkedAt = elapsed();
        }
        for (let more = true; more; ) more = (await claimDue({ ...options, jobs, lease: currentLease })) === maxClaimed;
      }
      worked = elapsed();
    },
    works: () => elapsed() - worked < leaseSeconds * 1000,
    async stop() {
      const currentLease = lease;
      lease = null;
      if (currentLease !== null) await database.withSystem('scheduler', (tx) => releaseLease(tx, currentLease));
    },
  };
}

/** Writes down the schedules that jobs declare; one that is new, or has changed, counts from now. */
async function declare(tx: Tx, jobs: ReadonlyMap<string, Job>): Promise<void> {
  for (const { name, schedule } of jobs.values()) {
    if (schedule === null) continue;
    const { cron, zone, payload } = schedule;
    const nextRunAt = new Date(nextRun(parseCron(cron), zone, tx.now.getTime()));
    await declareSchedule(tx, { job: name, key: '', payload, cron, zone, nextRunAt });
  }
}

/**
 * Recomputes next runs that are later than their own cron allows: they were computed while the clock was ahead, and
 * nothing would run until then.
 */
async function bringAllForward(database: Database, jobs: readonly string[]): Promise<void> {
  let after: SchedulePlace | null = null;
  do {
    const place: SchedulePlace | null = after;
    after = await database.withSystem('scheduler', (tx) => bringForwardAfter(tx, jobs, place), {
      statementTimeoutMs: claimTimeoutMs,
    });
  } while (after !== null);
}

/** Checks the schedules behind `after`; answers with the last one, null when there are no more. */
async function bringForwardAfter(
  tx: Tx,
  jobs: readonly string[],
  after: SchedulePlace | null,
): Promise<SchedulePlace | null> {
  const planned = await selectPlanned(tx, jobs, after, maxChecked);
  for (const schedule of planned) {
    // A schedule that can no longer be parsed is reported when it's due.
    const next = nextOf(schedule, tx.now.getTime(), () => undefined);
    if (next !== null && next < schedule.nextRunAt) await bringForward(tx, schedule, next);
  }
  return planned.length < maxChecked ? null : planned.at(-1)!;
}

export interface ClaimOptions extends Pick<SchedulerOptions, 'database' | 'tenantIds' | 'onRun' | 'onError'> {
  readonly jobs: ReadonlyMap<string, Job>;
  /** Null: the caller may claim without a lease, like an external scheduler. */
  readonly lease: Lease | null;
}

/**
 * Claims the runs that are due, once each: in one transaction their schedules move on and their jobs enter the queue.
 * However late it is called, a schedule that missed several runs has one. Claims nothing for a holder that has lost its
 * lease; and two that both believe in theirs still cannot claim one run twice, since the schedule's row is locked and
 * then shows another run. Returns how many rows were checked, at most `maxClaimed`.
 */
export async function claimDue(options: ClaimOptions): Promise<number> {
  const claimed = await options.database.withSystem(
    'scheduler',
    async (tx) => {
      if (options.lease !== null && !(await holdsLease(tx, options.lease))) return [];
      const due = await lockDueSchedules(tx, [...options.jobs.keys()], maxClaimed);
      const tenants = due.length > 0 ? new Set(await options.tenantIds(tx)) : new Set<string>();
      for (const schedule of due) await claim(tx, options, schedule, tenants);
      return due;
    },
    { statementTimeoutMs: claimTimeoutMs },
  );
  for (const { job } of claimed) options.onRun?.(job);
  return claimed.length;
}

/**
 * Claims due runs of tenants' schedules for these jobs, for an external scheduler that calls in addition to or instead
 * of ours. Each run is claimed once, by whichever comes first (docs/design/quality.md E10), and its job waits in the queue.
 * Returns the number of runs.
 */
export async function claimDueRuns(
  options: Omit<ClaimOptions, 'lease' | 'jobs'>,
  jobs: readonly Job[],
): Promise<number> {
  const named = new Map(jobs.map((job) => [job.name, job]));
  await bringAllForward(options.database, [...named.keys()]);
  let claimed = 0;
  for (let more = true; more; ) {
    const some = await claimDue({ ...options, jobs: named, lease: null });
    claimed += some;
    more = some === maxClaimed;
  }
  return claimed;
}

async function claim(tx: Tx, options: ClaimOptions, due: DueSchedule, tenants: ReadonlySet<string>): Promise<void> {
  const job = options.jobs.get(due.job);
  if (job === undefined) return;
  await moveOn(tx, due, nextOf(due, tx.now.getTime(), options.onError));
  const dueAt = due.dueAt.toISOString();
  const payload = JSON.stringify({ ...due.payload, dueAt });
  if (due.tenantId === installation) {
    // A run of before that still waits does for this one too: they do the same.
    const run = { job, payload, key: job.name, keepWaiting: true };
    await enqueueRuns(tx, run, job.scope === 'installation' ? [null] : [...tenants]);
  } else if (tenants.has(due.tenantId)) {
    const key = `${job.name}:${due.key}:${dueAt}`;
    await enqueueRuns(tx, { job, payload, key, keepWaiting: false }, [due.tenantId]);
  }
}

/** Returns null, which disables the schedule, when it can no longer be parsed: its zone may have been removed. */
function nextOf(
  { job, key, cron, zone }: Pick<DueSchedule, 'job' | 'key' | 'cron' | 'zone'>,
  now: number,
  onError: SchedulerOptions['onError'],
): Date | null {
  try {
    return new Date(nextRun(parseCron(cron), zone, now));
  } catch (error) {
    onError(new Error(`schedule ${job} ${key} disabled: ${cron} in ${zone} has no next run`, { cause: error }), job);
    return null;
  }
}
