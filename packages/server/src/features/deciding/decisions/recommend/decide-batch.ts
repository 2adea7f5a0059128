import { AppError } from '../../../../platform/app-error.ts';
import type { SetApart } from '../queue/batcher.ts';
import { settleHeld } from '../queue/held-customers.ts';
import { byTime, tooLate } from '../queue/patience.ts';
import type { HeldJobs } from './decide-all.ts';
import type { DecideJob } from './decide-job.ts';
import type { DecidePorts } from './decide-ports.ts';
import { decideTogether, type Exits } from './decide-together.ts';
import { failed } from './outcome.ts';

/**
 * Decides a batch of one tenant and settles every job. Repeats a failed batch one job at a time. Customers whose row
 * another transaction holds leave the batch (`settleHeld`), and no other customer waits for them.
 */
export async function runBatch(
  ports: DecidePorts,
  tenantId: string,
  jobs: readonly DecideJob[],
  setApart: SetApart,
): Promise<void> {
  const unsettled = new Set(jobs);
  const settle: Exits['settle'] = (outcomes) => {
    for (const outcome of outcomes) {
      const { job } = outcome;
      if (!unsettled.delete(job)) continue;
      if (outcome.answer === null) job.reject(outcome.error);
      else job.resolve(outcome.answer, outcome.quotaLeft);
    }
  };
  const leave: Exits['leave'] = (catalogue, prepared) => {
    unsettled.delete(prepared.job);
    ports.askFirst(catalogue, prepared);
  };
  const exits: Exits = { settle, leave };
  const failAll = (some: Iterable<DecideJob>, error: unknown): void =>
    settle(Array.from(some, (job) => failed(job, error)));
  try {
    const lockedElsewhere = await attempt(ports, tenantId, jobs, exits, false);
    settleHeld(lockedElsewhere, setApart, {
      waitingRoom: ports.waitingRoom,
      waitFor: (own) => waitAndDecide(ports, tenantId, own, exits).catch((error: unknown) => failAll(own, error)),
      together: (some) => attempt(ports, tenantId, some, exits, false),
    });
  } catch (error) {
    if (unsettled.size === 1 || isAway(error)) {
      failAll(unsettled, error);
      return;
    }
    for (const job of [...unsettled]) {
      await waitAndDecide(ports, tenantId, [job], exits).catch((own: unknown) => failAll([job], own));
    }
  }
}

const isAway = (error: unknown): boolean => error instanceof AppError && error.code === 'unavailable';

/** Decides the jobs of one customer, however often someone else takes the row in between. */
async function waitAndDecide(
  ports: DecidePorts,
  tenantId: string,
  jobs: readonly DecideJob[],
  exits: Exits,
): Promise<void> {
  for (let open = jobs; open.length > 0; ) {
    const lockedElsewhere = await attempt(ports, tenantId, open, exits, true);
    open = [...lockedElsewhere.values()].flat();
  }
}

/** Decides jobs as `decideTogether` does. Jobs that are too late are settled before. */
function attempt(
  ports: DecidePorts,
  tenantId: string,
  asked: readonly DecideJob[],
  exits: Exits,
  wait: boolean,
): Promise<HeldJobs> {
  const { jobs, late, patienceMs } = byTime(asked);
  exits.settle(late.map((job) => failed(job, tooLate())));
  return decideTogether(ports, tenantId, jobs, exits, { wait, until: performance.now() + patienceMs });
}
