import type { Decision, DecisionRequest, Plan } from '@arbiter/engine';
import type { HotStatement, HotTransaction } from '../../../../db/index.ts';
import type { RunnableFlow } from '../../../catalogue/flows/index.ts';
import type { TenantCatalogue } from '../../plans/index.ts';
import type { BatchCompany } from '../recommend/batch-company.ts';
import type { DecideJob, DecisionOrigin, PreparedJob } from '../recommend/decide-job.ts';
import type { DecidePorts } from '../recommend/decide-ports.ts';
import { decideTogether } from '../recommend/decide-together.ts';
import { quotaExceeded } from '../recommend/playground-quota.ts';

/** Many customers to decide for, in one transaction with the work that asks. */
export interface Chunk {
  readonly tenantId: string;
  readonly origin: DecisionOrigin;
  readonly campaignId: string;
  readonly flow: RunnableFlow;
  /** The only channels to use, by id; null: all. */
  readonly channelIds: readonly string[] | null;
  /** Items per customer; null: the flow's. */
  readonly limit: number | null;
  /** `requestId` names the customer's decision: it is made once, however often the chunk is tried. */
  readonly customers: readonly { readonly customerId: string; readonly requestId: string }[];
  /** Monotonic ms by which the transaction must have ended. */
  readonly until: number;
  readonly work: ChunkWork;
}

/** What the transaction of a chunk does besides deciding. */
export interface ChunkWork {
  /** Runs first in each try. Returns the customers to leave out. What it throws ends the transaction. */
  open(tx: HotTransaction): Promise<ReadonlySet<string>>;
  /** Runs when all customers are locked and none is decided. */
  beforeDeciding(around: ChunkSurroundings): Promise<void>;
  /** Returns what is used up for the next decision; null: everything, and there is no decision. */
  usedUp(): { readonly offerIds: readonly string[]; readonly channelIds: readonly string[] } | null;
  /** Returns how many of the first items of a decision there is room for. */
  roomFor(items: Decision['items']): number;
  decided(decision: ChunkDecision): void;
  /** Runs when all decisions are made, and none is written. What it throws ends the transaction. */
  beforeWriting(tx: HotTransaction, around: ChunkSurroundings): Promise<void>;
  /** Statements to commit with the decisions. */
  statements(): readonly HotStatement[];
}

/** What else the server does while a chunk is decided. */
export interface ChunkSurroundings {
  /** The transaction may hold rows that those of other customers need, so none of them may depend on this one. */
  readonly holdsShared: boolean;
  /** Calls were decided just now, and others may follow. They shouldn't share the processor with more than one chunk. */
  readonly hasCalls: boolean;
}

export interface ChunkDecision {
  readonly customerId: string;
  readonly requestId: string;
  /** Also the recommendationId of its items. */
  readonly decisionId: string;
  /** One per item. */
  readonly interactionIds: readonly string[];
  readonly items: Decision['items'];
  readonly emptyReason: Decision['emptyReason'];
  /** Names of what the items refer to. */
  readonly names: Plan['names'];
}

export interface ChunkPorts extends DecidePorts {
  /** Asks the webhooks of a job's flow, and returns the job with the answers. */
  readonly askAhead: (catalogue: TenantCatalogue, prepared: PreparedJob) => Promise<DecideJob>;
  /** Whether calls were decided just now. */
  readonly hasCalls: () => boolean;
}

/** Webhooks are asked for the newest plan; it may change this many times while they respond. */
const maxRounds = 5;

/**
 * Decides for the customers of a chunk as the batches of recommend do, in one transaction that commits all of them or none
 * (docs/design/decisioning.md 4). Waits for customers that others hold, in the order of their ids. A playground without any
 * quota left gets no more decisions. Throws what the work throws, and the first error of a decision.
 */
export async function decideChunk(ports: ChunkPorts, chunk: Chunk): Promise<void> {
  const { tenantId, until } = chunk;
  let jobs = chunk.customers.map((customer) => jobFor(chunk, customer));
  const company = companyOf(chunk, ports);
  for (let round = 0; round < maxRounds; round++) {
    const asking = new Map<DecideJob, Promise<DecideJob>>();
    const failures: unknown[] = [];
    await decideTogether(
      ports,
      tenantId,
      jobs,
      {
        settle: (outcomes) => {
          for (const outcome of outcomes) {
            if (outcome.answer === null && !isOverQuota(outcome.error)) failures.push(outcome.error);
          }
        },
        leave: (catalogue, prepared) => void asking.set(prepared.job, ports.askAhead(catalogue, prepared)),
      },
      { wait: true, until, company },
    );
    if (failures.length > 0) throw failures[0];
    if (asking.size === 0) return;
    const answered = new Map(await Promise.all([...asking].map(async ([job, work]) => [job, await work] as const)));
    jobs = jobs.map((job) => answered.get(job) ?? job);
  }
  throw new Error('the flow changed too often while its webhooks answered');
}

const quotaCode = quotaExceeded().code;
const isOverQuota = (error: unknown): boolean => error instanceof Error && Reflect.get(error, 'code') === quotaCode;

function jobFor(chunk: Chunk, { customerId, requestId }: Chunk['customers'][number]): DecideJob {
  const { campaignId, channelIds, limit, flow, origin, until } = chunk;
  const request: DecisionRequest = {
    ...{ requestId, customerId, campaignId, limit },
    ...{ channel: null, channelId: null, placement: null, placements: null, locale: null, currency: null },
    ...{ context: {}, attributes: {}, segments: [], excludeOffers: [], excludeCreatives: [] },
    ...{ deduplicate: false, dryRun: false },
    ...(channelIds === null ? {} : { channelIds }),
  };
  const call = { request, anonymous: false, flow: flow.id, debug: false, minConfigVersion: 0, clientRequestId: true };
  const ignore = () => undefined;
  return {
    ...{ call, origin, flow, until, known: { flow: null }, payloadHash: null, startedAt: performance.now() },
    ...{ isSilent: true, resolve: ignore, reject: ignore },
  };
}

function companyOf({ channelIds, work }: Chunk, { hasCalls }: ChunkPorts): BatchCompany {
  return {
    open: (tx) => work.open(tx),
    beforeDeciding: (holdsShared) => work.beforeDeciding({ holdsShared, hasCalls: hasCalls() }),
    narrow(request) {
      const usedUp = work.usedUp();
      if (usedUp === null) return null;
      if (usedUp.offerIds.length === 0 && usedUp.channelIds.length === 0) return request;
      const open = channelIds?.filter((id) => !usedUp.channelIds.includes(id));
      if (open?.length === 0) return null;
      return { ...request, excludeOffers: usedUp.offerIds, ...(open === undefined ? {} : { channelIds: open }) };
    },
    roomFor: (items) => work.roomFor(items),
    beforeWriting: (tx, holdsShared) => work.beforeWriting(tx, { holdsShared, hasCalls: hasCalls() }),
    decided: ({ id, interactionIds, input, decision, flow }) =>
      work.decided({
        customerId: input.request.customerId,
        requestId: input.request.requestId,
        decisionId: id,
        interactionIds,
        items: decision.items,
        emptyReason: decision.emptyReason,
        names: flow.plan.names,
      }),
    statements: () => work.statements(),
  };
}
