import type { RespondAnswer } from '@arbiter/contract';
import { type Database, readCatalogueVersion, systemActor, type Tx } from '../../../../db/index.ts';
import { AppError } from '../../../../platform/app-error.ts';
import { snapshotPolicies } from '../../../catalogue/contact-policies/index.ts';
import { readOutcomeTypes } from '../../../catalogue/outcomes/index.ts';
import { readSettings } from '../../../identity/settings/index.ts';
import type { EvidenceChange, EvidenceKeeper } from '../../evidence/index.ts';
import { type CatalogueCache, outcomePoliciesOf, realtimeCounterOf, type TenantCatalogue } from '../../plans/index.ts';
import { announceBooking } from '../../volumes/index.ts';
import type { SetApart } from '../queue/batcher.ts';
import { settleHeld } from '../queue/held-customers.ts';
import { byTime, refuse } from '../queue/patience.ts';
import type { WaitingRoom } from '../queue/waiting-room.ts';
import type { RespondKeys } from './open-batch.ts';
import type { RespondCall } from './respond.rules.ts';
import { type BatchOutcome, respondTogether } from './respond.service.ts';
import type { Responded } from './responded.ts';
import { writeResponses } from './write-responses.ts';

/** One respond request on its way through a batch. */
export interface RespondJob {
  readonly call: RespondCall;
  readonly credentialId: string;
  /** Monotonic ms at which the request came in. */
  readonly startedAt: number;
  /** Monotonic ms by which the request must be answered. */
  readonly until: number;
  readonly resolve: (answer: RespondAnswer) => void;
  readonly reject: (error: unknown) => void;
}

export interface RespondPorts extends RespondKeys {
  readonly database: Database;
  readonly catalogues: CatalogueCache;
  readonly evidence: EvidenceKeeper;
  /** Where work waits for customers that someone else holds. */
  readonly waitingRoom: WaitingRoom;
  /** Returns the batcher's key of a job. */
  readonly keyOf: (job: RespondJob) => string;
}

/**
 * Records a batch of one tenant in one transaction and settles every job. Responses are rejected before their first
 * write. Any other failure rolls the batch back and repeats it one by one. Customers whose row another transaction
 * holds leave the batch (`settleHeld`), and no other customer waits for them.
 */
export async function runRespondBatch(
  ports: RespondPorts,
  tenantId: string,
  jobs: readonly RespondJob[],
  setApart: SetApart,
): Promise<void> {
  const byKey = (some: readonly RespondJob[]) => Map.groupBy(some, ports.keyOf);
  try {
    const left = await attempt(ports, tenantId, jobs, false);
    settleHeld(byKey(left), setApart, {
      waitingRoom: ports.waitingRoom,
      waitFor: (own) => together(ports, tenantId, own),
      together: async (some) => byKey(await attempt(ports, tenantId, some, false)),
    });
  } catch (error) {
    if (jobs.length === 1 || isAway(error)) {
      for (const job of jobs) job.reject(error);
      return;
    }
    await oneByOne(ports, tenantId, jobs);
  }
}

const isAway = (error: unknown): boolean => error instanceof AppError && error.code === 'unavailable';

/** Records the responses of one customer in one transaction that waits; one by one when it fails. */
async function together(ports: RespondPorts, tenantId: string, jobs: readonly RespondJob[]): Promise<void> {
  try {
    for (let open = jobs; open.length > 0; ) open = await attempt(ports, tenantId, open, true);
  } catch (error) {
    // It may have been committed: repeated, a response without a key would be recorded twice.
    if (isAway(error)) for (const job of jobs) job.reject(error);
    else await oneByOne(ports, tenantId, jobs);
  }
}

async function oneByOne(ports: RespondPorts, tenantId: string, jobs: readonly RespondJob[]): Promise<void> {
  for (const job of jobs) {
    try {
      while ((await attempt(ports, tenantId, [job], true)).length > 0);
    } catch (error) {
      job.reject(error);
    }
  }
}

/** A reservation expired while its confirmation waited for a lock. Nothing was written; recorded again, it's late. */
class ReservationExpired extends Error {}

/**
 * Records the jobs in one transaction. Returns the jobs of customers that someone else holds, none when it may `wait`.
 * A transaction that waits has one customer, so that two can't lock each other out.
 */
async function attempt(
  ports: RespondPorts,
  tenantId: string,
  asked: readonly RespondJob[],
  wait: boolean,
): Promise<readonly RespondJob[]> {
  const { jobs, late, patienceMs } = byTime(asked);
  refuse(late);
  if (jobs.length === 0) return [];
  const until = performance.now() + patienceMs;
  for (;;) {
    try {
      return await record(ports, tenantId, jobs, wait, until);
    } catch (error) {
      // This ends: a reservation that expired is late from then on.
      if (!(error instanceof ReservationExpired)) throw error;
    }
  }
}

async function record(
  ports: RespondPorts,
  tenantId: string,
  jobs: readonly RespondJob[],
  wait: boolean,
  until: number,
): Promise<readonly RespondJob[]> {
  const known = await ports.catalogues.get(tenantId);
  let outcome: BatchOutcome<RespondJob> | null = null;
  const work = async (tx: Tx): Promise<EvidenceChange[]> => {
    await announceBooking(tx);
    const catalogue = await newestCatalogue(tx, known);
    outcome = await respondTogether(tx, ports, catalogue, jobs, wait);
    const responded = outcome.recorded.map((each) => each.responded);
    const numbered = await writeResponses(tx, catalogue, responded, outcome.saved);
    assertInTime(tx, responded);
    return numbered;
  };
  const numbered = await ports.database.withTenant(tenantId, systemActor('respond'), work, { until, prepares: true });
  if (numbered.length > 0) ports.evidence.committed(tenantId, numbered);
  const { recorded, rejected, left }: BatchOutcome<RespondJob> = outcome!;
  for (const { item, responded } of recorded) item.resolve(responded.answer);
  for (const { item, error } of rejected) item.reject(error);
  return left;
}

/**
 * Throws for a reservation that has expired in the meantime. Whoever decides after this has released the customer and the volumes
 * reads a later instant than this one, so nobody can have given away what's confirmed here.
 */
function assertInTime(tx: Tx, responded: readonly Responded[]): void {
  const now = tx.latest();
  if (responded.some(({ confirmedBefore }) => confirmedBefore !== null && confirmedBefore <= now))
    throw new ReservationExpired();
}

type RespondCatalogue = Pick<
  TenantCatalogue,
  'outcomes' | 'outcomePolicies' | 'countsVolumes' | 'settings' | 'realtimeCounter'
>;

/**
 * Returns the catalogue that responses of this transaction are recorded with. Read here and not by a refresh of the
 * cache: that would wait for a second connection while holding this one.
 */
async function newestCatalogue(tx: Tx, known: TenantCatalogue): Promise<RespondCatalogue> {
  if ((await readCatalogueVersion(tx)) <= known.version) return known;
  return {
    outcomes: new Map((await readOutcomeTypes(tx)).map((o) => [o.key, o])),
    outcomePolicies: outcomePoliciesOf(await snapshotPolicies(tx)),
    countsVolumes: true,
    settings: known.settings,
    realtimeCounter: await realtimeCounterOf(tx, await readSettings(tx)),
  };
}
