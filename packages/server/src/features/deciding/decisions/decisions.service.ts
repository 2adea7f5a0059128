import { hash, type KeyObject } from 'node:crypto';
import type { RecommendRequest, RespondAnswer, RespondRequest } from '@arbiter/contract';
import { canonicalJson, type ZoneClock } from '@arbiter/engine';
import { type Database, DatabaseError, type HotPath, systemActor, type Tx } from '../../../db/index.ts';
import { AppError } from '../../../platform/app-error.ts';
import { createBreaker, lookingAt } from '../../../platform/breaker.ts';
import type { Clock } from '../../../platform/clock.ts';
import { deriveKey, type Envelope } from '../../../platform/crypto.ts';
import { overdue, unconfirmed } from '../../../platform/deadline.ts';
import type { Outbound } from '../../../platform/outbound.ts';
import { selectKnownIds } from '../../catalogue/flows/index.ts';
import { createModelStateKeeper } from '../../catalogue/models/index.ts';
import type { CustomerKeys, KeyedHash } from '../customer-states/index.ts';
import { createEvidenceKeeper, type EvidenceKeeper } from '../evidence/index.ts';
import { createCountsKeeper } from '../objectives/index.ts';
import { type CatalogueCache, createCatalogueCache } from '../plans/index.ts';
import { createSeal, newDecisionId, requestContext, unseal } from '../sealed-records/index.ts';
import type { DecisionMetrics } from './metrics.ts';
import { createDecisionMinutes } from './minutes/decision-minutes.ts';
import { findCustomers } from './reads/find-customers.ts';
import { modelBreakerRules } from './reads/model-inputs.ts';
import { createRehearsals } from './recommend/ask-first.ts';
import { type Batcher, createBatcher } from './recommend/batcher.ts';
import { runBatch } from './recommend/decide-batch.ts';
import type { DecideJob, KnownOfJob } from './recommend/decide-job.ts';
import type { DecidePorts } from './recommend/decide-ports.ts';
import { isLate, type PatientJob, refuse } from './recommend/patience.ts';
import { readQuotaLeft } from './recommend/playground-quota.ts';
import { type RecommendCall, readRecommendCall } from './recommend/recommend.rules.ts';
import { createTrials, type Trials } from './recommend/trials.ts';
import { createWaitingRoom } from './recommend/waiting-room.ts';
import { warmUp } from './recommend/warm-up.ts';
import { findRequest } from './requests.store.ts';
import { claimCall } from './respond/claim-call.ts';
import { readRespondCall } from './respond/respond.rules.ts';
import { type RespondJob, type RespondPorts, runRespondBatch } from './respond/respond-batch.ts';
import { createStageWatch } from './traces/stage-clock.ts';
import { makeVolumes } from './volumes/make-volumes.ts';
import { createWebhookAsker } from './webhooks/webhooks.ts';

export interface DecisionDeps {
  readonly database: Database;
  readonly hot: HotPath;
  /** Connections of simulations and customer tools, so that real decisions never wait for one of theirs. */
  readonly apart: HotPath;
  readonly keys: CustomerKeys;
  readonly customerHash: KeyedHash;
  readonly clock: Clock;
  readonly zoneClock: (zone: string, now: number) => ZoneClock;
  readonly metrics: DecisionMetrics;
  /** Key from which the keys of anonymous ids are derived, per tenant; null: no DATA_ENCRYPTION_KEY. */
  readonly anonymousKey: KeyObject | null;
  /** Called for each catalogue lookup with whether memory had it. */
  readonly onCatalogueAsked?: (known: boolean) => void;
  /** Calls webhooks of flows. */
  readonly outbound: Pick<Outbound, 'call'>;
  /** Opens what flows hide of them; null: no DATA_ENCRYPTION_KEY. */
  readonly envelope: Envelope | null;
  readonly onError: (error: unknown) => void;
}

/** What a decision needs to know about its caller. */
export interface CallerFacts {
  readonly tenantId: string;
  readonly credentialId: string;
  readonly ip: string;
  readonly userAgent: string;
  readonly idempotencyKey: string | null;
  /** Monotonic ms by which the answer must be there. */
  readonly until: number;
}

/** An answer of recommend. */
export interface Recommended {
  /** JSON text of a `RecommendAnswer`. */
  readonly text: string;
  /** True: the stored answer of an earlier call, byte for byte. */
  readonly replayed: boolean;
  /** The playground's remaining quota; null for other tenants. */
  readonly quotaLeft: number | null;
}

export interface DecisionService {
  /** Decisions for previews: nothing of them is stored, counted or reserved. */
  readonly trials: Trials;
  /** Reads a recommend body. Throws AppError 400 with the path of the problem. */
  readCall(caller: Pick<CallerFacts, 'tenantId' | 'ip' | 'userAgent'>, body: RecommendRequest): RecommendCall;
  recommend(caller: CallerFacts, body: RecommendRequest): Promise<Recommended>;
  respond(caller: CallerFacts, body: RespondRequest): Promise<RespondAnswer>;
  /** The customers of responses that name none, by the response; those about a recommendation that is not known are left out. */
  customersOf(caller: CallerFacts, responses: readonly RespondRequest[]): Promise<ReadonlyMap<RespondRequest, string>>;
  /** See `claimCall`; does nothing for a call without an Idempotency-Key. */
  claimCall(caller: CallerFacts, responses: readonly unknown[]): Promise<void>;
  /** Makes the first decisions as quick as later ones; see `warmUp`. Ends by `until` (monotonic ms). */
  warmUp(until: number): Promise<void>;
  /** Refuses what has waited for its turn too long, and what has no answer in time (503). To be called a few times a second. */
  refuseLate(): void;
  /** Writes the figures of decisions; to be called every few seconds. */
  flushMinutes(): Promise<void>;
  /** IANA zone in which the tenant counts days. */
  timezoneOf(tenantId: string): Promise<string>;
  /** Waits for everything in flight, then releases its resources. */
  close(): Promise<void>;
}

/** Held customers that may each use a connection while they wait, for decisions and for responses. */
const waitingSeats = 3;
/** How long a call waits for the catalogue version that it requires. */
const freshWithinMs = 1_000;
/** Maximum waiting jobs over all tenants before requests are shed. */
const maxWaiting = 5_000;

export function createDecisionService(deps: DecisionDeps): DecisionService {
  const catalogues: CatalogueCache = createCatalogueCache(deps.database, {
    onError: deps.onError,
    onCompiled: deps.metrics.catalogueRead,
    ...(deps.onCatalogueAsked === undefined ? {} : { onAsked: deps.onCatalogueAsked }),
  });
  const evidence: EvidenceKeeper = createEvidenceKeeper(deps.database, deps.onError);
  const models = createModelStateKeeper(deps.database, deps.onError);
  const objectiveCounts = createCountsKeeper(deps.database, deps.onError);
  const minutes = createDecisionMinutes(deps.database, selectKnownIds, deps.clock, deps.onError);
  const ports: DecidePorts = {
    hot: deps.hot,
    catalogues,
    makeVolumes: (catalogue, refs) =>
      deps.database.withTenant(catalogue.tenantId, systemActor('volumes'), (tx) => makeVolumes(tx, catalogue, refs)),
    evidence,
    models,
    modelBreaker: createBreaker({
      ...modelBreakerRules,
      now: () => performance.now(),
      onMove: (to) => deps.metrics.breakerMoved('model', to),
    }),
    objectiveCounts,
    keys: deps.keys,
    seal: createSeal(),
    clock: deps.clock,
    zoneClock: deps.zoneClock,
    waitingRoom: createWaitingRoom(waitingSeats),
    askFirst: (catalogue, prepared) => rehearsals.begin(catalogue, prepared),
    observe: deps.metrics.batchDecided,
    minutes,
    stages: createStageWatch(deps.metrics.stageTook),
    batchStage: deps.metrics.stageTook,
  };
  // Rehearsals and trials don't report to the breaker, so they must not take its probe.
  const lookers: DecidePorts = { ...ports, modelBreaker: lookingAt(ports.modelBreaker) };
  const asker = createWebhookAsker(deps);
  const rehearsals = createRehearsals(
    () => lookers,
    asker,
    (tenantId, job) => decisions.submit(tenantId, job),
  );
  const decisions: Batcher<DecideJob> = createBatcher({
    // Larger batches cost less per decision: with these, 128 callers get 5 to 8 % more than with 48 and 12
    // (docs/benchmarks.md).
    maxJobs: 64,
    maxInFlight: 2,
    minJobsBeside: 32,
    keyOf: (job) => job.call.request.customerId,
    run: (tenantId, jobs, setApart) => runBatch(ports, tenantId, jobs, setApart),
  });
  const respondPorts: RespondPorts = {
    database: deps.database,
    catalogues,
    evidence,
    keys: deps.keys,
    customerHash: deps.customerHash,
    waitingRoom: createWaitingRoom(waitingSeats),
    keyOf: respondKey,
  };
  const responses: Batcher<RespondJob> = createBatcher({
    maxJobs: 24,
    maxInFlight: 2,
    minJobsBeside: 8,
    keyOf: respondKey,
    run: (tenantId, jobs, setApart) => runRespondBatch(respondPorts, tenantId, jobs, setApart),
  });
  /** Client-chosen requestIds that this process is deciding now. */
  const inFlight = new Set<string>();
  /** Jobs without an answer, by whether they store anything. */
  const submitted = new Map<PatientJob, boolean>();
  const anonymousKeys = new Map<string, KeyObject>();

  function anonymousKeyOf(tenantId: string): KeyObject {
    let key = anonymousKeys.get(tenantId);
    if (!key) {
      if (deps.anonymousKey === null)
        throw new AppError('not_configured', { detail: 'DATA_ENCRYPTION_KEY is not set' });
      key = deriveKey(deps.anonymousKey, `anonymous customers of ${tenantId}`);
      anonymousKeys.set(tenantId, key);
    }
    return key;
  }

  const factsOf = (caller: Pick<CallerFacts, 'tenantId' | 'ip' | 'userAgent'>) => ({
    ip: caller.ip,
    userAgent: caller.userAgent,
    anonymousKey: () => anonymousKeyOf(caller.tenantId),
    newRequestId: newDecisionId,
  });

  function assertRoom(): void {
    if (decisions.waiting() + responses.waiting() >= maxWaiting) {
      throw new AppError('overloaded', { retryAfterSeconds: 1 });
    }
  }

  /**
   * The outcome of a job, at its deadline at the latest: a batch has waits that it shares with others (a catalogue that is
   * read, evidence) and that do not end with the deadline of one job.
   */
  async function inTheEnd<T>(
    stores: boolean,
    submit: (resolve: (value: T) => void, reject: (error: unknown) => void) => PatientJob,
  ): Promise<T> {
    const outcome = Promise.withResolvers<T>();
    const job = submit(outcome.resolve, outcome.reject);
    submitted.set(job, stores);
    try {
      return await outcome.promise;
    } finally {
      submitted.delete(job);
    }
  }

  /** Waits for a version of the catalogue, 503 `not_fresh` when it does not come in time (docs/design/api-settled.md 8). */
  async function requireFresh(tenantId: string, version: number, until: number): Promise<void> {
    const reached = await catalogues.reached(tenantId, version, Math.min(until, performance.now() + freshWithinMs));
    if (reached >= version) return;
    throw new AppError('not_fresh', {
      detail: `The catalogue is at version ${reached} and hasn't reached ${version} yet.`,
      errors: [{ path: '/require/minConfigVersion', message: `is ${version}, but the catalogue is at ${reached}` }],
      retryAfterSeconds: 1,
    });
  }

  /** The answer that an earlier call with this requestId got; null when there was none. */
  async function readKept(
    tenantId: string,
    requestId: string,
    payloadHash: Buffer,
    until: number,
  ): Promise<Recommended | null> {
    const { isPlayground } = await catalogues.get(tenantId);
    const find = async (tx: Tx) =>
      [await findRequest(tx, requestId), isPlayground ? await readQuotaLeft(tx) : null] as const;
    const [kept, quotaLeft] = await deps.database.withTenant(tenantId, systemActor('recommend'), find, { until });
    if (kept === null) return null;
    if (kept === 'record') throw new AppError('idempotency_key_reused');
    // Before comparing payloads: for an erased customer there's nothing left to compare.
    if (kept.dataKey === null) throw new AppError('inputs_unavailable', { detail: 'the customer was erased' });
    if (!kept.payloadHash.equals(payloadHash)) throw new AppError('idempotency_key_reused');
    const key = deps.keys.open(tenantId, kept.dataKey);
    return { text: unseal(key, requestContext(tenantId, requestId), kept.answer), replayed: true, quotaLeft };
  }

  async function decideOrRepeat(
    { tenantId, until }: CallerFacts,
    body: RecommendRequest,
    call: RecommendCall,
    known: KnownOfJob,
    startedAt: number,
  ): Promise<Recommended> {
    assertRoom();
    const submit = (payloadHash: Buffer | null): Promise<Recommended> =>
      inTheEnd(!call.request.dryRun, (resolve, reject) => {
        const settle: DecideJob['resolve'] = (text, quotaLeft) => resolve({ text, replayed: false, quotaLeft });
        const job: DecideJob = { call, known, payloadHash, startedAt, until, resolve: settle, reject };
        decisions.submit(tenantId, job);
        return job;
      });
    const decideNow = (payloadHash: Buffer | null): Promise<Recommended> => {
      const { minConfigVersion } = call;
      // Calls without a requirement cost nothing.
      if (minConfigVersion === 0) return submit(payloadHash);
      return requireFresh(tenantId, minConfigVersion, until).then(() => submit(payloadHash));
    };
    if (!call.clientRequestId || call.request.dryRun) return decideNow(null);

    const { requestId } = call.request;
    // A request stays the same whatever the case of its id, and with debug.
    const { debug: _, requestId: __, ...payload } = body;
    const payloadHash = hash('sha256', canonicalJson(JSON.parse(JSON.stringify(payload))), 'buffer');
    const lock = `${tenantId} ${requestId}`;
    if (inFlight.has(lock)) {
      // What's in flight may be another repeat of a call that was answered long ago.
      const kept = await readKept(tenantId, requestId, payloadHash, until);
      if (kept !== null) return kept;
      throw new AppError('idempotency_in_progress');
    }
    inFlight.add(lock);
    try {
      const kept = await readKept(tenantId, requestId, payloadHash, until);
      if (kept !== null) return kept;
      return await decideNow(payloadHash);
    } catch (error) {
      // The twin on another node was first. Its answer is there now, because we waited for its commit.
      const twin = isRequestTaken(error) ? await readKept(tenantId, requestId, payloadHash, until) : null;
      if (twin === null) throw error;
      return twin;
    } finally {
      inFlight.delete(lock);
    }
  }

  return {
    trials: createTrials({ ...lookers, hot: deps.apart, batchStage: () => undefined }, asker),
    readCall: (caller, body) => readRecommendCall(body, factsOf(caller)),
    async recommend(caller, body) {
      const startedAt = performance.now();
      const call = readRecommendCall(body, factsOf(caller));
      const known: KnownOfJob = { flow: null };
      try {
        return await decideOrRepeat(caller, body, call, known, startedAt);
      } catch (error) {
        if (!call.request.dryRun) minutes.failed(caller.tenantId, known.flow, error, startedAt);
        throw error;
      }
    },
    async respond(caller, body) {
      const startedAt = performance.now();
      const call = readRespondCall(body, caller.idempotencyKey, deps.clock.now(), factsOf(caller));
      assertRoom();
      const { tenantId, credentialId, until } = caller;
      const answer = await inTheEnd<RespondAnswer>(true, (resolve, reject) => {
        const job: RespondJob = { call, credentialId, startedAt, until, resolve, reject };
        responses.submit(tenantId, job);
        return job;
      });
      deps.metrics.responded(tenantId, answer);
      return answer;
    },
    customersOf(caller, responses) {
      const { tenantId, until } = caller;
      const find = (tx: Tx) => findCustomers(tx, responses, factsOf(caller));
      return deps.database.withTenant(tenantId, systemActor('respond'), find, { until });
    },
    async claimCall({ tenantId, credentialId, idempotencyKey, until }, responses) {
      if (idempotencyKey === null) return;
      const claim = (tx: Tx) => claimCall(tx, deps.customerHash, credentialId, idempotencyKey, responses);
      await deps.database.withTenant(tenantId, systemActor('respond'), claim, { until });
    },
    warmUp: (until) => warmUp({ ...deps, catalogues }, until),
    refuseLate() {
      const now = performance.now();
      const late = (job: PatientJob): boolean => isLate(job, now);
      refuse(decisions.takeLate(late));
      refuse(responses.takeLate(late));
      // Waiting jobs were removed above. These are running, and their commit may be in flight.
      for (const [job, stores] of submitted) if (now >= job.until) job.reject(stores ? unconfirmed() : overdue());
    },
    flushMinutes: () => minutes.flush('due'),
    timezoneOf: async (tenantId) => (await catalogues.get(tenantId)).settings.timezone,
    async close() {
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

const isRequestTaken = (error: unknown): boolean =>
  error instanceof DatabaseError && error.kind === 'unique' && error.constraint === 'decision_requests_pkey';

const respondKey = ({ call }: RespondJob): string =>
  call.customerId ?? call.recommendationId ?? call.interactionId ?? '';
