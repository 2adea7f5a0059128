import { systemActor, type Tx } from '../../../db/index.ts';
import { integrationChannels } from '../../catalogue/channels/index.ts';
import { selectCampaign } from './campaigns.store.ts';
import { type ChunkStop, Superseded } from './chunks/chunk-work.ts';
import { decideInChunks } from './chunks/decide-in-chunks.ts';
import type { RunChunks } from './chunks/run-chunk.ts';
import { endRun } from './end-run.service.ts';
import { queueMessages } from './queue-messages.service.ts';
import { type FilePorts, unwritable, writeFile } from './run-file.service.ts';
import { enqueueRun } from './run-jobs.ts';
import { type RunEnd, selectRun } from './runs.store.ts';
import { type TakenRun, takeRun } from './take-run.service.ts';

/** How a process decides the chunks of runs. */
export interface ChunkDesk {
  readonly runChunk: RunChunks;
  /** Chunks of a run that may be open at a time. */
  readonly maxOpen: number;
  /** Whether calls were decided just now. */
  readonly hasCalls: () => boolean;
}

export interface ExecutePorts extends FilePorts {
  readonly chunkDesk: ChunkDesk;
}

const campaignActor = systemActor('campaign');

/** A run that takes longer goes to the end of the queue, so that other tenants get their turn. */
const turnMs = 20_000;

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
  const taken = await inTenant((tx) => takeRun(tx, runId, ports.chunkDesk.hasCalls));
  if (taken === null) return;
  try {
    const stop = await decide({ ports, tenantId, taken, signal, isRetry, queued: { place: taken.run.queuedPlace } });
    if (stop === 'turn') await inTenant((tx) => enqueueRun(tx, runId));
    else await finish(ports, tenantId, taken, stop, inTenant);
  } catch (error) {
    if (!(error instanceof Superseded)) throw error;
    await inTenant((tx) => continueOwn(tx, taken.run));
  }
}

/** Whether an unconfirmed commit moved the run on. It still belongs to this process then, and continues in another turn. */
async function continueOwn(tx: Tx, { id, token }: TakenRun['run']): Promise<void> {
  const run = await selectRun(tx, id, true);
  if (run?.status === 'running' && run.token === token) await enqueueRun(tx, id);
}

/** What a process does for a run during its turn. */
interface Work {
  readonly ports: ExecutePorts;
  readonly tenantId: string;
  readonly taken: TakenRun;
  /** Place of the first member whose messages aren't queued yet. */
  readonly queued: { place: number };
  readonly signal: AbortSignal;
  readonly isRetry: boolean;
}

/** Decides for the members from the checkpoint on. Returns why it stopped; null if none is left. */
async function decide(work: Work): Promise<ChunkStop | 'turn' | 'too_many_failures' | null> {
  const { ports, tenantId, taken, signal, isRetry } = work;
  const { run, flow } = taken;
  const until = isRetry ? 0 : performance.now() + turnMs;
  const sends = await ports.database.withTenant(tenantId, campaignActor, (tx) =>
    integrationChannels(tx, run.channelIds),
  );
  // Whoever had the run before may have ended between a chunk and its messages.
  await queueUpTo(work, run.nextPlace);
  const { place, stop } = await decideInChunks({
    ...{ tenantId, run, flow, database: ports.database, ...ports.chunkDesk },
    isOver: (place) => signal.aborted || (place > run.nextPlace && performance.now() > until),
    afterChunk: async (place) => {
      if (sends.length > 0) await queueUpTo(work, place);
    },
  });
  await queueUpTo(work, place);
  if (stop === null && signal.aborted) throw new Error('the process stopped before the run ended');
  return stop ?? (place < run.totalCustomers ? 'turn' : null);
}

/** Queues the messages of all results below a place. */
async function queueUpTo({ ports, tenantId, taken: { run }, queued }: Work, place: number): Promise<void> {
  while (queued.place < place) {
    const next = await ports.database.withTenant(tenantId, campaignActor, (tx) =>
      queueMessages(tx, run, queued.place, place),
    );
    if (next === null) throw new Superseded();
    queued.place = next;
  }
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
    if (now === null || now.token !== run.token || now.status !== 'running') throw new Superseded();
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
