import { AppError } from '../../../../platform/app-error.ts';
import { assertNewest, type TenantCatalogue, versionBehind } from '../../plans/index.ts';
import type { SetApart } from '../queue/batcher.ts';
import { settleHeld } from '../queue/held-customers.ts';
import { byTime, tooLate } from '../queue/patience.ts';
import { type HeldVolumes, MissingVolumes, VolumesMoved } from '../volumes/volumes-in-batch.ts';
import { asksFirst } from './ask-first.ts';
import { decideAll, type HeldJobs } from './decide-all.ts';
import type { DecideJob, Prepared } from './decide-job.ts';
import type { DecidePorts } from './decide-ports.ts';
import { failed, type JobOutcome } from './outcome.ts';
import { prepare } from './prepare-batch.ts';

/** Where jobs go from here. */
interface Exits {
  /** Takes outcomes as soon as they are certain. */
  readonly settle: (outcomes: readonly JobOutcome[]) => void;
  /** Takes a job whose webhooks must be asked first. It comes back in a batch of its own. */
  readonly leave: (catalogue: TenantCatalogue, prepared: Prepared) => void;
}

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

const noneHeld: HeldJobs = new Map();

/**
 * Decides the jobs in one transaction, and repeats when the catalogue wasn't the newest or a volume had less left than
 * it seemed. Returns the jobs of customers that someone else holds. Jobs that are too late or can't be decided are
 * settled before the transaction.
 */
async function attempt(
  ports: DecidePorts,
  tenantId: string,
  asked: readonly DecideJob[],
  exits: Exits,
  wait: boolean,
): Promise<HeldJobs> {
  const { settle, leave } = exits;
  const { jobs, late, patienceMs } = byTime(asked);
  settle(late.map((job) => failed(job, tooLate())));
  if (jobs.length === 0) return noneHeld;
  const until = performance.now() + patienceMs;
  let open = jobs;
  let catalogue = await ports.catalogues.get(tenantId);
  // Read since the requests arrived, it includes every change committed before them. Insisting on more would let a
  // steady stream of changes block decisions.
  let isFresh = false;
  let hold: HeldVolumes = new Set();
  for (let tries = 0; ; tries++) {
    if (open.some((job) => job.call.flow === null) && !catalogue.hasFlow()) {
      catalogue = await ports.catalogues.makeBaseFlow(tenantId);
    }
    const { prepared: all, refused } = await prepare(catalogue, open);
    // Webhooks answer before the customer is locked, and no other customer waits for them.
    const leaving = all.filter(asksFirst);
    for (const each of leaving) leave(catalogue, each);
    const prepared = leaving.length === 0 ? all : all.filter((each) => !leaving.includes(each));
    open = leaving.length === 0 ? open : open.filter((job) => !leaving.some((each) => each.job === job));
    try {
      // An old catalogue may be the only reason for a rejection: a flow was just published on another node.
      if (refused.length > 0) {
        if (!isFresh) await assertNewest(ports.hot, catalogue);
        settle(refused);
        open = prepared.map(({ job }) => job);
      }
      if (prepared.length === 0) return noneHeld;
      return await ports.hot.run(
        tenantId,
        async (tx) => {
          const { outcomes, held, counts, made, configAgeMs } = await decideAll(ports, catalogue, tx, prepared, {
            wait,
            isFresh,
            hold,
          });
          // Here, and not after the transaction: dry runs do not wait for its rollback.
          settle(outcomes);
          ports.observe(tenantId, prepared.length, counts, configAgeMs);
          if (made.length > 0) ports.minutes.decided(tenantId, made);
          return held;
        },
        until - performance.now(),
      );
    } catch (error) {
      if (tries >= 5) throw error;
      if (error instanceof MissingVolumes) {
        await ports.makeVolumes(catalogue, error.refs);
        // That raised the catalogue's version. The next batches shouldn't have to find that out.
        isFresh = false;
        continue;
      }
      if (error instanceof VolumesMoved) {
        hold = hold === 'all' || hold.size > 0 ? 'all' : new Set(error.names);
        continue;
      }
      isFresh = true;
      catalogue = await ports.catalogues.refresh(tenantId, await versionBehind(ports.hot, catalogue, error));
    }
  }
}
