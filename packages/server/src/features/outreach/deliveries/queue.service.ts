import type { Tx } from '../../../db/index.ts';
import { enqueueJobs } from '../../../jobs/index.ts';
import { newId } from '../../../platform/ids.ts';

import { countQueued, type DeliveryGuarantee, insertDeliveries, type QueuedRow } from './deliveries.store.ts';
import { storedEffectKey } from './effect-key.ts';
import { sendJob } from './send-job.ts';

/** What queues a message: its ids appear in the delivery. */
export type DeliveryOrigin =
  | { readonly source: 'campaign'; readonly campaignId: string; readonly runId: string }
  | { readonly source: 'journey'; readonly journeyId: string }
  | { readonly source: 'trigger'; readonly triggerId: string };

/** A message to queue. */
export interface NewDelivery {
  readonly origin: DeliveryOrigin;
  readonly customerId: string;
  readonly offerId: string;
  /** Rendered when the message is sent. Null: the message has no content. */
  readonly creativeId: string | null;
  readonly channelId: string;
  readonly recommendationId: string | null;
  /** The same for every repetition, of any length: the message is queued once per key. */
  readonly effectKey: string;
  /** Default `at_most_once`: a message whose fate is unknown fails as doubtful and isn't sent again. */
  readonly guarantee?: DeliveryGuarantee;
}

/** Messages of one turn in the queue, so that a campaign doesn't keep other tenants waiting. */
const messagesInTurn = 100;
const lastTurn = 100;

/**
 * Queues messages, each with its job, in the transaction. A message whose effect key was queued before stays as it is.
 * Returns their ids in the order of the messages.
 */
export async function queueDeliveries(tx: Tx, messages: readonly NewDelivery[]): Promise<string[]> {
  if (messages.length === 0) return [];
  const rows = messages.map(
    ({ origin, effectKey, guarantee = 'at_most_once', ...message }): QueuedRow => ({
      ...{ campaignId: null, runId: null, journeyId: null, triggerId: null },
      ...message,
      ...origin,
      id: newId(),
      effectKey: storedEffectKey(effectKey),
      guarantee,
    }),
  );
  const stored = await insertDeliveries(tx, rows);
  const isNew = new Set(stored.values());
  const queued = rows.filter(({ id }) => isNew.has(id));
  const ahead = (await countQueued(tx, messagesInTurn * lastTurn + queued.length)) - queued.length;
  const turn = Math.floor(Math.max(0, ahead) / messagesInTurn);
  await enqueueJobs(
    tx,
    sendJob,
    queued.map(({ id: deliveryId }) => ({ deliveryId })),
    { turn },
  );
  return rows.map(({ effectKey }) => {
    const id = stored.get(effectKey);
    if (id === undefined) throw new Error('a queued delivery is missing');
    return id;
  });
}

/** Queues one message; see `queueDeliveries`. Returns its id. */
export async function queueDelivery(tx: Tx, message: NewDelivery): Promise<string> {
  const [id] = await queueDeliveries(tx, [message]);
  if (id === undefined) throw new Error('a queued delivery is missing');
  return id;
}
