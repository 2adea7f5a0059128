import type { RespondAnswer } from '@arbiter/contract';
import { compareText } from '@arbiter/engine';
import { type Database, readCatalogueVersion, systemActor, type Tx } from '../../../../db/index.ts';
import { AppError } from '../../../../platform/app-error.ts';
import { snapshotPolicies } from '../../../catalogue/contact-policies/index.ts';
import { takeStock } from '../../../catalogue/offers/index.ts';
import { readOutcomeTypes } from '../../../catalogue/outcomes/index.ts';
import { countInRealtime } from '../../../data/behavioral-metrics/index.ts';
import { readSettings } from '../../../identity/settings/index.ts';
import { appendEvents } from '../../../operations/stream/index.ts';
import { appendChanges, type EvidenceChange, type EvidenceKeeper } from '../../evidence/index.ts';
import { type CatalogueCache, outcomePoliciesOf, realtimeCounterOf, type TenantCatalogue } from '../../plans/index.ts';
import { announceBooking, bookVolumes } from '../../volumes/index.ts';
import type { SetApart } from '../queue/batcher.ts';
import { settleHeld } from '../queue/held-customers.ts';
import { byTime, refuse } from '../queue/patience.ts';
import type { WaitingRoom } from '../queue/waiting-room.ts';
import type { RespondCall } from './respond.rules.ts';
import { type RespondKeys, respondOne } from './respond.service.ts';
import type { Responded } from './responded.ts';

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

/** How the jobs of one transaction end. */
interface BatchOutcome {
  readonly settled: { readonly job: RespondJob; readonly answer: RespondAnswer | null; readonly error: unknown }[];
  /** Jobs of customers that another transaction has locked. */
  readonly left: RespondJob[];
}

async function record(
  ports: RespondPorts,
  tenantId: string,
  jobs: readonly RespondJob[],
  wait: boolean,
  until: number,
): Promise<readonly RespondJob[]> {
  const known = await ports.catalogues.get(tenantId);
  const outcome: BatchOutcome = { settled: [], left: [] };
  const work = async (tx: Tx): Promise<EvidenceChange[]> => {
    await announceBooking(tx);
    const catalogue = await newestCatalogue(tx, known);
    const responded = await respondInOrder(ports, tx, catalogue, jobs, wait, outcome);
    return writeTogether(tx, catalogue, responded);
  };
  const numbered = await ports.database.withTenant(tenantId, systemActor('respond'), work, { until, prepares: true });
  if (numbered.length > 0) ports.evidence.committed(tenantId, numbered);
  for (const { job, answer, error } of outcome.settled) {
    if (answer === null) job.reject(error);
    else job.resolve(answer);
  }
  return outcome.left;
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

/** Records one response after the other. Returns those that were recorded, and adds to `outcome` how each job ends. */
async function respondInOrder(
  ports: RespondPorts,
  tx: Tx,
  catalogue: RespondCatalogue,
  jobs: readonly RespondJob[],
  wait: boolean,
  { settled, left }: BatchOutcome,
): Promise<readonly Responded[]> {
  const recorded: Responded[] = [];
  const lockedElsewhere = new Set<string>();
  for (const job of inIdOrder(jobs)) {
    // A customer's jobs stay in order, even when the customer is free by now.
    if (lockedElsewhere.has(ports.keyOf(job))) {
      left.push(job);
      continue;
    }
    try {
      const responded = await respondOne(tx, ports, catalogue, job.call, job.credentialId, wait);
      if (responded === 'held') {
        lockedElsewhere.add(ports.keyOf(job));
        left.push(job);
        continue;
      }
      if (responded === 'in_progress') {
        settled.push({ job, answer: null, error: new AppError('idempotency_in_progress') });
        continue;
      }
      recorded.push(responded);
      settled.push({ job, answer: responded.answer, error: null });
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500 || lostRace.has(error.code)) throw error;
      settled.push({ job, answer: null, error });
    }
  }
  return recorded;
}

/** Writes what the responses of a batch do beyond their customers: stock, events, evidence, volumes. */
async function writeTogether(
  tx: Tx,
  { countsVolumes, settings, realtimeCounter }: RespondCatalogue,
  responded: readonly Responded[],
): Promise<EvidenceChange[]> {
  await takeStock(
    tx,
    responded.flatMap(({ sold }) => (sold === null ? [] : [sold])),
  );
  await appendEvents(
    tx,
    responded.flatMap(({ events }) => events),
    responded.flatMap(({ itemIds }) => itemIds),
  );
  await countInRealtime(
    tx,
    realtimeCounter,
    responded.flatMap(({ itemIds }) => itemIds),
  );
  const numbered = await appendChanges(
    tx,
    responded.flatMap(({ change }) => (change === null ? [] : [change])),
  );
  if (countsVolumes) {
    const facts = responded.flatMap(({ bookings }) => bookings.facts);
    const settled = responded.flatMap(({ bookings }) => bookings.settled);
    if (facts.length + settled.length > 0) await bookVolumes(tx, { facts, settled }, settings.timezone);
  }
  // Whoever decides after this has released the customer and the volumes reads a later instant than this one, so
  // nobody can have given away what's confirmed here.
  const now = tx.latest();
  if (responded.some(({ confirmedBefore }) => confirmedBefore !== null && confirmedBefore <= now))
    throw new ReservationExpired();
  return numbered;
}

/**
 * By customer, each customer's in order of arrival: batches that create rows of the same new customers would otherwise
 * lock each other out. A customer named only by a recommendation has a row.
 */
const inIdOrder = (jobs: readonly RespondJob[]): readonly RespondJob[] =>
  jobs.toSorted((a, b) => compareText(a.call.customerId ?? '', b.call.customerId ?? ''));

/** Reasons to reject a response after its first write, which roll the batch back. */
const lostRace: ReadonlySet<string> = new Set(['concurrent_modification', 'idempotency_in_progress']);
