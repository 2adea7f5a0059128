import { type Database, systemActor, type Tx } from '../db/index.ts';
import { AppError } from '../platform/app-error.ts';
import { buryDeadJobs, findDeadJobs } from './dead-letters.store.ts';
import { forgetLeases, leaseSeconds, selectHolders, takeLease, workerLease } from './leases.store.ts';
import { handBackJobs, tenantsWithDeadJobs } from './queue.store.ts';
import type { JobRegistry } from './registry.ts';

/** Looks after the queue in the name of one worker. */
export interface QueueKeeper {
  /**
   * Call every few seconds. Reports that this worker is alive, releases the jobs of dead workers, and moves jobs without
   * attempts left to the dead letters, after ending whatever waits for them. If one fails, continues with the rest and throws at
   * the end.
   */
  look(): Promise<void>;
}

export interface QueueKeeperOptions {
  /** The jobs of this process. */
  readonly registry: JobRegistry;
  /** Name of this process's worker; null while it takes no jobs. */
  readonly workerId: () => string | null;
  /** Called for each job that became a dead letter. */
  readonly onDead: (topic: string, tenantId: string | null) => void;
  /** Monotonic ms. */
  readonly elapsed?: () => number;
}

/** Dead jobs in one transaction. */
const maxBuried = 500;

/** Returns what the work throws; null if it ends well. */
async function failureOf(work: Promise<void> | undefined): Promise<unknown> {
  try {
    await work;
    return null;
  } catch (error) {
    return error;
  }
}

/** True for an error that the next look may not have. */
const passing: ReadonlySet<string> = new Set(['unavailable', 'overloaded', 'concurrent_modification']);
const isPassing = (error: unknown): boolean => error instanceof AppError && passing.has(error.code);

/** All nodes run one, without coordination. */
export function createQueueKeeper(database: Database, options: QueueKeeperOptions): QueueKeeper {
  const elapsed = options.elapsed ?? (() => performance.now());
  let lookedAt: number | null = null;
  let steadySince = 0;

  /**
   * After the database was away, every worker's lease has expired. So this process judges other workers only after it
   * has itself been connected for as long as a lease lasts.
   */
  function isSteady(): boolean {
    const now = elapsed();
    if (lookedAt === null || now - lookedAt > (leaseSeconds / 2) * 1000) steadySince = now;
    lookedAt = now;
    return now - steadySince >= leaseSeconds * 1000;
  }

  async function bury(tenantId: string | null): Promise<void> {
    const failures: unknown[] = [];
    const inPlace = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
      tenantId === null
        ? database.withSystem('dead-letters', work)
        : database.withTenant(tenantId, systemActor('dead-letters'), work);
    for (let more = true; more; ) {
      const dead = await inPlace((tx) => findDeadJobs(tx, maxBuried));
      const toBury: string[] = [];
      // First, so that another process repeats it if this one ends before the jobs have moved.
      for (const { id, task, payload } of dead) {
        const giveUp = tenantId === null ? undefined : options.registry.get(task)?.giveUp;
        const error = await failureOf(giveUp?.(payload, tenantId!));
        if (error !== null) failures.push(error);
        // What waits for the job would wait forever.
        if (!isPassing(error)) toBury.push(id);
      }
      for (const topic of await inPlace((tx) => buryDeadJobs(tx, toBury))) options.onDead(topic, tenantId);
      // Those that stay are found again.
      more = toBury.length === maxBuried;
    }
    if (failures.length > 0) throw failures[0];
  }

  return {
    async look() {
      const tenants = await database.withSystem('queue', async (tx) => {
        const id = options.workerId();
        if (id !== null) await takeLease(tx, `${workerLease}${id}`, id);
        if (isSteady()) {
          await handBackJobs(tx, await selectHolders(tx, workerLease), leaseSeconds);
          await forgetLeases(tx, workerLease);
        }
        return tenantsWithDeadJobs(tx);
      });
      const failures: unknown[] = [];
      for (const tenantId of tenants) await bury(tenantId).catch((error: unknown) => failures.push(error));
      if (failures.length > 0) throw failures[0];
    },
  };
}
