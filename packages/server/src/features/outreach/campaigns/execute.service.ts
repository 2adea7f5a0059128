import { systemActor, type Tx } from '../../../db/index.ts';
import { AppError } from '../../../platform/app-error.ts';
import { rest } from '../../../platform/turns.ts';
import { integrationChannels } from '../../catalogue/channels/index.ts';
import type { DecisionService } from '../../deciding/decisions/index.ts';
import { selectCampaign } from './campaigns.store.ts';
import { type ChunkStop, createRunChunk, createRunTallies, Outrun, type RunTallies } from './chunk-work.ts';
import { endRun } from './end-run.service.ts';
import { insertFailure } from './failed-customer.store.ts';
import { requestIdOf } from './freeze-run.service.ts';
import { queueMessages } from './queue-messages.service.ts';
import { type Member, selectMembers } from './results.store.ts';
import { type FilePorts, showsPersonalization, unwritable, writeFile } from './run-file.service.ts';
import { enqueueRun } from './run-jobs.ts';
import { type RunEnd, selectRun } from './runs.store.ts';
import { type TakenRun, takeRun } from './take-run.service.ts';

export interface ExecutePorts extends FilePorts {
  readonly decideChunk: DecisionService['decideChunk'];
}

const campaignActor = systemActor('campaign');

/** Customers in a chunk. Begins small, and grows while the chunk holds its customers shorter than `heldMs`. */
const chunkSizes = { first: 64, most: 500, least: 8 };
/** A request for a customer of a chunk waits about this long at most, in ms. */
const heldMs = 60;
/** The same while calls are decided. */
const heldBesideCallsMs = 25;
/** While calls are decided, a run rests after each chunk for as long as the chunk took, and at most this long. */
const longestRestMs = 200;
/** How long the transaction of a chunk may take. */
const chunkMs = 3_500;
/** A run that takes longer goes to the end of the queue, so that other tenants get their turn. */
const turnMs = 20_000;
/** Of these first customers, at most half may fail. */
const judged = 1_000;

/**
 * Works on a run until it ends, its turn is over, or the process stops. Each chunk is one transaction with its checkpoint,
 * so whoever takes the run after a crash continues behind the last one that was committed (docs/design/api-decisioning.md
 * 14). `isRetry`: the previous attempt crashed or failed. The turn then ends after the first chunks, and the job gets new
 * attempts: only a run without progress uses them up.
 */
export async function executeRun(
  ports: ExecutePorts,
  tenantId: string,
  runId: string,
  { signal, isRetry }: { readonly signal: AbortSignal; readonly isRetry: boolean },
): Promise<void> {
  const inTenant = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
    ports.database.withTenant(tenantId, campaignActor, work, { statementTimeoutMs: 120_000 });
  const taken = await inTenant((tx) => takeRun(tx, runId));
  if (taken === null) return;
  try {
    const stop = await decideInChunks({
      ...{ ports, tenantId, taken, signal, isRetry, queued: { place: taken.run.queuedPlace } },
      tallies: createRunTallies(taken.run),
    });
    if (stop === 'turn') await inTenant((tx) => enqueueRun(tx, runId));
    else await finish(ports, tenantId, taken, stop, inTenant);
  } catch (error) {
    if (!(error instanceof Outrun)) throw error;
  }
}

/** What a process does for a run during its turn. */
interface Work {
  readonly ports: ExecutePorts;
  readonly tenantId: string;
  readonly taken: TakenRun;
  /** Place of the first member whose messages aren't queued yet. */
  readonly queued: { place: number };
  readonly tallies: RunTallies;
  readonly signal: AbortSignal;
  readonly isRetry: boolean;
}

type Stop = ChunkStop | 'turn' | 'too_many_failures' | null;

/**
 * Decides for the members from the checkpoint on, two chunks at a time: while one is written, the next is decided. Returns
 * why it stopped; null: none is left.
 */
async function decideInChunks(work: Work): Promise<Stop> {
  const { run } = work.taken;
  const until = work.isRetry ? 0 : performance.now() + turnMs;
  const sends = await work.ports.database.withTenant(work.tenantId, campaignActor, (tx) =>
    integrationChannels(tx, run.channelIds),
  );
  let size = chunkSizes.first;
  let place = run.nextPlace;
  let failed = run.failedCustomers;
  let stop: Stop = null;
  const isOver = (): boolean =>
    stop !== null || work.signal.aborted || (place > run.nextPlace && performance.now() > until);
  const startAt = (from: number, before: StartedChunk | null): StartedChunk | null =>
    isOver() || from >= run.totalCustomers
      ? null
      : startChunk(work, from, Math.min(from + size, run.totalCustomers), before);
  // Whoever had the run before may have ended between a chunk and its messages.
  await queueUpTo(work, place);
  for (let chunk = startAt(place, null); chunk !== null; ) {
    await chunk.nextMayStart;
    const ahead = startAt(chunk.to, chunk);
    const { outcome, next } = await endOf(work, chunk, ahead);
    place = outcome.to;
    failed += outcome.failed;
    if (sends.length > 0) await queueUpTo(work, place);
    stop ??= outcome.stop;
    if (place <= judged && failed * 2 > Math.min(judged, run.totalCustomers)) stop ??= 'too_many_failures';
    const goalMs = outcome.hadCalls ? heldBesideCallsMs : heldMs;
    const wanted = outcome.heldMs === null ? size / 2 : (size * goalMs) / Math.max(1, outcome.heldMs);
    size = Math.round(Math.min(chunkSizes.most, size * 2, Math.max(chunkSizes.least, wanted)));
    if (next === null && outcome.hadCalls) await rest(Math.min(longestRestMs, outcome.heldMs ?? 0));
    chunk = next ?? startAt(place, null);
  }
  await queueUpTo(work, place);
  if (stop === null && work.signal.aborted) throw new Error('the process stopped before the run ended');
  return stop ?? (place < run.totalCustomers ? 'turn' : null);
}

/** Queues the messages of all results below a place. */
async function queueUpTo({ ports, tenantId, taken: { run }, queued }: Work, place: number): Promise<void> {
  while (queued.place < place) {
    const next = await ports.database.withTenant(tenantId, campaignActor, (tx) =>
      queueMessages(tx, run, queued.place, place),
    );
    if (next === null) throw new Outrun();
    queued.place = next;
  }
}

interface ChunkOutcome {
  readonly to: number;
  readonly failed: number;
  readonly stop: ChunkStop | null;
  /** How long it held its customers; null: it didn't commit as a whole. */
  readonly heldMs: number | null;
  /** Calls were decided at the same time. */
  readonly hadCalls: boolean;
}

interface StartedChunk {
  readonly from: number;
  readonly to: number;
  /** Resolves when the next chunk may start. */
  readonly nextMayStart: Promise<void>;
  readonly end: Promise<ChunkEnd>;
}

/** What came of a chunk; an error if nothing was committed. */
type ChunkEnd = { readonly outcome: ChunkOutcome } | { readonly error: unknown };

/** `before`: the chunk before, without which this one can't commit; null: there is none. */
function startChunk(work: Work, from: number, to: number, before: StartedChunk | null): StartedChunk {
  const gate = Promise.withResolvers<void>();
  const afterBefore = async (): Promise<void> => {
    const end = await before?.end;
    if (end !== undefined && 'error' in end) throw end.error;
  };
  const end = decideChunk(work, from, to, afterBefore, gate.resolve)
    .then(
      (outcome): ChunkEnd => ({ outcome }),
      (error: unknown): ChunkEnd => ({ error }),
    )
    .finally(gate.resolve);
  return { from, to, nextMayStart: gate.promise, end };
}

/** Decides for the members at these places in one transaction. */
async function decideChunk(
  { ports, tenantId, taken: { run, flow }, tallies }: Work,
  from: number,
  to: number,
  afterBefore: () => Promise<void>,
  allowNext: () => void,
): Promise<ChunkOutcome> {
  const members = await ports.database.withTenant(tenantId, campaignActor, (tx) => selectMembers(tx, run.id, from, to));
  const keepsPersonalization = showsPersonalization(run);
  const chunk = createRunChunk({
    tenantId,
    run,
    from,
    to,
    members,
    keepsPersonalization,
    tallies,
    afterBefore,
    allowNext,
  });
  try {
    await ports.decideChunk({
      tenantId,
      origin: { source: 'campaign', sourceId: run.id },
      campaignId: run.campaignId,
      flow,
      channelIds: run.channelIds,
      limit: null,
      customers: members.map(({ customerId }) => ({ customerId, requestId: requestIdOf(run.id, customerId) })),
      until: performance.now() + chunkMs,
      work: chunk,
    });
  } catch (error) {
    chunk.failed();
    throw error;
  }
  chunk.committed();
  return { to, failed: 0, stop: chunk.stop(), heldMs: chunk.heldMs(), hadCalls: chunk.hadCalls() };
}

/** Waits for a chunk. If it failed, nothing of `ahead` was committed either, and `next` is null. */
async function endOf(
  work: Work,
  chunk: StartedChunk,
  ahead: StartedChunk | null,
): Promise<{ readonly outcome: ChunkOutcome; readonly next: StartedChunk | null }> {
  const end = await chunk.end;
  if ('outcome' in end) return { outcome: end.outcome, next: ahead };
  // It fails with the chunk before it.
  await ahead?.end;
  return { outcome: await decideFewer(work, chunk.from, chunk.to, end.error), next: null };
}

const noWait = async (): Promise<void> => undefined;

/** Tries with half of a chunk that failed, down to a single customer, who then has failed. */
async function decideFewer(work: Work, from: number, to: number, error: unknown): Promise<ChunkOutcome> {
  if (error instanceof Outrun) throw error;
  if (to - from > 1) {
    const middle = from + Math.ceil((to - from) / 2);
    try {
      const outcome = await decideChunk(work, from, middle, noWait, () => undefined);
      return { ...outcome, heldMs: null };
    } catch (again) {
      return decideFewer(work, from, middle, again);
    }
  }
  // The database is away, or the server is overloaded: that's no fault of the customer, and the job is tried again.
  if (isPassing(error)) throw error;
  const { ports, tenantId, taken } = work;
  const [member] = await ports.database.withTenant(tenantId, campaignActor, (tx) =>
    selectMembers(tx, taken.run.id, from, to),
  );
  if (member === undefined) throw error;
  await noteFailure(work, member, error);
  return { to, failed: 1, stop: null, heldMs: null, hadCalls: false };
}

const passing: ReadonlySet<string> = new Set(['unavailable', 'overloaded', 'not_fresh']);
const isPassing = (error: unknown): boolean => error instanceof AppError && passing.has(error.code);

async function noteFailure({ ports, tenantId, taken: { run } }: Work, member: Member, error: unknown): Promise<void> {
  const code = error instanceof AppError ? error.code : 'internal';
  const isNoted = await ports.database.withTenant(tenantId, campaignActor, (tx) =>
    insertFailure(tx, run, member, code),
  );
  if (!isNoted) throw new Outrun();
}

const messages = {
  too_many_failures: 'More than half of the first customers failed.',
  quota_exceeded: 'The playground has used all of its decisions.',
  file_not_writable: unwritable,
} as const;

/** Writes the file and ends the run. Members without a result are skipped. */
async function finish(
  ports: ExecutePorts,
  tenantId: string,
  { run }: TakenRun,
  stop: ChunkStop | 'too_many_failures' | null,
  inTenant: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>,
): Promise<void> {
  const fileProblem = stop === 'too_many_failures' ? null : await writeFile(ports, tenantId, run);
  await inTenant(async (tx) => {
    await selectCampaign(tx, run.campaignId, true);
    const now = await selectRun(tx, run.id, true);
    if (now === null || now.token !== run.token || now.status !== 'running') throw new Outrun();
    const code = fileProblem === null ? (stop === 'run_cap' ? null : stop) : 'file_not_writable';
    const hasErrors = now.failedCustomers > 0 || code === 'quota_exceeded';
    const end: RunEnd = {
      status:
        code === null || code === 'quota_exceeded' ? (hasErrors ? 'completed_with_errors' : 'completed') : 'failed',
      error: code === null ? null : { code, message: fileProblem ?? messages[code] },
    };
    await endRun(tx, now, end, stop === 'quota_exceeded' ? stop : stop === 'run_cap' ? stop : 'cancelled');
  });
}

/** Ends a run that failed again and again. */
export async function giveUp({ database }: ExecutePorts, tenantId: string, runId: string): Promise<void> {
  await database.withTenant(tenantId, campaignActor, async (tx) => {
    const found = await selectRun(tx, runId);
    if (found === null) return;
    await selectCampaign(tx, found.campaignId, true);
    const run = await selectRun(tx, runId, true);
    if (run === null || run.completedAt !== null) return;
    const error = { code: 'too_many_failures', message: 'The run failed several times in a row.' } as const;
    await endRun(tx, run, { status: 'failed', error }, 'cancelled');
  });
}
