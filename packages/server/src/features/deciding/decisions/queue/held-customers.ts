import type { SetApart } from './batcher.ts';
import type { WaitingRoom } from './waiting-room.ts';

/** Work by the customer that someone else holds. */
export type WorkByCustomer<Job> = ReadonlyMap<string, readonly Job[]>;

/** How work continues on customers whose row another transaction holds. */
export interface HeldWork<Job> {
  readonly waitingRoom: WaitingRoom;
  /** Settles the jobs of one customer, waiting for him as long as they have time. Never rejects. */
  readonly waitFor: (jobs: readonly Job[]) => Promise<void>;
  /** Settles the jobs of customers that are free by now, and returns the others. */
  readonly together: (jobs: readonly Job[]) => Promise<WorkByCustomer<Job>>;
}

/** Customers of a batch to wait for at once. */
const ahead = 3;

/**
 * Settles the jobs of customers whose row another transaction holds, outside of their batch. Waits for a few of them,
 * each in its own transaction, so that none waits for another. Usually one transaction holds them all (a batch of
 * another process), so once the first is free, the rest run in one transaction instead of one by one.
 */
export function settleHeld<Job>(held: WorkByCustomer<Job>, setApart: SetApart, work: HeldWork<Job>): void {
  const settled = new Map<string, () => void>();
  for (const customerId of held.keys()) {
    const { promise, resolve } = Promise.withResolvers<void>();
    settled.set(customerId, resolve);
    setApart(customerId, promise);
  }
  void settle(held, work, (customerId) => settled.get(customerId)?.());
}

/** Never rejects. `done`: called for each customer once all of its jobs are settled. */
async function settle<Job>(
  held: WorkByCustomer<Job>,
  work: HeldWork<Job>,
  done: (customerId: string) => void,
): Promise<void> {
  const customers = [...held];
  const waits = customers.slice(0, ahead).map(async ([customerId, jobs]) => {
    await work.waitingRoom(() => work.waitFor(jobs));
    done(customerId);
  });
  const rest = new Map(customers.slice(ahead));
  if (rest.size > 0) {
    await Promise.race(waits);
    let still: WorkByCustomer<Job> = rest;
    await work.waitingRoom(async () => {
      // Repeat one by one what fails together: each round settles those that it waits for.
      still = await work.together([...rest.values()].flat()).catch(() => rest);
    });
    for (const customerId of rest.keys()) if (!still.has(customerId)) done(customerId);
    await settle(still, work, done);
  }
  await Promise.all(waits);
}
