import { tryInSavepoint } from '../../../db/savepoint.ts';
import type { Tx } from '../../../db/tx.ts';
import { AppError } from '../../../platform/app-error.ts';
import { isUuid } from '../../../platform/ids.ts';
import { erasedAt, type KeyedHash } from '../../deciding/customer-states/index.ts';
import { forgetAuditSince, markAudit } from '../../identity/audit/index.ts';
import { placeText, readEvents, readPlace, selectHead } from '../../operations/stream/index.ts';
import { type CustomerEvent, readStreamEvent, type StreamedEventType, streamTypes } from './customer-event.ts';
import {
  type Follower,
  insertCauses,
  lockFollower,
  selectDepth,
  updateFollower,
  wakeFollower,
} from './customer-events.store.ts';

/** What reacts to events of customers: triggers and journeys. */
export interface EventListeners {
  /** Types that anything of the tenant reacts to. */
  listensTo(tx: Tx): Promise<ReadonlySet<StreamedEventType>>;
  /** Reacts to an event, in this transaction. */
  react(tx: Tx, event: CustomerEvent): Promise<void>;
}

export interface FollowPorts {
  readonly eventListeners: EventListeners;
  readonly customerHash: KeyedHash;
}

const eventsPerSlice = 50;

/**
 * Call it in the transaction that adds a listener. Events from now on reach it; those before don't, unless another
 * listener already waited.
 */
export async function startFollowing(tx: Tx): Promise<void> {
  await wakeFollower(tx, placeText({ row: await selectHead(tx), event: null }));
}

/** Notes that what the stream will report under these ids was caused by this many triggers in a row. */
export async function noteCaused(tx: Tx, ids: readonly string[], depth: number): Promise<void> {
  if (depth > 0 && ids.length > 0) await insertCauses(tx, ids, depth);
}

/** Place of an event in the stream: its row, and its number in the row. */
export interface EventPlace {
  readonly row: number;
  readonly event: number;
}

/** Queues one event for another try on its own. */
export type RetryEvent = (tx: Tx, place: EventPlace) => Promise<void>;

/**
 * Hands the next events of the stream to the listeners, and notes how far it came, in one transaction: each event
 * reaches them once. An event that a listener fails on is retried on its own, so that the ones behind it don't wait.
 * Returns true if there may be more.
 */
export async function followStream(tx: Tx, ports: FollowPorts, retry: RetryEvent): Promise<boolean> {
  const { eventListeners } = ports;
  // Behind the lock, a listener that was added before is visible.
  const follower = await lockFollower(tx);
  const listened = await eventListeners.listensTo(tx);
  if (listened.size === 0) {
    await rest(tx, follower);
    return false;
  }
  // A listener that was added without a word, such as a restored journey.
  if (follower === undefined || follower.isIdle) {
    await startFollowing(tx);
    return false;
  }
  const place = readPlace(follower.place);
  if (place === null) throw new Error('the place in the stream is not readable');
  const types = new Set<string>([...listened].map((type) => streamTypes[type]));
  const { events, next, isEnd } = await readEvents(tx, place, types, eventsPerSlice);
  for (const { place, text } of events) {
    const mark = markAudit(tx);
    const error = await tryInSavepoint(tx, () => handOver(tx, ports, text, listened));
    if (error === null) continue;
    if (isPassing(error)) throw error;
    forgetAuditSince(tx, mark);
    await retry(tx, place);
  }
  await updateFollower(tx, { place: placeText(next), isIdle: false });
  return !isEnd;
}

/** True if the database was away or another change got in first: then the whole slice is repeated, in its order. */
const isPassing = (error: unknown): boolean =>
  error instanceof AppError && (error.code === 'unavailable' || error.code === 'concurrent_modification');

/** Hands the event at this place to the listeners, unless the stream has forgotten it. Throws what a listener throws. */
export async function followEvent(tx: Tx, ports: FollowPorts, { row, event }: EventPlace): Promise<void> {
  const before = event === 0 ? { row: row - 1, event: null } : { row, event: event - 1 };
  const { events } = await readEvents(tx, before, null, 1);
  const [found] = events;
  if (found?.place.row !== row || found.place.event !== event) return;
  await handOver(tx, ports, found.text, await ports.eventListeners.listensTo(tx));
}

/** Lets the listeners react to an event of the stream, if they react to its type. */
async function handOver(
  tx: Tx,
  { eventListeners, customerHash }: FollowPorts,
  text: string,
  listened: ReadonlySet<StreamedEventType>,
): Promise<void> {
  const found = readStreamEvent(text);
  if (found === null || !listened.has(found.event.type as StreamedEventType)) return;
  if (await isFromBeforeErasure(tx, customerHash, found.event)) return;
  const depth = await selectDepth(tx, found.causeIds.filter(isUuid));
  await eventListeners.react(tx, { ...found.event, depth });
}

/** Returns whether anything of the tenant listens. If not, the next listener begins at the end of the stream. */
export async function isHeard(tx: Tx, listeners: EventListeners): Promise<boolean> {
  if ((await listeners.listensTo(tx)).size > 0) return true;
  const follower = await lockFollower(tx);
  if ((await listeners.listensTo(tx)).size > 0) return true;
  await rest(tx, follower);
  return false;
}

async function rest(tx: Tx, follower: Follower | undefined): Promise<void> {
  if (follower !== undefined && !follower.isIdle) await updateFollower(tx, { ...follower, isIdle: true });
}

/** True for an event from before the customer's erasure: it must not bring the customer back. */
export async function isFromBeforeErasure(
  tx: Tx,
  hash: KeyedHash,
  { customerId, timestamp }: Pick<CustomerEvent, 'customerId' | 'timestamp'>,
): Promise<boolean> {
  const erased = await erasedAt(tx, hash.all(tx.tenantId, customerId));
  return erased !== null && timestamp <= erased;
}
