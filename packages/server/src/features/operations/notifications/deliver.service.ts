import { systemActor, type Tx } from '../../../db/index.ts';
import { Postponed } from '../../../jobs/index.ts';
import { newId } from '../../../platform/ids.ts';
import {
  type DeliveryRow,
  deleteDelivery,
  type InlineTarget,
  insertDelivery,
  selectDelivery,
  type UnsentMessage,
} from './deliveries.store.ts';
import type { MessageFile } from './message.rules.ts';
import { type DeliveryOutcome, type Destination, rejectedDelivery } from './outcome.ts';
import { selectProvider } from './providers.store.ts';
import { noteOutcome, reachable, type SendDeps } from './send.service.ts';

/** The outcome of a message delivered in the background, for the feature that sent it. */
export interface DeliveryResult {
  readonly type: DeliveryRow['type'];
  readonly originId: string;
  /** Place among the origin's destinations, from 0. */
  readonly channel: number;
  readonly ok: boolean;
  readonly providerMessageId: string | null;
  readonly error: string | null;
}

export interface DeliverDeps extends SendDeps {
  /** Tells the features above, in the transaction that notes the result. */
  readonly tellDelivery: (tx: Tx, result: DeliveryResult) => Promise<void>;
  /** Gets a message's files from the feature that sent it. */
  readonly filesOf: (tx: Tx, message: Pick<DeliveryResult, 'type' | 'originId'>) => Promise<readonly MessageFile[]>;
}

/** What the caller of `enqueueDelivery` knows. */
export interface NewDelivery {
  readonly to: string | InlineTarget;
  readonly message: UnsentMessage;
  readonly type: DeliveryRow['type'];
  readonly originId: string;
  readonly channel: number;
}

/** Puts a message into the queue of the transaction; `enqueue` puts the job. */
export async function storeDelivery(
  tx: Tx,
  { to, ...delivery }: NewDelivery,
  enqueue: (tx: Tx, deliveryId: string) => Promise<void>,
): Promise<void> {
  const id = newId();
  const whither = typeof to === 'string' ? { providerId: to, target: null } : { providerId: null, target: to };
  await insertDelivery(tx, { ...delivery, ...whither, id, createdAt: tx.now });
  await enqueue(tx, id);
}

/** A try failed. The text contains no address and never the provider's text. The queue stores its end. */
class DeliveryError extends Error {
  constructor(error: string, retryAfterSeconds: number | null) {
    super(`not delivered: ${error}${retryAfterSeconds === null ? '' : `; retry after ${retryAfterSeconds} s`}`);
    this.name = 'DeliveryError';
  }
}

/** How much later to retry a message whose destination is busy with others. */
const pauseSeconds = 2;

/**
 * Tries once to deliver a waiting message. Does nothing for a delivered one. A destination that's deleted, off or
 * answers 410 gets no further try; other failures throw, and the queue retries them. Throws `Postponed`, which doesn't
 * count as an attempt, while the destination is busy with others or the tenant has sent enough email: later messages must
 * not wait for this one.
 */
export async function deliver(deps: DeliverDeps, tenantId: string, id: string): Promise<void> {
  const { database, notifier } = deps;
  const actor = systemActor('notification.deliver');
  const waiting = await database.withTenant(tenantId, actor, async (tx) => {
    const row = await selectDelivery(tx, id);
    if (row === undefined) return null;
    const to = await destinationOfDelivery(tx, deps, row);
    const isBusy = 'kind' in to && notifier.isBusy(to);
    return { row, to, isBusy, files: 'kind' in to && !isBusy ? await deps.filesOf(tx, row) : [] };
  });
  if (waiting === null) return;
  const { row, to, isBusy, files } = waiting;
  // Others behind it in the queue must not wait for a slow destination.
  if (isBusy) throw new Postponed(pauseSeconds);
  const { type, originId, channel, message } = row;
  const outcome = 'kind' in to ? await notifier.send(to, { ...message, id, type, tenantId }, { files }) : to;
  const { ok, error, providerMessageId, isGone, retryAfterSeconds } = outcome;
  if (outcome.isHeld) throw new Postponed(retryAfterSeconds ?? pauseSeconds);
  const isOver = ok || isGone || !('kind' in to);
  await database.withTenant(tenantId, actor, async (tx) => {
    if (row.providerId !== null && 'kind' in to) await noteOutcome(tx, row.providerId, outcome);
    await deps.tellDelivery(tx, { type, originId, channel, ok, providerMessageId, error });
    if (isOver) await deleteDelivery(tx, id);
  });
  if (!isOver) throw new DeliveryError(error ?? 'failed', retryAfterSeconds);
}

async function destinationOfDelivery(
  tx: Tx,
  { envelope }: DeliverDeps,
  row: DeliveryRow,
): Promise<Destination | DeliveryOutcome> {
  if (row.target !== null) return inlineDestination(tx.tenantId, row.target);
  const provider = row.providerId === null ? undefined : await selectProvider(tx, row.providerId);
  return provider === undefined ? rejectedDelivery('destination_deleted') : reachable(tx, envelope, provider);
}

/** Inline webhooks are unsigned (docs/design/api-access.md 22). */
function inlineDestination(tenantId: string, target: InlineTarget): Destination {
  const config = target.type === 'webhook' ? { url: target.target } : { toEmails: [target.target] };
  return {
    tenantId,
    id: `${target.type} ${target.target}`,
    kind: target.type === 'webhook' ? 'webhook' : 'ops_email',
    config,
  };
}
