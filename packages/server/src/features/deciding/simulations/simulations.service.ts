import {
  type SimulatedAnswer,
  type SimulateRequest,
  type Simulation,
  segmentSimulationsPerMinute,
  simulationPage,
  simulationSample,
} from '@arbiter/contract';
import { systemActor, type Tx } from '../../../db/index.ts';
import type { RequestFacts } from '../../../http/handler.ts';
import { bucketOf, type RateLimitStore } from '../../../http/limits/rate-limit.ts';
import { AppError } from '../../../platform/app-error.ts';
import { newId } from '../../../platform/ids.ts';
import { requireLive } from '../../catalogue/catalogue-records/index.ts';
import type { Archive } from '../archived-months/index.ts';
import type { CustomerKeys } from '../customer-states/index.ts';
import { answerOfTrial, type DecisionService, decideTrial, readTrialClock } from '../decisions/index.ts';
import { notSetBy, withChanges } from './edits.rules.ts';
import { chooseFlow, type FlowChoicePorts, planOf } from './flow-choice.ts';
import type { StoredFlow } from './segment-question.ts';
import { callFor, runSegmentSimulation } from './segment-run.ts';
import {
  askedOf,
  recommendBody,
  type SharedBody,
  type WantedFlow,
  wantedCompare,
  wantedFlow,
} from './simulate.rules.ts';
import { enqueueSimulation } from './simulations.jobs.ts';
import {
  endSimulation,
  findSimulation,
  insertSimulation,
  type SimulationRow,
  selectSimulations,
} from './simulations.store.ts';

export interface SimulationPorts extends FlowChoicePorts {
  readonly decisions: {
    readonly service: Pick<DecisionService, 'trials' | 'readCall'>;
    readonly keys: CustomerKeys;
    readonly archive: Archive;
  };
  readonly rateLimits: RateLimitStore;
}

export type SimulationCaller = RequestFacts;

/**
 * Returns what recommend would answer a customer now, or at `now` (docs/design/api-decisioning.md 13). Throws like
 * recommend.
 */
export async function simulateCustomer(
  ports: SimulationPorts,
  caller: SimulationCaller,
  customerId: string,
  question: {
    readonly asked: SharedBody;
    readonly wanted: WantedFlow;
    readonly now?: string;
    readonly seed?: string;
    readonly profile?: SimulateRequest['profile'];
  },
): Promise<SimulatedAnswer> {
  const { tenantId, until } = caller;
  const { trials, readCall } = ports.decisions.service;
  const { asked, wanted, seed, profile } = question;
  const at = readTrialClock(question.now);
  const call = readCall(caller, recommendBody(asked, customerId));
  const [trial] = await trials.read(
    tenantId,
    [
      {
        call,
        flow: async (catalogue) => planOf(catalogue, await chooseFlow(ports, catalogue, call.request, wanted, caller)),
        ...(seed === undefined ? {} : { seed }),
        ...(profile === undefined ? {} : { alter: ({ plan }, input) => withChanges(plan, input, { profile }) }),
      },
    ],
    at,
    until,
  );
  const answer = answerOfTrial(trial!, decideTrial(trial!));
  return {
    ...answer,
    simulated: true,
    recordedDecisionId: null,
    notSet: notSetBy(trial!.flow.plan, trial!.input, profile),
  };
}

const defaultSeed = '0';
/** Milliseconds within which a simulation over a segment is done that its caller waits for (docs/design/api-settled.md 83). */
const segmentWithinMs = 118_000;

/**
 * Starts a simulation over a segment. Returns when it has ended or, for `async`, at once (`isRunning`). Throws 429 over
 * the limit per minute, 400, and what `chooseFlow` throws for invalid questions.
 */
export async function simulateSegment(
  ports: SimulationPorts,
  caller: SimulationCaller,
  body: SimulateRequest,
  withinMs = segmentWithinMs,
): Promise<{ readonly simulation: Simulation; readonly isRunning: boolean }> {
  const { tenantId, until } = caller;
  const startedAt = performance.now();
  const { segmentId = '', seed = defaultSeed, sampleSize = simulationSample.usual } = body;
  const at = readTrialClock(body.now);
  const requestedRun = askedOf(body);
  await countCall(ports, caller);
  const flows = await flowsFor(ports, caller, body, requestedRun);
  const id = newId();
  const isAsync = body.async === true;
  const actor = systemActor('simulate');
  await ports.database.withTenant(
    tenantId,
    actor,
    async (tx) => {
      await requireLive(tx, 'segment', segmentId, '/segmentId');
      const nodeCounts = body.nodeCounts === true ? { nodeCounts: true } : {};
      const question = { asked: requestedRun, seed, sampleSize, now: at ?? tx.now.getTime(), ...nodeCounts };
      await insertSimulation(tx, { id, segmentId: segmentId.toLowerCase(), question, flows });
      if (isAsync) await enqueueSimulation(tx, id);
    },
    { until },
  );
  if (!isAsync) await runWhileWaiting(ports, tenantId, id, startedAt + withinMs);
  const simulation = await ports.database.withTenant(tenantId, actor, (tx) => getSimulation(tx, id));
  return { simulation, isRunning: isAsync };
}

async function runWhileWaiting(
  { database, decisions }: SimulationPorts,
  tenantId: string,
  id: string,
  until: number,
): Promise<void> {
  const trials = () => decisions.service.trials;
  try {
    await runSegmentSimulation({ database, trials }, { tenantId, id, until, signal: new AbortController().signal });
  } catch (error) {
    await database.withTenant(tenantId, systemActor('simulate'), (tx) =>
      endSimulation(tx, id, 'nobody', { error: 'internal', result: null }),
    );
    throw error;
  }
}

/** 20 a minute of this form (docs/design/api-decisioning.md 13); that for a customer is limited as everything is. */
async function countCall({ rateLimits }: SimulationPorts, caller: SimulationCaller): Promise<void> {
  const rule = { limit: segmentSimulationsPerMinute, windowSeconds: 60, per: 'tenant' } as const;
  const { allowed, resetSeconds } = await rateLimits.take(bucketOf('simulations.segment', rule, caller));
  if (allowed) return;
  throw new AppError('rate_limited', {
    detail: `At most ${rule.limit} simulations over segments in ${rule.windowSeconds} s.`,
    retryAfterSeconds: resetSeconds,
  });
}

/** Returns the flows to run. Checks them and the placement before anything is written. */
async function flowsFor(
  ports: SimulationPorts,
  caller: SimulationCaller,
  body: SimulateRequest,
  asked: SharedBody,
): Promise<StoredFlow[]> {
  const { tenantId, until } = caller;
  const { trials } = ports.decisions.service;
  const call = callFor({ asked }, 'nobody');
  const flows: StoredFlow[] = [];
  for (const wanted of [wantedFlow(body), wantedCompare(body)]) {
    if (wanted === null) continue;
    const chosen: StoredFlow[] = [];
    await trials.read(
      tenantId,
      [
        {
          call,
          flow: async (catalogue) => {
            const found = await chooseFlow(ports, catalogue, call.request, wanted, caller);
            chosen.push(found);
            return planOf(catalogue, found);
          },
        },
      ],
      null,
      until,
    );
    flows.push(chosen.at(-1)!);
  }
  return flows;
}

/** A simulation over a segment. 404. */
export async function getSimulation(tx: Tx, id: string): Promise<Simulation> {
  const row = await findSimulation(tx, id.toLowerCase());
  if (row === null) throw notFound();
  return show(row, tx.now);
}

export async function listSimulations(
  tx: Tx,
  query: { readonly limit?: number | undefined; readonly offset?: number | undefined },
) {
  const limit = Math.min(query.limit ?? simulationPage.usual, simulationPage.maximum);
  const offset = query.offset ?? 0;
  const { rows, total } = await selectSimulations(tx, limit, offset);
  return { data: rows.map((row) => show(row, tx.now)), pagination: { total, limit, offset } };
}

/** Ends a simulation that runs. 404; 409 `invalid_transition` when it has ended. */
export async function cancelSimulation(tx: Tx, id: string): Promise<Simulation> {
  const before = await getSimulation(tx, id);
  const ended = before.status === 'running' && (await endSimulation(tx, before.id, 'anybody', cancelled));
  if (!ended) throw new AppError('invalid_transition', { detail: 'The simulation has already ended.' });
  return getSimulation(tx, before.id);
}

const cancelled = { error: 'cancelled', result: null } as const;
const notFound = () => new AppError('not_found', { detail: 'Simulation not found.' });

/** If a lease expired this long ago, its process is gone and no other has taken over. */
const abandonedMs = 10 * 60_000;

function show(row: SimulationRow, now: Date): Simulation {
  const { question, result, leaseUntil } = row;
  const isLeft = row.status === 'running' && leaseUntil !== null && now.getTime() - leaseUntil.getTime() > abandonedMs;
  const [first] = row.flows;
  const figures = result?.figures;
  return {
    id: row.id,
    status: isLeft ? 'failed' : row.status,
    segmentId: row.segmentId,
    decisionFlowKey: first?.flow.key ?? '',
    version: first?.flow.version ?? null,
    reachableCustomers: result?.reachableCustomers ?? 0,
    sampledCustomers: figures?.sampledCustomers ?? 0,
    customersWithOffers: figures?.customersWithOffers ?? 0,
    offersDelivered: figures?.offersDelivered ?? 0,
    averageScore: figures?.averageScore ?? null,
    topOffers: figures?.topOffers ?? [],
    byChannel: figures?.byChannel ?? [],
    byCategory: figures?.byCategory ?? [],
    durationMs: row.durationMs,
    error: isLeft ? 'interrupted' : row.error,
    progress: { sampled: row.sampled, total: row.total },
    compare: result?.compare ?? null,
    diff: result?.diff ?? null,
    nodes: result?.nodes === undefined ? null : [...result.nodes],
    seed: question.seed,
    sampleSize: question.sampleSize,
    now: new Date(question.now).toISOString(),
    createdAt: row.createdAt.toISOString(),
    completedAt: row.completedAt?.toISOString() ?? null,
  };
}
