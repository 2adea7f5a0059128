import type { SimulationFigures } from '@arbiter/contract';
import { decide } from '@arbiter/engine';
import { type Database, systemActor } from '../../../db/index.ts';
import { AppError } from '../../../platform/app-error.ts';
import { keyOf } from '../../../platform/crypto/crypto.ts';
import { newId } from '../../../platform/ids.ts';
import { takeTurns } from '../../../platform/turns.ts';
import { memberIds } from '../../catalogue/segments/index.ts';
import { type RecommendCall, readRecommendCall, type Trial, type Trials } from '../decisions/index.ts';
import type { LiveFlow, TenantCatalogue } from '../plans/index.ts';
import { newDecisionId } from '../sealed-records/index.ts';
import { countChanges, countDecision, diffOf, figuresOf, newChanges, newTally } from './figures.rules.ts';
import { planOf } from './flow-choice.ts';
import { countNodes, newNodeTally, nodeCountsOf } from './node-counts.rules.ts';
import { createSample } from './sample.rules.ts';
import type { SimulationResult } from './segment-question.ts';
import { recommendBody } from './simulate.rules.ts';
import {
  endSimulation,
  findSimulation,
  releaseSimulation,
  reportProgress,
  type SimulationRow,
  takeSimulation,
} from './simulations.store.ts';

export interface SegmentRunPorts {
  readonly database: Database;
  readonly trials: () => Trials;
}

export interface SegmentRun {
  readonly tenantId: string;
  readonly id: string;
  /** Monotonic ms at which it fails with `timeout`. */
  readonly until: number;
  /** Aborts when the process stops. */
  readonly signal: AbortSignal;
}

/** Members that are read in one transaction. */
const membersPerPage = 5_000;
/** Time limit for reading a page of members, in ms. */
const pageMs = 30_000;
/** Customers read together: like the batches of decisions, small enough to go unnoticed. */
const customersPerBatch = 32;
/** Time limit for one batch. */
const batchMs = 4_000;

const actor = systemActor('simulate');

/** The simulation was cancelled, or another process works on it, so this work is obsolete. */
class Superseded extends Error {}

/**
 * Runs a simulation and stores its result. Does nothing if it has ended. Throws if another process works on it, and for
 * failures that aren't a simulation's result: a retry starts over.
 */
export async function runSegmentSimulation(ports: SegmentRunPorts, run: SegmentRun): Promise<void> {
  const { tenantId, id } = run;
  const holder = newId();
  const row = await ports.database.withTenant(tenantId, actor, async (tx) => {
    const taken = await takeSimulation(tx, id, holder);
    if (taken !== null) return taken;
    if ((await findSimulation(tx, id))?.status === 'running')
      throw new Error('another process is running the simulation');
    return null;
  });
  if (row === null) return;
  const end = (error: SimulationRow['error'], result: SimulationResult | null) =>
    ports.database.withTenant(tenantId, actor, (tx) => endSimulation(tx, id, holder, { error, result }));
  try {
    const result = await simulate(ports, run, row, holder);
    await end(null, result);
  } catch (error) {
    if (error instanceof Superseded) return;
    if (performance.now() >= run.until) await end('timeout', null);
    else if (error instanceof AppError && error.code === 'not_found') await end('segment_unavailable', null);
    else {
      await ports.database.withTenant(tenantId, actor, (tx) => releaseSimulation(tx, id, holder));
      throw error;
    }
  }
}

async function simulate(
  ports: SegmentRunPorts,
  run: SegmentRun,
  row: SimulationRow,
  holder: string,
): Promise<SimulationResult> {
  const { database } = ports;
  const { tenantId, id } = run;
  const { question, flows } = row;
  const trials = ports.trials();
  const tell = async (sampled: number, total: number): Promise<void> => {
    if (run.signal.aborted) throw new Error('the process stopped before the simulation finished');
    if (performance.now() >= run.until) throw new Error('the simulation timed out');
    const shouldContinue = await database.withTenant(tenantId, actor, (tx) =>
      reportProgress(tx, id, holder, { sampled, total }),
    );
    if (!shouldContinue) throw new Superseded('another process has taken over the simulation');
  };
  const sample = await drawSample(ports, run, row, () => tell(0, 0));
  const catalogue = await trials.catalogueOf(tenantId);
  const plans: LiveFlow[] = [];
  for (const flow of flows) plans.push(await planOf(catalogue, flow));
  const chosen = sample.chosen();
  const tallies = plans.map(({ plan }) => newTally(plan));
  const changes = newChanges();
  const [first] = plans;
  const nodes = question.nodeCounts === true && first !== undefined ? newNodeTally(first.plan) : null;
  for (let at = 0; at < chosen.length; at += customersPerBatch) {
    await tell(at, chosen.length);
    const customers = chosen.slice(at, at + customersPerBatch);
    await decideFor(trials, catalogue, plans, customers, question, (made) => {
      for (const [of, decision] of made.entries()) countDecision(tallies[of]!, decision);
      const trace = made[0]?.trace ?? null;
      if (nodes !== null && trace !== null) countNodes(nodes, trace);
      const [own, other] = made.map(({ items }) => items.map(({ offerId }) => offerId));
      if (own !== undefined && other !== undefined) countChanges(changes, own, other);
    });
  }
  const [figures, compare = null] = tallies.map(figuresOf) as [SimulationFigures, SimulationFigures?];
  const [own, other] = plans;
  return {
    reachableCustomers: sample.seen(),
    figures,
    compare,
    diff: own === undefined || other === undefined ? null : diffOf(changes, own.plan, other.plan),
    ...(nodes === null ? {} : { nodes: nodeCountsOf(nodes) }),
  };
}

async function drawSample(
  { database }: SegmentRunPorts,
  { tenantId }: SegmentRun,
  { segmentId, question }: SimulationRow,
  tell: () => Promise<void>,
) {
  const sample = createSample(question.seed, question.sampleSize);
  const turns = takeTurns();
  for (let after: string | null = null; ; ) {
    const page: readonly string[] = await database.withTenant(
      tenantId,
      actor,
      (tx) => memberIds(tx, segmentId, after, membersPerPage),
      { statementTimeoutMs: pageMs },
    );
    for (const customerId of page) {
      sample.add(customerId);
      const pause = turns();
      if (pause !== undefined) await pause;
    }
    if (page.length < membersPerPage) return sample;
    after = page.at(-1) ?? null;
    await tell();
  }
}

/** The decisions of each customer, one by each plan, in the order of the plans. */
async function decideFor(
  trials: Trials,
  catalogue: TenantCatalogue,
  plans: readonly LiveFlow[],
  customers: readonly string[],
  question: SimulationRow['question'],
  take: (decisions: readonly ReturnType<typeof decide>[]) => void,
): Promise<void> {
  const questions = customers.flatMap((customerId) => {
    const call = callFor(question, customerId);
    return plans.map((plan) => ({ call, flow: () => plan, seed: `${question.seed}:${customerId}` }));
  });
  const read = await trials.readWith(catalogue, questions, question.now, performance.now() + batchMs);
  const turns = takeTurns();
  for (let at = 0; at < read.length; at += plans.length) {
    // Do both together: a plan's scratch space holds one decision at a time.
    const together = read.slice(at, at + plans.length);
    const trace = question.nodeCounts === true;
    take(together.map(({ flow, input }: Trial, of) => decide(flow.plan, input, { trace: trace && of === 0 })));
    const pause = turns();
    if (pause !== undefined) await pause;
  }
}

/** Builds a customer's call as recommend would. */
export function callFor({ asked }: Pick<SimulationRow['question'], 'asked'>, customerId: string): RecommendCall {
  const call = readRecommendCall(recommendBody(asked, ''), {
    ip: '',
    userAgent: '',
    anonymousKey: () => nobodysKey,
    newRequestId: newDecisionId,
  });
  // A row key of the segment's schema: whatever it is, it names a customer.
  return { ...call, anonymous: false, request: { ...call.request, customerId } };
}

const nobodysKey = keyOf('a key of nobody, for ids that are replaced')!;
