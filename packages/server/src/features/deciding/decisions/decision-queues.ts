import { type Database, systemActor } from '../../../db/index.ts';
import { createBreaker, lookingAt } from '../../../platform/outbound/breaker.ts';
import { selectKnownIds } from '../../catalogue/flows/index.ts';
import { createModelStateKeeper } from '../../catalogue/models/index.ts';
import { createEvidenceKeeper } from '../evidence/index.ts';
import { createCountsKeeper } from '../objectives/index.ts';
import { type CatalogueCache, createCatalogueCache } from '../plans/index.ts';
import { createSeal } from '../sealed-records/index.ts';
import { type Chunk, type ChunkPorts, decideChunk } from './chunks/decide-chunk.ts';
import type { DecisionDeps } from './decision-deps.ts';
import { createDecisionMinutes, type DecisionMinutes } from './minutes/decision-minutes.ts';
import { type Batcher, createBatcher } from './queue/batcher.ts';
import { createWaitingRoom } from './queue/waiting-room.ts';
import { modelBreakerRules } from './reads/model-inputs.ts';
import { createRehearsals } from './recommend/ask-first.ts';
import { runBatch } from './recommend/decide-batch.ts';
import type { DecideJob } from './recommend/decide-job.ts';
import type { DecidePorts } from './recommend/decide-ports.ts';
import { createTrials, type Trials } from './recommend/trials.ts';
import { type RespondJob, runRespondBatch } from './respond/respond-batch.ts';
import { createStageWatch } from './traces/stage-clock.ts';
import { makeVolumes } from './volumes/make-volumes.ts';
import { createWebhookAsker } from './webhooks/webhooks.ts';

/** The batches of decisions and responses, and what they share: the catalogues and figures in this process's memory. */
export interface DecisionQueues {
  readonly catalogues: CatalogueCache;
  readonly minutes: DecisionMinutes;
  readonly decisions: Batcher<DecideJob>;
  readonly responses: Batcher<RespondJob>;
  /** Decisions for previews: nothing of them is stored, counted or reserved. */
  readonly trials: Trials;
  /** See `decideChunk`. */
  decideChunk(chunk: Chunk): Promise<void>;
  /** Waits for everything in flight, then releases its resources. */
  close(): Promise<void>;
}

/** Customers locked by another transaction that may each use a connection while they wait, per queue. */
const waitingSeats = 3;

/** State that this process holds of each tenant, and keeps up to date. */
function createKeepers({ database, metrics, clock, onError, onCatalogueAsked }: DecisionDeps) {
  return {
    catalogues: createCatalogueCache(database, {
      onError,
      onCompiled: metrics.catalogueRead,
      ...(onCatalogueAsked === undefined ? {} : { onAsked: onCatalogueAsked }),
    }),
    evidence: createEvidenceKeeper(database, onError),
    models: createModelStateKeeper(database, onError),
    objectiveCounts: createCountsKeeper(database, onError),
    minutes: createDecisionMinutes(database, selectKnownIds, clock, onError),
  };
}

type Keepers = ReturnType<typeof createKeepers>;

function decidePorts(deps: DecisionDeps, keepers: Keepers, askFirst: DecidePorts['askFirst']): DecidePorts {
  const { hot, keys, clock, zoneClock, metrics } = deps;
  return {
    ...keepers,
    hot,
    makeVolumes: volumeMaker(deps.database),
    modelBreaker: createBreaker({
      ...modelBreakerRules,
      now: () => performance.now(),
      onMove: (to) => metrics.breakerMoved('model', to),
    }),
    keys,
    seal: createSeal(),
    clock,
    zoneClock,
    waitingRoom: createWaitingRoom(waitingSeats),
    askFirst,
    observe: metrics.batchDecided,
    stages: createStageWatch(metrics.stageTook),
    batchStage: metrics.stageTook,
  };
}

const volumeMaker =
  (database: Database): DecidePorts['makeVolumes'] =>
  (catalogue, refs) =>
    database.withTenant(catalogue.tenantId, systemActor('volumes'), (tx) => makeVolumes(tx, catalogue, refs));

function createDecisionBatcher(ports: DecidePorts, onBatch: () => void): Batcher<DecideJob> {
  return createBatcher({
    // Larger batches cost less per decision: with these, 128 callers get 5 to 8 % more than with 48 and 12
    // (docs/benchmarks.md).
    maxJobs: 64,
    maxInFlight: 2,
    minJobsBeside: 32,
    keyOf: (job) => job.call.request.customerId,
    run: (tenantId, jobs, setApart) => {
      onBatch();
      return runBatch(ports, tenantId, jobs, setApart);
    },
  });
}

function createResponseBatcher(
  { database, keys, customerHash }: DecisionDeps,
  { catalogues, evidence }: Keepers,
): Batcher<RespondJob> {
  const waitingRoom = createWaitingRoom(waitingSeats);
  const ports = { database, catalogues, evidence, keys, customerHash, waitingRoom, keyOf: respondKey };
  return createBatcher({
    maxJobs: 64,
    maxInFlight: 2,
    minJobsBeside: 32,
    keyOf: respondKey,
    run: (tenantId, jobs, setApart) => runRespondBatch(ports, tenantId, jobs, setApart),
  });
}

const respondKey = ({ call }: RespondJob): string =>
  call.customerId ?? call.recommendationId ?? call.interactionId ?? '';

export function createDecisionQueues(deps: DecisionDeps): DecisionQueues {
  const keepers = createKeepers(deps);
  const { catalogues, minutes, evidence, models, objectiveCounts } = keepers;
  const ports = decidePorts(deps, keepers, (catalogue, prepared) => rehearsals.begin(catalogue, prepared));
  // Rehearsals and trials don't report to the breaker, so they must not take its probe.
  const previewPorts: DecidePorts = { ...ports, modelBreaker: lookingAt(ports.modelBreaker) };
  const asker = createWebhookAsker(deps);
  const decisions = createDecisionBatcher(ports, deps.callSignal.note);
  const rehearsals = createRehearsals(previewPorts, asker, decisions.submit);
  const responses = createResponseBatcher(deps, keepers);
  // On connections of its own, so that calls never wait for one of a chunk.
  const chunkPorts: ChunkPorts = {
    ...ports,
    hot: deps.chunkPath,
    askAhead: rehearsals.ask,
    hasCalls: deps.callSignal.isRecent,
  };
  const chunks = new Set<Promise<void>>();
  return {
    catalogues,
    minutes,
    decisions,
    responses,
    trials: createTrials({ ...previewPorts, hot: deps.previewPath, batchStage: () => undefined }, asker),
    async decideChunk(chunk) {
      const work = decideChunk(chunkPorts, chunk);
      const ended = work.catch(() => undefined);
      chunks.add(ended);
      try {
        await work;
      } finally {
        chunks.delete(ended);
      }
    },
    async close() {
      await Promise.all(chunks);
      // Jobs waiting for a webhook are decided after it.
      await rehearsals.idle();
      await Promise.all([decisions.idle(), responses.idle()]);
      await minutes.flush('all');
      await evidence.idle();
      await models.idle();
      await objectiveCounts.idle();
      catalogues.close();
    },
  };
}
