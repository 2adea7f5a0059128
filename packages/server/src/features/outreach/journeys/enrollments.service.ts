import { deepestChain, type JourneyNode } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { AppError, invalid } from '../../../platform/app-error.ts';
import { newId } from '../../../platform/ids.ts';
import { readSettings } from '../../identity/settings/index.ts';
import { matches } from '../event-conditions/index.ts';
import { enqueueAdvance } from './advance-job.ts';
import { graphOf } from './definition.rules.ts';
import { contextProblem } from './enrollments.rules.ts';
import {
  type EnrollmentRow,
  type EnrollmentState,
  insertEnrollment,
  lockCustomerInJourney,
  lockRunning,
  lockWaitingFor,
  updateEnrollment,
} from './enrollments.store.ts';
import type { EnrollmentRequest, JourneyEvent } from './journey-ports.ts';
import { type RunningJourney, selectJourney, selectJourneysEnteredBy } from './journeys.store.ts';

/** The result of an enrollment. */
export interface Enrolled {
  readonly enrollment: EnrollmentRow;
  /** False: `skip_if_active` kept the running one. */
  readonly isNew: boolean;
}

/**
 * Enrolls a customer, and enqueues the first step in this transaction. Throws 404 for a journey that is missing or
 * deleted, 409 `invalid_transition` if it isn't active or the customer doesn't match its entryCondition, 400 for a
 * context over 64 KiB, and 403 `feature_disabled`.
 */
export async function enroll(tx: Tx, request: EnrollmentRequest): Promise<Enrolled> {
  await assertEnabled(tx);
  const problem = contextProblem(request.context);
  if (problem !== null) throw invalid('/context', problem);
  const journey = await selectJourney(tx, request.journeyId);
  if (journey === undefined || journey.deletedAt !== null) {
    throw new AppError('not_found', { detail: 'This journey does not exist.' });
  }
  if (journey.status !== 'active') {
    throw new AppError('invalid_transition', { detail: `The journey is ${journey.status}; only active ones enroll.` });
  }
  if (!(await entryMatches(tx, journey, { customerId: request.customerId, data: request.context }))) {
    throw new AppError('invalid_transition', { detail: "The customer doesn't match the journey's entryCondition." });
  }
  return enrollIn(tx, journey, request);
}

/** The same for a journey that is active and whose entryCondition is met. */
async function enrollIn(tx: Tx, journey: RunningJourney, request: EnrollmentRequest): Promise<Enrolled> {
  const { customerId, deduplication = 'skip_if_active' } = request;
  if (deduplication !== 'allow_multiple') {
    await lockCustomerInJourney(tx, journey.id, customerId);
    const running = await lockRunning(tx, journey.id, customerId);
    const [newest] = running;
    if (newest !== undefined && deduplication === 'skip_if_active') return { enrollment: newest, isNew: false };
    for (const enrollment of running) await endEnrollment(tx, enrollment, 'exited', 'restarted');
  }
  const enrollment: EnrollmentRow = {
    id: newId(),
    journeyId: journey.id,
    journeyVersion: journey.version,
    customerId,
    status: 'active',
    currentNodeId: graphOf(journey.definition).entry.id,
    visit: 1,
    resumeAt: null,
    untilEvent: null,
    isWoken: false,
    expiresAt: new Date(tx.now.getTime() + journey.maxDurationDays * msPerDay),
    context: request.context,
    results: {},
    depth: request.depth ?? 0,
    startedAt: tx.now,
    endedAt: null,
    exitReason: null,
  };
  await insertEnrollment(tx, enrollment);
  await enqueueAdvance(tx, enrollment.id);
  return { enrollment, isNew: true };
}

const msPerDay = 86_400_000;

/**
 * Lets journeys react to an event: ends waits for it early, each once, and enrolls in the journeys that it enters.
 * Returns how many did. Does nothing while journeys are off.
 */
export async function onCustomerEvent(tx: Tx, event: JourneyEvent): Promise<{ resumed: number; enrolled: number }> {
  if (!(await readSettings(tx)).enableJourneys) return { resumed: 0, enrolled: 0 };
  const waiting = await lockWaitingFor(tx, event.customerId, event.type);
  for (const enrollment of waiting) {
    await updateEnrollment(tx, enrollment.id, { ...stateOf(enrollment), isWoken: true, dueAt: null });
    await enqueueAdvance(tx, enrollment.id);
  }
  // A chain of triggers and journeys that cause each other ends here.
  if ((event.depth ?? 0) >= deepestChain) return { resumed: waiting.length, enrolled: 0 };
  let enrolled = 0;
  for (const journey of await selectJourneysEnteredBy(tx, { type: event.type, segmentId: event.segmentId ?? null })) {
    if (!(await isEnteredBy(tx, journey, event))) continue;
    const { customerId, data, depth = 0 } = event;
    if (contextProblem(data) !== null) continue;
    const { isNew } = await enrollIn(tx, journey, { journeyId: journey.id, customerId, context: data, depth });
    if (isNew) enrolled += 1;
  }
  return { resumed: waiting.length, enrolled };
}

async function isEnteredBy(tx: Tx, journey: RunningJourney, event: JourneyEvent): Promise<boolean> {
  const { config } = graphOf(journey.definition).entry as Extract<JourneyNode, { type: 'entry_trigger' }>;
  const isMeant =
    (config.eventType === undefined || config.eventType === event.type) &&
    (config.segmentId === undefined || (event.type === 'segment.entered' && config.segmentId === event.segmentId));
  if (!isMeant) return false;
  const { customerId, data, outcome } = event;
  const facts = {
    customerId,
    data,
    event: { type: event.type, channel: event.channel, timestamp: event.timestamp.toISOString() },
    ...(outcome === undefined ? {} : { outcome }),
  };
  return (
    (config.condition === undefined || (await matches(tx, config.condition, facts))) &&
    (await entryMatches(tx, journey, facts))
  );
}

/** True when the customer meets the journey's entryCondition. */
export async function entryMatches(
  tx: Tx,
  { entryCondition }: Pick<RunningJourney, 'entryCondition'>,
  facts: Parameters<typeof matches>[2],
): Promise<boolean> {
  return entryCondition === null || matches(tx, entryCondition, facts);
}

/** Throws 403 `feature_disabled` if journeys are off for the tenant (docs/design/api-access.md 6). */
export async function assertEnabled(tx: Tx): Promise<void> {
  if ((await readSettings(tx)).enableJourneys) return;
  throw new AppError('feature_disabled', {
    detail: 'Journeys are disabled. Enable them with the setting enableJourneys.',
  });
}

/** An enrollment as it is, for a change of some parts. */
export const stateOf = (row: EnrollmentRow): EnrollmentState => ({
  status: row.status,
  currentNodeId: row.currentNodeId,
  visit: row.visit,
  resumeAt: row.resumeAt,
  untilEvent: row.untilEvent,
  isWoken: row.isWoken,
  results: row.results,
  endedAt: row.endedAt,
  exitReason: row.exitReason,
  dueAt: null,
});

/** Ends a running enrollment that the transaction has locked. Its job finds nothing to do. */
export async function endEnrollment(
  tx: Tx,
  enrollment: EnrollmentRow,
  status: 'completed' | 'exited' | 'failed' | 'expired',
  exitReason: string | null,
  results = enrollment.results,
): Promise<void> {
  await updateEnrollment(tx, enrollment.id, {
    ...stateOf(enrollment),
    status,
    exitReason,
    results,
    currentNodeId: null,
    resumeAt: null,
    untilEvent: null,
    isWoken: false,
    endedAt: tx.now,
  });
}
