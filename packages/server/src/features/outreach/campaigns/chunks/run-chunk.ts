import { type Database, systemActor } from '../../../../db/index.ts';
import { derivedId } from '../../../../platform/ids.ts';
import type { RunnableFlow } from '../../../catalogue/flows/index.ts';
import type { DecisionService } from '../../../deciding/decisions/index.ts';
import { selectMembers } from '../results.store.ts';
import type { RunCounts } from './caps.rules.ts';
import { type ChunkEnd, type ChunkRun, type ChunkTurns, createRunChunk } from './chunk-work.ts';
import type { ItemTexts } from './item-texts.ts';
import { createTurnstile } from './turnstile.ts';

/** A chunk of a run. */
export interface ChunkOrder {
  readonly tenantId: string;
  readonly run: ChunkRun;
  /** Version of the flow that the run uses throughout. */
  readonly flow: RunnableFlow;
  /** Members at places from `from` up to, but not including, `to`. */
  readonly from: number;
  readonly to: number;
  /** Counts of the run, including chunks that haven't committed; zeros without caps. */
  readonly decided: RunCounts;
  /** The same for all chunks of the run. */
  readonly itemTexts: ItemTexts;
}

/** How a chunk takes turns with those before and behind it. */
export type ChunkNeighbors = Pick<ChunkTurns, 'allowNext' | 'afterBefore'>;

/** Decides for the members of a chunk in one transaction. Throws if it didn't commit. */
export type RunChunks = (order: ChunkOrder, neighbors: ChunkNeighbors) => Promise<ChunkEnd>;

export interface ChunkPorts {
  readonly database: Database;
  readonly decideChunk: DecisionService['decideChunk'];
}

/** How long the transaction of a chunk may take. */
const chunkMs = 3_500;
const campaignActor = systemActor('campaign');

/** Returns the request id of a customer's decision in a run. */
export const requestIdOf = (runId: string, customerId: string): string => derivedId(`${runId}\0${customerId}`);

/** Returns a function that decides chunks: one decides at a time, while others read and write. */
export function createRunChunks({ database, decideChunk }: ChunkPorts): RunChunks {
  const deciding = createTurnstile();
  return async ({ tenantId, run, flow, from, to, decided, itemTexts }, neighbors) => {
    const members = await database.withTenant(tenantId, campaignActor, (tx) => selectMembers(tx, run.id, from, to));
    const work = createRunChunk({
      ...{ tenantId, run, from, to, members, decided, itemTexts },
      turns: { ...neighbors, enterDeciding: deciding.enter },
    });
    try {
      await decideChunk({
        ...{ tenantId, flow, work },
        origin: { source: 'campaign', sourceId: run.id },
        campaignId: run.campaignId,
        channelIds: run.channelIds,
        limit: null,
        customers: members.map(({ customerId }) => ({ customerId, requestId: requestIdOf(run.id, customerId) })),
        until: performance.now() + chunkMs,
      });
      return work.end();
    } finally {
      work.close();
    }
  };
}
