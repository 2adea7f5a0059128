import type { Tx } from '../../../db/index.ts';
import { integrationChannels } from '../../catalogue/channels/index.ts';
import { type NewDelivery, queueDeliveries } from '../deliveries/index.ts';
import { movePlace, storeItems } from './queue-messages.store.ts';
import { selectResults } from './results.store.ts';
import type { RunRow } from './runs.store.ts';

/** Results per transaction. */
const rowsAtOnce = 200;

/**
 * Queues the messages of results from a place on: one per customer, offer and channel that sends through a provider.
 * Returns where to go on; null: the run is another process's by now. Repeating it queues nothing twice.
 */
export async function queueMessages(tx: Tx, run: RunRow, from: number, to: number): Promise<number | null> {
  const sending = new Set(await integrationChannels(tx, run.channelIds));
  const after = from - 1;
  const found =
    sending.size === 0 ? [] : await selectResults(tx, run.id, { after, status: 'decided', limit: rowsAtOnce });
  const rows = found.filter(({ place }) => place < to);
  const next = found.length < rowsAtOnce || rows.length < found.length ? to : rows.at(-1)!.place + 1;
  if (!(await movePlace(tx, run, from, next))) return null;
  if (rows.length === 0) return next;
  const messages = rows.flatMap(({ customerId, decisionId, items }) =>
    (items ?? []).flatMap(({ offerId, creativeId, channelId }): NewDelivery[] => {
      if (channelId === null || !sending.has(channelId)) return [];
      return [
        {
          origin: { source: 'campaign', campaignId: run.campaignId, runId: run.id },
          ...{ customerId, offerId, creativeId, channelId, recommendationId: decisionId },
          effectKey: keyOf(run.id, customerId, offerId, channelId),
          guarantee: run.deliveryGuarantee,
        },
      ];
    }),
  );
  const ids = await queueDeliveries(tx, messages);
  const idByKey = new Map(messages.map(({ effectKey }, at) => [effectKey, ids[at]!]));
  const stored = rows.map(({ place, customerId, items }) => ({
    place,
    items: (items ?? []).map((item) => {
      const deliveryId = idByKey.get(keyOf(run.id, customerId, item.offerId, item.channelId ?? ''));
      return deliveryId === undefined ? item.stored : { ...item.stored, d: deliveryId };
    }),
  }));
  await storeItems(tx, run.id, stored);
  return next;
}

/** What makes a message be queued once (docs/design/api-decisioning.md 14). */
const keyOf = (runId: string, customerId: string, offerId: string, channelId: string): string =>
  ['campaign', runId, offerId, channelId, customerId].join(':');
