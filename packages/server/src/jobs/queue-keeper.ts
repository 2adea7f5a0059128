import { type Database, systemActor, type Tx } from '../db/index.ts';
import { buryDeadJobs } from './dead-letters.store.ts';
import { forgetLeases, leaseSeconds, selectHolders, takeLease, workerLease } from './leases.store.ts';
import { handBackJobs, tenantsWithDeadJobs } from './queue.store.ts';

/** Looks after the queue in the name of one worker. */
export interface QueueKeeper {
  /**
   * To be called every few seconds: says that this worker lives, gives back the jobs of workers that do not, and moves
   * jobs that used up their tries to the dead letters. A tenant whose jobs cannot be moved keeps no other waiting; then
   * it throws at the end.
   */
  look(): Promise<void>;
}

export interface QueueKeeperOptions {
  /** Name of this process' worker; null while it takes no jobs. */
  readonly workerId: () => string | null;
  /** Told of each job that became a dead letter. */
  readonly onDead: (topic: string, tenantId: string | null) => void;
  /** Monotonic ms. */
  readonly elapsed?: () => number;
}

/** All nodes run one; they need no order among themselves. */
export function createQueueKeeper(database: Database, options: QueueKeeperOptions): QueueKeeper {
  const elapsed = options.elapsed ?? (() => performance.now());
  let lookedAt: number | null = null;
  let steadySince = 0;

  /**
   * After the database was away, every worker's lease has run out. So this process judges other workers only after it
   * has itself been connected for as long as a lease lasts.
   */
  function isSteady(): boolean {
    const now = elapsed();
    if (lookedAt === null || now - lookedAt > (leaseSeconds / 2) * 1000) steadySince = now;
    lookedAt = now;
    return now - steadySince >= leaseSeconds * 1000;
  }

  async function bury(tenantId: string | null): Promise<void> {
    for (let more = true; more; ) {
      const work = (tx: Tx) => buryDeadJobs(tx);
      const buried =
        tenantId === null
          ? await database.withSystem('dead-letters', work)
          : await database.withTenant(tenantId, systemActor('dead-letters'), work);
      more = buried.more;
      for (const topic of buried.topics) options.onDead(topic, tenantId);
    }
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
