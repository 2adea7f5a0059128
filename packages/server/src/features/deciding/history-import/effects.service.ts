import type { SnapshotPolicy } from '@arbiter/engine';
import type { Tx } from '../../../db/index.ts';
import { newId } from '../../../platform/ids.ts';
import { takeTurns } from '../../../platform/turns.ts';
import { takeStock } from '../../catalogue/offers/index.ts';
import { countInRealtime } from '../../data/behavioral-metrics/index.ts';
import { readSettings } from '../../identity/settings/index.ts';
import { appendCounted } from '../../operations/stream/index.ts';
import {
  addContact,
  addOutcome,
  type CustomerState,
  decodeState,
  encodeState,
  laneOf,
  type lockStatesInOrder,
  type SavedState,
  saveHeldStates,
} from '../customer-states/index.ts';
import { appendChanges, type EvidenceChange } from '../evidence/index.ts';
import { insertInteractions, type NewInteraction } from '../interactions/index.ts';
import { realtimeCounterOf } from '../plans/index.ts';
import { triggeredRows, writeTriggered } from '../suppressions/index.ts';
import { type Booking, bookVolumes, impressionCents, outcomeCents } from '../volumes/index.ts';
import type { ImportedEvent } from './line.rules.ts';
import type { ResolvedEvent } from './resolved-event.ts';

type HeldStates = Awaited<ReturnType<typeof lockStatesInOrder>>;

/** What of an event its effects need. */
export type EventFacts = Omit<ResolvedEvent, 'keyHash' | 'event'> & {
  readonly event: Omit<ImportedEvent, 'line' | 'key'>;
};

/** Rows of history in one statement. */
const rowsPerInsert = 1_000;
/** States in one statement, which looks each of them up in a list. */
const statesPerUpdate = 500;

interface OpenState {
  readonly state: CustomerState;
  readonly hadBase: boolean;
  customerSeq: number;
}

/**
 * Writes imported events and all that they move, at the time when they happened: history, customers' counters and latest
 * outcomes, suppressions, offer counters, the tenant's figures, evidence. The caller holds the customers' rows.
 */
export async function writeEvents(
  tx: Tx,
  events: readonly EventFacts[],
  held: HeldStates,
  outcomePolicies: readonly SnapshotPolicy[],
): Promise<void> {
  const open = new Map<string, OpenState>();
  const rows: NewInteraction[] = [];
  const turns = takeTurns();
  for (const each of events) {
    const { customerId } = each.event;
    let customer = open.get(customerId);
    if (customer === undefined) {
      const row = held.get(customerId);
      if (row === undefined) throw new Error("the event's customer row isn't locked");
      customer = {
        state: decodeState(row.state, row.base),
        hadBase: row.base !== null,
        customerSeq: row.customerSeq,
      };
      open.set(customerId, customer);
    }
    customer.customerSeq += 1;
    await turns();
    count(customer.state, each);
    rows.push(rowOf(each, customer.customerSeq));
    const { outcome, offerId, categoryId, event } = each;
    if (outcome.key !== 'impression') {
      const about = { key: outcome.key, offerId, categoryId, at: event.at };
      await writeTriggered(tx, customerId, triggeredRows(outcomePolicies, about, tx.now.getTime()));
    }
  }
  for (let from = 0; from < rows.length; from += rowsPerInsert) {
    await insertInteractions(tx, rows.slice(from, from + rowsPerInsert));
  }
  const saved: SavedState[] = [];
  for (const [customerId, { state, hadBase, customerSeq }] of open) {
    saved.push({ customerId, customerSeq, hadBase, stored: encodeState(state) });
    await turns();
  }
  for (let from = 0; from < saved.length; from += statesPerUpdate) {
    await saveHeldStates(tx, saved.slice(from, from + statesPerUpdate));
  }
  await takeStock(
    tx,
    events.flatMap(({ outcome, offerId }) => (outcome.isConversion ? [offerId] : [])),
  );
  await appendCounted(
    tx,
    rows.map(({ id }) => id),
  );
  const settings = await readSettings(tx);
  const counter = await realtimeCounterOf(tx, settings);
  await countInRealtime(
    tx,
    counter,
    rows.map(({ id }) => id),
  );
  await appendChanges(tx, evidenceOf(events));
  // Last: volumes are held after everything else.
  await bookVolumes(tx, { facts: events.map(bookingOf), settled: [] }, settings.timezone);
}

/** What the event costs the budgets of its offer, creative and channel, at the prices of now. */
function bookingOf({ event, outcome, offerId, creativeId, channelId, prices }: EventFacts): Booking {
  const { key, isConversion, classification } = outcome;
  const isImpression = key === 'impression';
  const isPositive = classification === 'positive';
  return {
    offerId,
    creativeId,
    channelId,
    impressions: isImpression ? 1 : 0,
    cents: isImpression
      ? impressionCents(prices)
      : outcomeCents(prices, { key, isConversion, isPositive, conversionValue: event.conversionValue }),
    at: new Date(event.at),
    confirms: null,
  };
}

function count(state: CustomerState, { event, outcome, offerId, creativeId, channelId }: EventFacts): void {
  const lane = laneOf(state, { offerId, creativeId, channelId, campaignId: event.campaignId });
  if (outcome.key === 'impression') addContact(state, lane, event.at);
  else addOutcome(state, outcome.key, lane, event.at);
}

function rowOf(
  { event, outcome, offerId, categoryId, creativeId, channelId, placementId }: EventFacts,
  customerSeq: number,
): NewInteraction {
  const isImpression = outcome.key === 'impression';
  return {
    id: newId(),
    customerId: event.customerId,
    customerSeq,
    interactionType: isImpression ? 'impression' : 'response',
    outcomeKey: outcome.key,
    classification: isImpression ? 'neutral' : outcome.classification,
    direction: event.direction ?? (outcome.category === 'impression' ? 'outbound' : 'inbound'),
    isConversion: !isImpression && outcome.isConversion,
    offerId,
    creativeId,
    channelId,
    placementId,
    categoryId,
    recommendationId: null,
    rank: null,
    campaignId: event.campaignId,
    conversionValue: event.conversionValue,
    currency: event.currency,
    context: event.context,
    attributes: null,
    details: null,
    occurredAt: new Date(event.at),
    resolvedBy: 'import',
  };
}

/** One change for each offer on a channel: a state is the sum of its changes. */
function evidenceOf(events: readonly EventFacts[]): Omit<EvidenceChange, 'number'>[] {
  const changes = new Map<string, { offerId: string; categoryId: string | null; channelId: string | null } & Counts>();
  for (const { outcome, offerId, categoryId, channelId } of events) {
    if (outcome.category !== 'response' || outcome.classification === 'neutral') continue;
    const key = `${offerId} ${channelId}`;
    let change = changes.get(key);
    if (change === undefined) {
      change = { offerId, categoryId, channelId, positives: 0, negatives: 0 };
      changes.set(key, change);
    }
    if (outcome.classification === 'positive') change.positives += 1;
    else change.negatives += 1;
  }
  return [...changes.values()];
}

interface Counts {
  positives: number;
  negatives: number;
}
