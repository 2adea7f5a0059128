import { type IngestAnswer, type IngestRequest, maxEventDataBytes, type TriggerActionType } from '@arbiter/contract';
import type { Actor, Database, Tx } from '../../../db/index.ts';
import type { KeyedAttempt } from '../../../http/binding/keyed-work.ts';
import { invalid } from '../../../platform/app-error.ts';
import { alarmAt } from '../../../platform/deadline.ts';
import type { KeyedHash } from '../../deciding/customer-states/index.ts';
import type { EventPublisher } from '../../operations/stream/index.ts';
import { type CustomerEvent, isFromBeforeErasure } from '../customer-events/index.ts';
import {
  actionTransactions,
  type DispatchPorts,
  type DispatchResult,
  dispatchFiring,
  dropResume,
  enqueueDispatch,
  enqueueResume,
  type FirePorts,
  type Firing,
  firingsOf,
  type InTransaction,
  reactTo,
  typesOf,
} from '../triggers/index.ts';
import { customerEvent } from './ingest.events.ts';

export interface IngestPorts extends DispatchPorts, FirePorts {
  readonly database: Database;
  readonly customerHash: KeyedHash;
  readonly eventPublisher: EventPublisher;
  readonly onError: (error: unknown) => void;
}

/** Whose call it is. */
export interface IngestCaller {
  readonly tenantId: string;
  readonly actor: Actor;
  readonly requestId: string;
  readonly until: number;
  readonly idempotencyKey: string | null;
}

const dayMs = 86_400_000;
/** How long actions run within the request, together. */
const actionsWithinMs = 2_000;
/** When a job retries an action that is still running in the background, in case this process ends. */
const afterwardsMs = 10_000;
/** The first of the five retries. */
const retryInMs = 5_000;

/** Throws 400 for data over 64 KiB, and for a timestamp before 1970 or over 24 hours ahead. */
function assertBody({ data = {}, timestamp }: IngestRequest, now: Date): void {
  if (Buffer.byteLength(JSON.stringify(data)) > maxEventDataBytes)
    throw invalid('/data', 'must be at most 64 KiB as JSON');
  if (timestamp === undefined) return;
  const at = Date.parse(timestamp);
  if (at >= 0 && at <= now.getTime() + dayMs) return;
  throw invalid('/timestamp', 'must be between 1970 and 24 hours from now');
}

/**
 * Publishes an event, fires triggers, lets journeys react, and runs the actions for up to 2 s. What
 * is left becomes jobs. If publishing fails, `streamId` is null and the rest happens all the same.
 */
export async function ingestEvent(
  ports: IngestPorts,
  caller: IngestCaller,
  body: IngestRequest,
  { id, isAgain, keep }: KeyedAttempt<IngestAnswer>,
): Promise<IngestAnswer> {
  const { database, eventPublisher } = ports;
  const { tenantId, actor, requestId, until } = caller;
  const about = { ingested: true, eventType: body.type, customerId: body.customerId } as const;
  const { event, isErased, now } = await database.withTenant(
    tenantId,
    actor,
    async (tx) => {
      assertBody(body, tx.now);
      const read = eventOf(id, body, tx.now);
      // An event of now is newer than any erasure.
      const isOld = body.timestamp !== undefined && (await isFromBeforeErasure(tx, ports.customerHash, read));
      return { event: read, isErased: isOld, now: tx.now };
    },
    { requestId, until },
  );
  const streamId = isErased
    ? null
    : await eventPublisher.publish(streamEvent(tenantId, event, now), { until, isAgain });
  const firings = isErased ? [] : await fire(ports, caller, event, isAgain);
  const { dispatched, errors, ...left } = await runActions(ports, caller, firings);
  const answer: IngestAnswer = {
    ...about,
    streamId,
    triggersMatched: firings.map(({ triggerId, actionType }) => ({ triggerId, actionType })),
    actionsDispatched: dispatched.map(({ triggerId, actionType, actionConfig }) => ({
      ...{ triggerId, actionType },
      config: { ...actionConfig },
    })),
    ...(errors.length === 0 ? {} : { actionErrors: errors }),
  };
  if (firings.length > 0 || caller.idempotencyKey !== null) {
    const end = async (tx: Tx): Promise<void> => {
      for (const { id: firingId, ...options } of left.again) await enqueueDispatch(tx, firingId, options);
      if (firings.length > 0) await dropResume(tx, id);
      if (caller.idempotencyKey !== null) await keep(tx, answer);
    };
    await database.withTenant(tenantId, actor, end, { requestId, prepares: true });
  }
  return answer;
}

const eventOf = (
  id: string,
  { type, customerId, data = {}, channel, timestamp }: IngestRequest,
  now: Date,
): CustomerEvent => ({
  ...{ id, type, customerId, data, channel: channel ?? null, depth: 0 },
  timestamp: timestamp === undefined ? now : new Date(timestamp),
});

function streamEvent(tenantId: string, { id, type, customerId, channel, data, timestamp }: CustomerEvent, now: Date) {
  const payload = { type, customerId, channel, data, timestamp: timestamp.toISOString() };
  return { id, type: customerEvent.type, tenantId, timestamp: now.toISOString(), payload };
}

/** Fires triggers, with a job for their actions in case this process ends. */
function fire(ports: IngestPorts, caller: IngestCaller, event: CustomerEvent, isAgain: boolean): Promise<Firing[]> {
  const { tenantId, actor, requestId, until } = caller;
  const work = async (tx: Tx): Promise<Firing[]> => {
    const earlier = isAgain ? await firingsOf(tx, event.id) : [];
    if (earlier.length > 0) return earlier;
    const firings = await reactTo(tx, ports, event, typesOf(event.type));
    if (firings.length > 0) await enqueueResume(tx, event.id);
    return firings;
  };
  return ports.database.withTenant(tenantId, actor, work, { requestId, until, prepares: true });
}

/** An action for a job to try. */
interface LeftAction {
  readonly id: string;
  readonly inMs: number;
  readonly hasFailed: boolean;
}

interface ActionResults {
  readonly again: readonly LeftAction[];
  readonly dispatched: readonly Firing[];
  readonly errors: NonNullable<IngestAnswer['actionErrors']>;
}

/**
 * Runs the actions one after the other for up to 2 s. The one still running continues in the background, and a job retries it
 * if this process ends. The rest become jobs.
 */
async function runActions(
  ports: IngestPorts,
  { tenantId }: IngestCaller,
  firings: readonly Firing[],
): Promise<ActionResults> {
  const inTransaction = actionTransactions(ports.database, tenantId);
  const dispatched: Firing[] = [];
  const errors: { triggerId: string; actionType: TriggerActionType; error: string }[] = [];
  const again: LeftAction[] = [];
  const alarm = alarmAt(performance.now() + actionsWithinMs);
  let isLate = false;
  for (const firing of firings) {
    const { id, triggerId, actionType } = firing;
    const result = isLate ? 'left' : await Promise.race([attempt(ports, inTransaction, id), alarm.rung]);
    if (result === 'late') {
      isLate = true;
      again.push({ id, inMs: afterwardsMs, hasFailed: false });
    } else if (result === 'left' || result.kind === 'behind') again.push({ id, inMs: 0, hasFailed: false });
    else if (result.kind === 'failed' || result.kind === 'held') {
      errors.push({ triggerId, actionType, error: result.error });
      if (result.kind === 'held') again.push({ id, inMs: result.seconds * 1_000, hasFailed: false });
      else if (!result.isFinal) again.push({ id, inMs: retryInMs, hasFailed: true });
      continue;
    }
    dispatched.push(firing);
  }
  alarm.cancel();
  return { dispatched, errors, again };
}

/** Runs an action. What it throws is left to its job. */
async function attempt(ports: IngestPorts, inTransaction: InTransaction, id: string): Promise<DispatchResult> {
  try {
    return await dispatchFiring(ports, inTransaction, id);
  } catch (error) {
    ports.onError(error);
    return { kind: 'failed', error: 'internal', isFinal: false };
  }
}
