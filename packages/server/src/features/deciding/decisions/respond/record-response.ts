import type { RespondAnswer } from '@arbiter/contract';
import type { SnapshotPolicy } from '@arbiter/engine';
import { newId } from '../../../../platform/ids.ts';
import type { OutcomeTypeFacts } from '../../../catalogue/outcomes/index.ts';
import type { ReportedExposure } from '../../assignments/index.ts';
import { addContact, addOutcome, type CustomerState, laneOf } from '../../customer-states/index.ts';
import { experimentsShown, type NewInteraction, type ShownItem } from '../../interactions/index.ts';
import { triggeredRows } from '../../suppressions/index.ts';
import { type Booking, impressionCents, outcomeCents, pricesOf } from '../../volumes/index.ts';
import type { RespondCall } from './respond.rules.ts';
import type { Responded } from './responded.ts';
import type { ResponseSubject, SubjectFacts } from './response-subject.ts';

/** A response whose customer is locked, with everything that decides what it does. */
export interface OpenResponse {
  readonly call: RespondCall;
  readonly outcome: OutcomeTypeFacts;
  readonly direction: NewInteraction['direction'];
  readonly subject: ResponseSubject;
  /** The subject's item, as read under the lock and changed by earlier responses of the batch. */
  readonly item: ShownItem | null;
  /** The item if it was reserved when it was decided. */
  readonly reservedId: string | null;
  readonly names: SubjectFacts;
  /** Changed by recording the response. */
  readonly state: CustomerState;
  readonly customerSeq: number;
  /** Epoch ms: the instant of this transaction for the customer, and when the outcome happened. */
  readonly now: number;
  readonly at: number;
}

export type ImpressionEffect = RespondAnswer['impression'];

/** What a response does, as it's being worked out. */
interface Effects {
  readonly rows: NewInteraction[];
  readonly bookings: Booking[];
  readonly exposures: ReportedExposure[];
  settlement: Responded['settlement'];
  triggered: Responded['triggered'];
}

/** Works out what a response does, and changes the customer's state. Its answer isn't stored yet. */
export function recordResponse(open: OpenResponse, outcomePolicies: readonly SnapshotPolicy[]): Responded {
  const { outcome, subject, names, item, reservedId } = open;
  // Before the row of an impression that the response implies: ids are in the order of what they name.
  const id = newId();
  const effects: Effects = { rows: [], bookings: [], exposures: [], settlement: null, triggered: [] };
  const impression = settleItem(open, effects);
  if (outcome.key === 'impression') reportImpression(open, effects, id, impression);
  else reportOutcome(open, effects, id, impression, outcomePolicies);
  const { rows, bookings, exposures, settlement, triggered } = effects;
  return {
    answer: answerOf(open, id, impression, 'recorded'),
    key: null,
    change: evidenceChange(open),
    sold: outcome.isConversion && names.tracksStock ? subject.offerId : null,
    bookings: { facts: bookings, settled: reservedId !== null && impression !== null ? [reservedId] : [] },
    confirmedBefore: impression === 'confirmed' ? (item?.reservationExpiresAt?.getTime() ?? null) : null,
    rows,
    settlement,
    exposures,
    triggered,
  };
}

/** Settles the reservation of the item, if the response is about one. Returns what becomes of its impression. */
function settleItem({ outcome, item, state, customerSeq, now }: OpenResponse, effects: Effects): ImpressionEffect {
  const { key, category } = outcome;
  if (item !== null && isOpen(item, now)) {
    if (key === 'impression' || category === 'response') {
      dropReservation(state, item.id);
      const by = key === 'impression' ? key : 'response';
      effects.settlement = { itemId: item.id, state: 'confirmed', by, customerSeq };
      return 'confirmed';
    }
    if (key === 'not_presented' || key === 'expired') {
      dropReservation(state, item.id);
      const settled = key === 'expired' ? 'expired' : 'released';
      effects.settlement = { itemId: item.id, state: settled, by: key, customerSeq };
      return 'released';
    }
  }
  if (key !== 'impression') return null;
  if (item === null) return 'counted';
  effects.settlement = { itemId: item.id, state: 'confirmed', by: 'impression', customerSeq };
  return 'late';
}

function reportImpression(open: OpenResponse, effects: Effects, id: string, impression: ImpressionEffect): void {
  const { call } = open;
  const details = impression === 'late' ? lateDetails(call.details) : call.details;
  countImpression(open, effects, id, { ...sentWith(call), details });
}

function reportOutcome(
  open: OpenResponse,
  effects: Effects,
  id: string,
  impression: ImpressionEffect,
  outcomePolicies: readonly SnapshotPolicy[],
): void {
  const { call, outcome, direction, subject, names, state, at, now } = open;
  if (impression === 'confirmed') countImpression(open, effects, newId(), {});
  const { key, isConversion, classification } = outcome;
  addOutcome(state, key, laneOf(state, laneParts(open)), at);
  const isPositive = classification === 'positive';
  const { conversionValue } = call;
  const cents = outcomeCents(pricesOf(names.budget), { key, isConversion, isPositive, conversionValue });
  book(open, effects, 0, cents, null);
  const about = { key, offerId: subject.offerId, categoryId: names.offerCategoryId, at };
  effects.triggered = triggeredRows(outcomePolicies, about, now);
  effects.rows.push({
    ...rowBase(open),
    ...sentWith(call),
    id,
    interactionType: 'response',
    outcomeKey: key,
    classification,
    direction,
    isConversion,
  });
}

/** Counts an impression as a contact. `sent`: what the caller reported with it; nothing for one that an outcome implies. */
function countImpression(
  open: OpenResponse,
  effects: Effects,
  id: string,
  sent: Partial<ReturnType<typeof sentWith>>,
): void {
  const { state, names, reservedId, at, now, item } = open;
  // A contact reported ahead of time counts from now on: it must not move the customer's decisions into the future.
  addContact(state, laneOf(state, laneParts(open)), Math.min(at, now));
  book(open, effects, 1, impressionCents(pricesOf(names.budget)), reservedId);
  const { customerId } = open.subject;
  for (const { id: experimentId, variant } of item === null ? [] : experimentsShown(item)) {
    effects.exposures.push({ experimentId, customerId, variant, at: new Date(at) });
  }
  effects.rows.push({
    ...rowBase(open),
    ...sent,
    id,
    interactionType: 'impression',
    outcomeKey: 'impression',
    classification: 'neutral',
    direction: 'outbound',
    isConversion: false,
  });
}

function book(
  { subject, at }: OpenResponse,
  { bookings }: Effects,
  impressions: 0 | 1,
  cents: number,
  confirms: string | null,
): void {
  const { offerId, creativeId, channelId } = subject;
  bookings.push({ offerId, creativeId, channelId, impressions, cents, at: new Date(at), confirms });
}

const laneParts = ({ subject: { offerId, creativeId, channelId, campaignId } }: OpenResponse) => ({
  offerId,
  creativeId,
  channelId,
  campaignId,
});

/** What all history rows of the response have in common. */
function rowBase({ subject, names, customerSeq, at }: OpenResponse) {
  return {
    customerId: subject.customerId,
    customerSeq,
    offerId: subject.offerId,
    creativeId: subject.creativeId,
    channelId: subject.channelId,
    placementId: subject.placementId,
    categoryId: names.categoryId,
    recommendationId: subject.recommendationId,
    rank: subject.rank,
    campaignId: subject.campaignId,
    conversionValue: null,
    currency: null,
    context: null,
    attributes: null,
    details: null,
    occurredAt: new Date(at),
    resolvedBy: subject.resolvedBy,
  };
}

const sentWith = ({ conversionValue, currency, context, attributes, details }: RespondCall) => ({
  conversionValue,
  currency,
  context,
  attributes,
  details,
});

export function answerOf(
  { call, outcome, direction, subject, names, at }: OpenResponse,
  interactionId: string,
  impression: ImpressionEffect,
  status: 'recorded' | 'duplicate',
): RespondAnswer {
  return {
    interactionId,
    itemInteractionId: subject.itemId,
    recommendationId: subject.recommendationId,
    rank: subject.rank,
    customerId: subject.customerId,
    outcome: outcome.key,
    classification: outcome.classification,
    outcomeCategory: outcome.category,
    offerId: subject.offerId,
    offerName: names.offerName,
    creativeId: subject.creativeId,
    creativeName: names.creativeName,
    channelId: subject.channelId,
    channelName: names.channelName,
    categoryName: names.categoryName,
    conversionValue: call.conversionValue,
    direction,
    impression,
    status,
    timestamp: new Date(at).toISOString(),
  };
}

function evidenceChange({ outcome, subject, names }: OpenResponse): Responded['change'] {
  if (outcome.category !== 'response' || outcome.classification === 'neutral') return null;
  return {
    offerId: subject.offerId,
    categoryId: names.categoryId,
    channelId: subject.channelId,
    positives: outcome.classification === 'positive' ? 1 : 0,
    negatives: outcome.classification === 'negative' ? 1 : 0,
  };
}

/** Expiry is judged on every read; the stored state may lag behind (docs/design/api-decisioning.md 4). */
const isOpen = (item: ShownItem, now: number): boolean =>
  item.reservationState === 'open' && item.reservationExpiresAt !== null && item.reservationExpiresAt.getTime() > now;

function dropReservation(state: CustomerState, id: string): void {
  state.reservations = state.reservations.filter((r) => r.id !== id);
}

function lateDetails(details: string | null): string {
  return JSON.stringify({ ...(details === null ? {} : JSON.parse(details)), late: true });
}
