import type { JourneyNode, JourneyStep } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { newEvent } from '../../../jobs/index.ts';
import { readSettings } from '../../identity/settings/index.ts';
import { appendEvents } from '../../operations/stream/index.ts';
import { noteCaused } from '../customer-events/index.ts';
import type { JourneyGraphs } from './definitions.ts';
import { effectKey } from './effect-key.ts';
import { endEnrollment, stateOf } from './enrollments.service.ts';
import { type EnrollmentRow, insertStep, lockEnrollment, setDue, updateEnrollment } from './enrollments.store.ts';
import type { JourneyDecision, JourneyDecisionCall } from './journey-ports.ts';
import { journeyStep } from './journeys.events.ts';
import { selectJourney } from './journeys.store.ts';
import { type NodeEffects, type NodeResult, runNode } from './nodes.service.ts';

export interface StepPorts {
  readonly graphs: JourneyGraphs;
  readonly journeyEffects: NodeEffects;
}

/** A decision that was made for a step, outside of its transaction. */
export interface MadeDecision {
  readonly visit: number;
  readonly decision: JourneyDecision;
}

/**
 * What the job does next. `rest`: nothing; the tick or an event continues. `again`: the next step. `decide`: make this
 * decision and come back with it.
 */
export type StepOutcome =
  | { readonly kind: 'rest' }
  | { readonly kind: 'again' }
  | { readonly kind: 'decide'; readonly visit: number; readonly call: JourneyDecisionCall };

const rest = { kind: 'rest' } as const;

/**
 * Takes the next step of an enrollment: effects, step and state in this transaction. The enrollment's row is locked, so
 * that of several calls only one takes it. Does nothing if the enrollment has ended or waits, and holds it while its
 * journey isn't active.
 */
export async function takeStep(
  tx: Tx,
  { graphs, journeyEffects }: StepPorts,
  enrollmentId: string,
  made: MadeDecision | null,
): Promise<StepOutcome> {
  const enrollment = await lockEnrollment(tx, enrollmentId);
  if (enrollment === undefined || !isRunning(enrollment)) return rest;
  const journey = await selectJourney(tx, enrollment.journeyId);
  if (enrollment.expiresAt <= tx.now) {
    await endEnrollment(tx, enrollment, 'expired', 'maxDurationDays is over');
    return rest;
  }
  const isActive = journey !== undefined && journey.status === 'active' && journey.deletedAt === null;
  if (!isActive || !(await readSettings(tx)).enableJourneys) {
    await setDue(tx, enrollment.id, dueTime(enrollment, tx.now));
    return rest;
  }
  const graph = await graphs.read(tx, journey, enrollment.journeyVersion);
  const node = nodeOf(graph.nodes, enrollment);
  if (node.type === 'wait' && !isOver(enrollment, tx.now)) {
    if (enrollment.status === 'active') await beginWait(tx, enrollment, node);
    else await setDue(tx, enrollment.id, dueTime(enrollment, tx.now));
    return rest;
  }
  if (node.type === 'nba_decision' && made?.visit !== enrollment.visit) {
    const call = decisionCall(tx, enrollment, node);
    await noteCaused(tx, [call.requestId], enrollment.depth + 1);
    return { kind: 'decide', visit: enrollment.visit, call };
  }
  const result = await runNode(tx, journeyEffects, { enrollment, node, decision: made?.decision ?? null });
  await finishStep(tx, enrollment, node, result, graph.next(node.id, result.when));
  return result.end === undefined ? { kind: 'again' } : rest;
}

const isRunning = ({ status }: EnrollmentRow): boolean => status === 'active' || status === 'waiting';

function nodeOf(nodes: ReadonlyMap<string, JourneyNode>, { id, currentNodeId }: EnrollmentRow): JourneyNode {
  const node = nodes.get(currentNodeId ?? '');
  if (node === undefined) throw new Error(`the enrollment ${id} is at an unknown node`);
  return node;
}

/** True when the wait that the enrollment is in has ended, by its time or its event. */
const isOver = ({ status, isWoken, resumeAt }: EnrollmentRow, now: Date): boolean =>
  status === 'waiting' && (isWoken || (resumeAt !== null && resumeAt <= now));

/** When the tick must look at an enrollment that no job owns: at the end of its wait, and of its time. */
function dueTime({ isWoken, resumeAt, expiresAt }: EnrollmentRow, now: Date): Date {
  const next = resumeAt === null || isWoken ? now : resumeAt;
  return next < expiresAt ? next : expiresAt;
}

async function beginWait(
  tx: Tx,
  enrollment: EnrollmentRow,
  { config }: Extract<JourneyNode, { type: 'wait' }>,
): Promise<void> {
  // Minutes are real time: a change to daylight saving makes no wait longer or shorter.
  const resumeAt = new Date(tx.now.getTime() + config.delayMinutes * 60_000);
  const untilEvent = config.untilEvent ?? null;
  const dueAt = dueTime({ ...enrollment, resumeAt }, tx.now);
  await updateEnrollment(tx, enrollment.id, { ...stateOf(enrollment), status: 'waiting', resumeAt, untilEvent, dueAt });
}

/** Writes a step and where it leads. Without a next node, the enrollment is complete. */
async function finishStep(
  tx: Tx,
  enrollment: EnrollmentRow,
  node: JourneyNode,
  { result, detail, results = enrollment.results, end }: NodeResult,
  next: string | null,
): Promise<void> {
  const ending = end ?? (next === null ? { status: 'completed' as const, reason: null } : undefined);
  await writeStep(tx, enrollment, { nodeId: node.id, type: node.type, result, detail }, ending?.status ?? 'active');
  if (ending !== undefined) {
    await endEnrollment(tx, enrollment, ending.status, ending.reason, results);
    return;
  }
  await updateEnrollment(tx, enrollment.id, {
    ...stateOf(enrollment),
    status: 'active',
    currentNodeId: next,
    visit: enrollment.visit + 1,
    resumeAt: null,
    untilEvent: null,
    isWoken: false,
    results,
  });
}

async function writeStep(
  tx: Tx,
  enrollment: EnrollmentRow,
  step: JourneyStep,
  status: EnrollmentRow['status'],
): Promise<void> {
  const { nodeId, type: nodeType, result, detail } = step;
  await insertStep(tx, enrollment, { nodeId, nodeType, result, detail });
  const { id: enrollmentId, journeyId, journeyVersion, customerId, visit, status: previousStatus } = enrollment;
  const payload = { journeyId, journeyVersion, enrollmentId, customerId, nodeId, nodeType, visit, result };
  await appendEvents(tx, [newEvent(tx, journeyStep, { ...payload, previousStatus, status })]);
}

/** Ends an enrollment whose step can't succeed. Does nothing if it has moved on since. */
export async function failStep(tx: Tx, { graphs }: StepPorts, enrollmentId: string, reason: string): Promise<void> {
  const enrollment = await lockEnrollment(tx, enrollmentId);
  if (enrollment === undefined || !isRunning(enrollment)) return;
  const journey = await selectJourney(tx, enrollment.journeyId);
  if (journey === undefined) return;
  const { id, type } = nodeOf((await graphs.read(tx, journey, enrollment.journeyVersion)).nodes, enrollment);
  await writeStep(tx, enrollment, { nodeId: id, type, result: 'failed', detail: { reason } }, 'failed');
  await endEnrollment(tx, enrollment, 'failed', reason);
}

function decisionCall(
  tx: Tx,
  enrollment: EnrollmentRow,
  { id, config }: Extract<JourneyNode, { type: 'nba_decision' }>,
): JourneyDecisionCall {
  return {
    tenantId: tx.tenantId,
    customerId: enrollment.customerId,
    decisionFlowKey: config.decisionFlowKey,
    channel: config.channel,
    channelId: config.channelId,
    placement: config.placement,
    limit: config.limit ?? 1,
    sourceId: enrollment.journeyId,
    requestId: effectKey(enrollment, id),
  };
}
