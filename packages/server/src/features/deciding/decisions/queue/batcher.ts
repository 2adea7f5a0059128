import { afterThisTurn } from '../../../../platform/turns.ts';

/**
 * Gathers the work of one tenant that waits at a tick into batches (docs/design/decisioning.md 6). A batch leaves on the next turn
 * of the event loop when nothing of its tenant is in flight, so a lone request waits for nothing; while batches are in
 * flight, work gathers. Work of one customer is never in two batches of this process at once: it would only wait for
 * its own row lock.
 */
export interface Batcher<Job> {
  submit(tenantId: string, job: Job): void;
  /** Jobs waiting, over all tenants. */
  waiting(): number;
  /** Takes out the waiting jobs that are too late; the caller settles them. */
  takeLate(isLate: (job: Job) => boolean): Job[];
  /** Resolves when nothing waits and nothing is in flight. */
  idle(): Promise<void>;
}

export interface BatcherOptions<Job> {
  /** Jobs in a batch at most. */
  readonly maxJobs: number;
  /** Batches of one tenant in flight at most. */
  readonly maxInFlight: number;
  /** While a batch is in flight, another one leaves only with at least this many jobs. */
  readonly minJobsBeside: number;
  readonly keyOf: (job: Job) => string;
  /** Settles every job it is given; never rejects. */
  readonly run: (tenantId: string, jobs: readonly Job[], setApart: SetApart) => Promise<void>;
}

/**
 * Lets the work on one key continue outside its batch: the batch ends without it and makes room for the next, and no
 * batch takes that key until `done`, which never rejects.
 */
export type SetApart = (key: string, done: Promise<void>) => void;

interface TenantQueue<Job> {
  readonly tenantId: string;
  readonly jobs: Job[];
  readonly keysInFlight: Set<string>;
  inFlight: number;
  /** Keys that continue outside their batches. */
  apart: number;
  scheduled: boolean;
}

interface BatcherState<Job> {
  readonly options: BatcherOptions<Job>;
  readonly queues: Map<string, TenantQueue<Job>>;
  /** Called when no queue is left. */
  idlers: (() => void)[];
}

export function createBatcher<Job>(options: BatcherOptions<Job>): Batcher<Job> {
  const queues = new Map<string, TenantQueue<Job>>();
  const state: BatcherState<Job> = { options, queues, idlers: [] };
  return {
    submit(tenantId, job) {
      let queue = queues.get(tenantId);
      if (!queue) {
        queue = { tenantId, jobs: [], keysInFlight: new Set(), inFlight: 0, apart: 0, scheduled: false };
        queues.set(tenantId, queue);
      }
      queue.jobs.push(job);
      schedule(state, queue);
    },
    waiting() {
      let n = 0;
      for (const queue of queues.values()) n += queue.jobs.length;
      return n;
    },
    takeLate(isLate) {
      const late: Job[] = [];
      for (const queue of queues.values()) {
        if (!queue.jobs.some(isLate)) continue;
        const jobs = queue.jobs.splice(0);
        for (const job of jobs) (isLate(job) ? late : queue.jobs).push(job);
      }
      return late;
    },
    async idle() {
      if (queues.size === 0) return;
      await new Promise<void>((wake) => {
        state.idlers = [...state.idlers, wake];
      });
    },
  };
}

function schedule<Job>(state: BatcherState<Job>, queue: TenantQueue<Job>): void {
  if (queue.scheduled) return;
  queue.scheduled = true;
  afterThisTurn(() => {
    queue.scheduled = false;
    pump(state, queue);
  });
}

/** Sends batches while there may be more of them in flight. */
function pump<Job>(state: BatcherState<Job>, queue: TenantQueue<Job>): void {
  const { maxInFlight, minJobsBeside, keyOf, run } = state.options;
  while (queue.jobs.length > 0 && queue.inFlight < maxInFlight) {
    if (queue.inFlight > 0 && queue.jobs.length < minJobsBeside) return;
    const batch = take(state.options, queue);
    if (batch.length === 0) return;
    queue.inFlight++;
    const keys = new Set(batch.map(keyOf));
    for (const key of keys) queue.keysInFlight.add(key);
    const setApart: SetApart = (key, done) => {
      keys.delete(key);
      queue.apart++;
      done.finally(() => {
        queue.apart--;
        release(state, queue, [key]);
      });
    };
    run(queue.tenantId, batch, setApart).finally(() => {
      queue.inFlight--;
      release(state, queue, keys);
    });
  }
}

function release<Job>(state: BatcherState<Job>, queue: TenantQueue<Job>, keys: Iterable<string>): void {
  const { queues, idlers } = state;
  for (const key of keys) queue.keysInFlight.delete(key);
  if (queue.jobs.length > 0) pump(state, queue);
  else if (queue.inFlight === 0 && queue.apart === 0) {
    queues.delete(queue.tenantId);
    if (queues.size === 0) for (const wake of idlers.splice(0)) wake();
  }
}

/** Takes jobs in order of arrival, skipping those whose customer is in flight. */
function take<Job>({ maxJobs, keyOf }: BatcherOptions<Job>, queue: TenantQueue<Job>): Job[] {
  if (queue.keysInFlight.size === 0) return queue.jobs.splice(0, maxJobs);
  const batch: Job[] = [];
  const left: Job[] = [];
  for (const job of queue.jobs) {
    if (batch.length < maxJobs && !queue.keysInFlight.has(keyOf(job))) batch.push(job);
    else left.push(job);
  }
  if (batch.length > 0) queue.jobs.splice(0, queue.jobs.length, ...left);
  return batch;
}
