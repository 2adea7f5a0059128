import { hasMoved } from '../../../../db/index.ts';
import { assertNewest, type TenantCatalogue, versionBehind } from '../../plans/index.ts';
import { type HeldVolumes, MissingVolumes, VolumesMoved } from '../volumes/volumes-in-batch.ts';
import { asksFirst } from './ask-first.ts';
import { type BatchCompany, CustomersHeld } from './batch-company.ts';
import { decideAll, type HeldJobs } from './decide-all.ts';
import type { DecideJob, PreparedJob } from './decide-job.ts';
import type { DecidePorts } from './decide-ports.ts';
import type { JobOutcome } from './outcome.ts';
import { prepare } from './prepare-batch.ts';

/** Where jobs go from a batch. */
export interface Exits {
  /** Takes outcomes as soon as they are certain. */
  readonly settle: (outcomes: readonly JobOutcome[]) => void;
  /** Takes a job whose webhooks must be asked first. */
  readonly leave: (catalogue: TenantCatalogue, prepared: PreparedJob) => void;
}

export interface TogetherOptions {
  /** Wait for customers that another transaction holds, instead of leaving them out. */
  readonly wait: boolean;
  /** Monotonic ms by which the transaction must have ended. */
  readonly until: number;
  /** Work that the jobs are a part of. It commits in their transaction, so either all of them are decided or none. */
  readonly company?: BatchCompany;
}

const noneHeld: HeldJobs = new Map();

/**
 * Decides the jobs in one transaction, and repeats when the catalogue wasn't the newest, a volume had less left than it
 * seemed, or the tenant has moved to another node of the cluster. Returns the jobs of customers that someone else holds. Jobs that can't be decided are settled before the
 * transaction.
 */
export async function decideTogether(
  ports: DecidePorts,
  tenantId: string,
  jobs: readonly DecideJob[],
  { settle, leave }: Exits,
  { wait, until, company }: TogetherOptions,
): Promise<HeldJobs> {
  if (jobs.length === 0) return noneHeld;
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
    // Work that is done together waits for all of its webhooks.
    if (company !== undefined && leaving.length > 0) return noneHeld;
    const prepared = leaving.length === 0 ? all : all.filter((each) => !leaving.includes(each));
    open = leaving.length === 0 ? open : open.filter((job) => !leaving.some((each) => each.job === job));
    try {
      // An old catalogue may be the only reason for a rejection: a flow was just published on another node.
      if (refused.length > 0) {
        if (!isFresh) await assertNewest(ports.hot, catalogue);
        if (company !== undefined) throw refused[0]!.error;
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
            ...(company === undefined ? {} : { company }),
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
      if (error instanceof CustomersHeld || hasMoved(error)) continue;
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
