import type { RecommendRequest, RespondAnswer, RespondRequest } from '@arbiter/contract';
import { systemActor, type Tx } from '../../../db/index.ts';
import { AppError } from '../../../platform/app-error.ts';
import type { CatalogueCache } from '../plans/index.ts';
import type { CallerFacts, Recommended } from './caller.ts';
import type { Chunk } from './chunks/decide-chunk.ts';
import type { DecisionDeps } from './decision-deps.ts';
import { createDecisionQueues, type DecisionQueues } from './decision-queues.ts';
import { claimCall, type KeyedItems } from './many/claim-call.ts';
import { isLate, type PatientJob, refuse } from './queue/patience.ts';
import { createSubmittedJobs, type SubmittedJobs } from './queue/submitted-jobs.ts';
import { findCustomers } from './reads/find-customers.ts';
import { type CallFactsOf, createCallFacts } from './recommend/call-facts.ts';
import type { DecideJob, KnownOfJob } from './recommend/decide-job.ts';
import { createDecideOnce, payloadHashOf } from './recommend/decide-once.ts';
import { type RecommendCall, readRecommendCall } from './recommend/recommend.rules.ts';
import type { Trials } from './recommend/trials.ts';
import { warmUp } from './recommend/warm-up.ts';
import { selectUnusedIds } from './requests.store.ts';
import { readRespondCall } from './respond/respond.rules.ts';
import type { RespondJob } from './respond/respond-batch.ts';

export interface DecisionService {
  /** Decisions for previews: nothing of them is stored, counted or reserved. */
  readonly trials: Trials;
  /** Reads a recommend body. Throws AppError 400 with the path of the problem. */
  readCall(caller: Pick<CallerFacts, 'tenantId' | 'ip' | 'userAgent'>, body: RecommendRequest): RecommendCall;
  /** `isNew`: no earlier call has the body's requestId. */
  recommend(caller: CallerFacts, body: RecommendRequest, isNew?: boolean): Promise<Recommended>;
  /** Returns those of the request ids that no decision has. */
  newRequests(caller: CallerFacts, requestIds: readonly string[]): Promise<ReadonlySet<string>>;
  respond(caller: CallerFacts, body: RespondRequest): Promise<RespondAnswer>;
  /** The customers of responses that name none, by the response; those about a recommendation that is not known are left out. */
  customersOf(caller: CallerFacts, responses: readonly RespondRequest[]): Promise<ReadonlyMap<RespondRequest, string>>;
  /** Like `claimCall`. Returns null for a call without an Idempotency-Key. */
  claimCall(caller: CallerFacts, route: KeyedItems['route'], items: readonly unknown[]): Promise<string | null>;
  /** Decides for many customers in one transaction with the work that asks; see `decideChunk`. */
  decideChunk(chunk: Chunk): Promise<void>;
  /** Makes the first decisions as quick as later ones; see `warmUp`. Ends by `until` (monotonic ms). */
  warmUp(until: number): Promise<void>;
  /** Rejects calls that waited too long or got no response in time (503). To be called a few times a second. */
  refuseLate(): void;
  /** Writes the figures of decisions; to be called every few seconds. */
  flushMinutes(): Promise<void>;
  /** IANA zone in which the tenant counts days. */
  timezoneOf(tenantId: string): Promise<string>;
  /** Waits for everything in flight, then releases its resources. */
  close(): Promise<void>;
}

/** How long a call waits for the catalogue version that it requires. */
const freshWithinMs = 1_000;
/** Maximum waiting jobs over all tenants before requests are shed. */
const maxWaiting = 5_000;

export function createDecisionService(deps: DecisionDeps): DecisionService {
  const queues = createDecisionQueues(deps);
  const { catalogues, minutes, decisions, responses } = queues;
  const submitted = createSubmittedJobs();
  const stopping = new AbortController();
  const factsOf = createCallFacts(deps.anonymousKey);
  const inTenant = <T>({ tenantId, until }: CallerFacts, work: (tx: Tx) => Promise<T>): Promise<T> =>
    deps.database.withTenant(tenantId, systemActor('respond'), work, { until });
  return {
    trials: queues.trials,
    readCall: (caller, body) => readRecommendCall(body, factsOf(caller)),
    recommend: recommender(deps, queues, submitted, factsOf),
    respond: responder(deps, queues, submitted, factsOf),
    customersOf: (caller, responses) => inTenant(caller, (tx) => findCustomers(tx, responses, factsOf(caller))),
    newRequests: (caller, requestIds) => inTenant(caller, (tx) => selectUnusedIds(tx, requestIds)),
    async claimCall(caller, route, items) {
      const { credentialId, idempotencyKey } = caller;
      if (idempotencyKey === null) return null;
      const keyed = { route, credentialId, idempotencyKey, items };
      return inTenant(caller, (tx) => claimCall(tx, deps.customerHash, keyed));
    },
    decideChunk: queues.decideChunk,
    warmUp: (until) => warmUp({ ...deps, catalogues, stopped: stopping.signal }, until),
    refuseLate() {
      const now = performance.now();
      const late = (job: PatientJob): boolean => isLate(job, now);
      refuse(decisions.takeLate(late));
      refuse(responses.takeLate(late));
      // Waiting jobs were removed above. These are running, and their commit may be in flight.
      submitted.rejectOverdue(now);
    },
    flushMinutes: () => minutes.flush('due'),
    timezoneOf: async (tenantId) => (await catalogues.get(tenantId)).settings.timezone,
    close() {
      stopping.abort();
      return queues.close();
    },
  };
}

function recommender(
  deps: DecisionDeps,
  queues: DecisionQueues,
  submitted: SubmittedJobs,
  factsOf: CallFactsOf,
): DecisionService['recommend'] {
  const { catalogues, decisions, minutes } = queues;
  const decideOnce = createDecideOnce({ ...deps, catalogues });

  function decideNow(
    { tenantId, until, origin }: CallerFacts,
    call: RecommendCall,
    known: KnownOfJob,
    startedAt: number,
    payloadHash: Buffer | null,
  ): Promise<Recommended> {
    const submit = (): Promise<Recommended> =>
      submitted.outcomeOf(!call.request.dryRun, (resolve, reject) => {
        const settle: DecideJob['resolve'] = (text, quotaLeft) => resolve({ text, replayed: false, quotaLeft });
        const own: DecideJob = { call, known, payloadHash, startedAt, until, resolve: settle, reject };
        const job = origin === undefined ? own : { ...own, origin };
        decisions.submit(tenantId, job);
        return job;
      });
    const { minConfigVersion } = call;
    // Calls without a requirement cost nothing.
    if (minConfigVersion === 0) return submit();
    return requireFresh(catalogues, tenantId, minConfigVersion, until).then(submit);
  }

  return async (caller, body, isNew = false) => {
    const startedAt = performance.now();
    const call = readRecommendCall(body, factsOf(caller));
    const known: KnownOfJob = { flow: null };
    const decide = (payloadHash: Buffer | null) => decideNow(caller, call, known, startedAt, payloadHash);
    try {
      assertRoom(queues);
      if (!call.clientRequestId || call.request.dryRun) return await decide(null);
      const named = { requestId: call.request.requestId, payloadHash: payloadHashOf(body), isNew };
      return await decideOnce(caller, named, decide);
    } catch (error) {
      if (!call.request.dryRun) minutes.failed(caller.tenantId, known.flow, error, startedAt);
      throw error;
    }
  };
}

function responder(
  deps: DecisionDeps,
  queues: DecisionQueues,
  submitted: SubmittedJobs,
  factsOf: CallFactsOf,
): DecisionService['respond'] {
  return async (caller, body) => {
    const startedAt = performance.now();
    const call = readRespondCall(body, caller.idempotencyKey, deps.clock.now(), factsOf(caller));
    assertRoom(queues);
    const { tenantId, credentialId, until } = caller;
    const answer = await submitted.outcomeOf<RespondAnswer>(true, (resolve, reject) => {
      const job: RespondJob = { call, credentialId, startedAt, until, resolve, reject };
      queues.responses.submit(tenantId, job);
      return job;
    });
    deps.metrics.responded(tenantId, answer);
    return answer;
  };
}

function assertRoom({ decisions, responses }: DecisionQueues): void {
  if (decisions.waiting() + responses.waiting() >= maxWaiting) {
    throw new AppError('overloaded', { retryAfterSeconds: 1 });
  }
}

/** Waits for a version of the catalogue, 503 `not_fresh` when it does not come in time (docs/design/api-settled.md 8). */
async function requireFresh(
  catalogues: CatalogueCache,
  tenantId: string,
  version: number,
  until: number,
): Promise<void> {
  const reached = await catalogues.reached(tenantId, version, Math.min(until, performance.now() + freshWithinMs));
  if (reached >= version) return;
  throw new AppError('not_fresh', {
    detail: `The catalogue is at version ${reached} and hasn't reached ${version} yet.`,
    errors: [{ path: '/require/minConfigVersion', message: `is ${version}, but the catalogue is at ${reached}` }],
    retryAfterSeconds: 1,
  });
}
