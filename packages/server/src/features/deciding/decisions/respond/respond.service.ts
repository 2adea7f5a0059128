import type { RespondAnswer } from '@arbiter/contract';
import type { Tx } from '../../../../db/index.ts';
import type { StreamEvent } from '../../../../jobs/index.ts';
import { AppError } from '../../../../platform/app-error.ts';
import { isUuid, newId } from '../../../../platform/ids.ts';
import { findCategoryName } from '../../../catalogue/categories/index.ts';
import { findChannelFacts, hasPlacement } from '../../../catalogue/channels/index.ts';
import { findCreativeFacts } from '../../../catalogue/creatives/index.ts';
import { findOfferFacts } from '../../../catalogue/offers/index.ts';
import {
  addContact,
  addOutcome,
  type CustomerKeys,
  type CustomerState,
  decodeState,
  encodeState,
  erasedAt,
  forgetState,
  instantFor,
  type KeyedHash,
  laneOf,
  lockState,
  saveState,
} from '../../customer-states/index.ts';
import type { EvidenceChange } from '../../evidence/index.ts';
import {
  findConfirmation,
  findShownItem,
  findShownItems,
  insertInteraction,
  interactionEvent,
  itemIdOf,
  type NewInteraction,
  type ShownItem,
  settleReservation,
} from '../../interactions/index.ts';
import type { TenantCatalogue } from '../../plans/index.ts';
import { triggeredRows, writeTriggered } from '../../suppressions/index.ts';
import { type Booking, type Bookings, impressionCents, outcomeCents, pricesOf } from '../../volumes/index.ts';
import { type RespondCall, type RespondSubject, responseKeys } from './respond.rules.ts';
import { findResponse, keepResponse, takeKey } from './responses.store.ts';

/** A response's resolved subject: a shown item, or a contact without a recommendation. */
interface Subject extends RespondSubject {
  readonly item: ShownItem | null;
  readonly recommendationId: string | null;
  readonly rank: number | null;
  readonly campaignId: string | null;
  readonly resolvedBy: NewInteraction['resolvedBy'];
}

/** Keys that protect customers' data, and what remains of erased customers. */
export interface RespondKeys {
  readonly keys: CustomerKeys;
  readonly customerHash: KeyedHash;
}

/** One response's effects, for what follows the whole batch: evidence, outbox, answer. */
export interface Responded {
  readonly answer: RespondAnswer;
  readonly change: Omit<EvidenceChange, 'number'> | null;
  readonly events: readonly StreamEvent[];
  /** The offer whose stock decreases by one. */
  readonly sold: string | null;
  /** Bookings in the volumes over all customers. */
  readonly bookings: Bookings;
  /** Epoch ms at which the reservation that it confirms runs out: it must be committed before. Null: it confirms none. */
  readonly confirmedBefore: number | null;
  /** History rows that were written. */
  readonly itemIds: readonly string[];
}

const noBookings: Bookings = { facts: [], settled: [] };

type ImpressionEffect = RespondAnswer['impression'];

/**
 * Records one response in an open transaction (docs/design/api-decisioning.md 3, 4). Throws any rejection before the
 * first write, so that the batch's other responses stand. `held`: another transaction has the customer's row, and this
 * one may not `wait` for it. `in_progress`: another running transaction has the caller's key.
 */
export async function respondOne(
  tx: Tx,
  { keys, customerHash }: RespondKeys,
  catalogue: Pick<TenantCatalogue, 'outcomes' | 'outcomePolicies'>,
  call: RespondCall,
  credentialId: string,
  wait: boolean,
): Promise<Responded | 'held' | 'in_progress'> {
  const outcome = catalogue.outcomes.get(call.outcome);
  if (!outcome) throw new AppError('unknown_outcome', { detail: 'outcome must be an active outcome type' });
  const subject = await resolveSubject(tx, call);
  const direction = call.direction ?? (outcome.category === 'impression' ? 'outbound' : 'inbound');
  const customerHashes = customerHash.all(tx.tenantId, subject.customerId);
  const keyHashes = responseKeys(call, credentialId, subject, direction, customerHashes);
  const [keyHash] = keyHashes;
  if (call.explicitKey !== null && keyHash !== undefined) {
    // The key's holder may be another repeat of a response that was answered long ago.
    if (!(await takeKey(tx, keyHash))) return (await findKept(tx, call, keyHashes)) ?? 'in_progress';
    // Check before creating a row for the customer: a rejected response leaves nothing behind.
    const before = await findKept(tx, call, keyHashes);
    if (before !== null) return before;
  }
  const fresh = () => ({ ref: newId(), dataKey: keys.create(tx.tenantId) });
  const row = await lockState(tx, subject.customerId, fresh, wait);
  if (row === null) return 'held';
  // Under the lock, since the customer may have been erased while this waited for it.
  const erased = await erasedAt(tx, customerHashes);
  if (erased !== null && (call.at ?? call.receivedAt) < erased.getTime()) {
    if (row.isNew) await forgetState(tx, subject.customerId);
    throw notFound('customer');
  }
  // A derived key belongs to one customer: nobody else stores an answer under it while the row is locked.
  const before = call.explicitKey === null ? await findKept(tx, call, keyHashes) : null;
  if (before !== null) return before;
  const state = decodeState(row.state, row.base);
  const now = instantFor(state, tx.now.getTime());
  const at = call.at ?? now;
  // Read again under the lock: another response may have changed the reservation. An impression never changes.
  const isReserved = subject.item?.interactionType === 'recommendation';
  const item = isReserved ? await findShownItem(tx, subject.item.id) : subject.item;
  const names = await readNames(tx, subject);
  const customerSeq = row.customerSeq + 1;
  const base: Omit<
    NewInteraction,
    'id' | 'interactionType' | 'outcomeKey' | 'classification' | 'direction' | 'isConversion'
  > = {
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
  const answerOf = (
    interactionId: string,
    impression: ImpressionEffect,
    status: 'recorded' | 'duplicate',
  ): RespondAnswer => ({
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
  });
  const keep = async (kept: RespondAnswer): Promise<void> => {
    if (keyHash === undefined) return;
    const { payloadHash } = call;
    const { customerId } = subject;
    const isKept = await keepResponse(tx, { keyHash, payloadHash, customerId, answer: JSON.stringify(kept) });
    if (!isKept) throw new AppError('idempotency_in_progress');
  };
  if (outcome.key === 'impression' && item !== null && isCounted(item)) {
    // The row of the impression: that of an item that was reserved is another one than the item's.
    const counted = answerOf((await findConfirmation(tx, item)) ?? item.id, 'already_counted', 'duplicate');
    // A key of the caller's is given to this response like to any other.
    if (call.explicitKey !== null) await keep(counted);
    return {
      answer: counted,
      change: null,
      sold: null,
      bookings: noBookings,
      confirmedBefore: null,
      events: [],
      itemIds: [],
    };
  }

  const lane = laneOf(state, {
    offerId: subject.offerId,
    creativeId: subject.creativeId,
    channelId: subject.channelId,
    campaignId: subject.campaignId,
  });
  const written: NewInteraction[] = [];
  const write = async (row: NewInteraction): Promise<void> => {
    await insertInteraction(tx, row);
    written.push(row);
  };
  const prices = pricesOf(names.budget);
  const facts: Booking[] = [];
  const book = (impressions: 0 | 1, cents: number, confirms: string | null): void => {
    const { offerId, creativeId, channelId } = subject;
    facts.push({ offerId, creativeId, channelId, impressions, cents, at: base.occurredAt, confirms });
  };
  const countImpression = async (id: string, from: Partial<NewInteraction>): Promise<void> => {
    // A contact reported ahead of time counts from now on: it must not move the customer's decisions into the future.
    addContact(state, lane, Math.min(at, now));
    book(1, impressionCents(prices), isReserved ? subject.item.id : null);
    await write({
      ...base,
      ...from,
      id,
      interactionType: 'impression',
      outcomeKey: 'impression',
      classification: 'neutral',
      direction: 'outbound',
      isConversion: false,
    });
  };
  const sent: Partial<NewInteraction> = {
    conversionValue: call.conversionValue,
    currency: call.currency,
    context: call.context,
    attributes: call.attributes,
    details: call.details,
  };

  const open = item !== null && isOpen(item, now);
  const id = newId();
  let impression: ImpressionEffect = null;
  if (open && (outcome.key === 'impression' || outcome.category === 'response')) {
    dropReservation(state, item.id);
    await settleReservation(
      tx,
      item.id,
      'confirmed',
      outcome.key === 'impression' ? 'impression' : 'response',
      customerSeq,
    );
    impression = 'confirmed';
  } else if (open && (outcome.key === 'not_presented' || outcome.key === 'expired')) {
    dropReservation(state, item.id);
    await settleReservation(tx, item.id, outcome.key === 'expired' ? 'expired' : 'released', outcome.key, customerSeq);
    impression = 'released';
  } else if (outcome.key === 'impression') {
    if (item !== null) await settleReservation(tx, item.id, 'confirmed', 'impression', customerSeq);
    impression = item === null ? 'counted' : 'late';
  }
  if (outcome.key === 'impression') {
    await countImpression(id, {
      ...sent,
      direction,
      ...(impression === 'late' ? { details: lateDetails(call.details) } : {}),
    });
  } else {
    if (impression === 'confirmed') await countImpression(newId(), {});
    addOutcome(state, outcome.key, lane, at);
    const { key, isConversion, classification } = outcome;
    const isPositive = classification === 'positive';
    book(0, outcomeCents(prices, { key, isConversion, isPositive, conversionValue: call.conversionValue }), null);
    const about = { key: outcome.key, offerId: subject.offerId, categoryId: names.offerCategoryId, at };
    await writeTriggered(tx, subject.customerId, triggeredRows(catalogue.outcomePolicies, about, now));
    await write({
      ...base,
      ...sent,
      id,
      interactionType: 'response',
      outcomeKey: outcome.key,
      classification: outcome.classification,
      direction,
      isConversion: outcome.isConversion,
    });
  }
  await saveState(tx, {
    customerId: subject.customerId,
    customerSeq,
    hadBase: row.base !== null,
    stored: encodeState(state),
  });
  const answer = answerOf(id, impression, 'recorded');
  await keep(answer);
  const learns = outcome.category === 'response' && outcome.classification !== 'neutral';
  return {
    answer,
    change: learns
      ? {
          offerId: subject.offerId,
          categoryId: names.categoryId,
          channelId: subject.channelId,
          positives: outcome.classification === 'positive' ? 1 : 0,
          negatives: outcome.classification === 'negative' ? 1 : 0,
        }
      : null,
    sold: outcome.isConversion && names.tracksStock ? subject.offerId : null,
    bookings: { facts, settled: isReserved && impression !== null ? [subject.item.id] : [] },
    confirmedBefore: impression === 'confirmed' ? (item?.reservationExpiresAt?.getTime() ?? null) : null,
    events: written.map((row) => interactionEvent(tx, row)),
    itemIds: written.map((row) => row.id),
  };
}

/**
 * Returns the answer of an earlier response with this key, as a duplicate. Throws 422 when the caller used this key for
 * another response; a derived key is the event itself, and other values in a repeat change nothing.
 */
async function findKept(tx: Tx, call: RespondCall, keyHashes: readonly Buffer[]): Promise<Responded | null> {
  const kept = keyHashes.length === 0 ? null : await findResponse(tx, keyHashes);
  if (kept === null) return null;
  // Erasure has left only the key: the response is older than the erasure.
  if (kept.answer === null) throw notFound('customer');
  if (call.explicitKey !== null && !kept.payloadHash.equals(call.payloadHash))
    throw new AppError('idempotency_key_reused');
  return {
    answer: { ...(kept.answer as RespondAnswer), status: 'duplicate' },
    change: null,
    sold: null,
    bookings: noBookings,
    confirmedBefore: null,
    events: [],
    itemIds: [],
  };
}

/** First that applies: interaction, recommendation with rank or offer or creative, creative, offer. 404 when absent. */
async function resolveSubject(tx: Tx, call: RespondCall): Promise<Subject> {
  if (call.interactionId !== null || call.recommendationId !== null) {
    const item = await resolveItem(tx, call);
    if (call.customerId !== null && call.customerId !== item.customerId) throw notFound('recommendation');
    if (item.offerId === null) throw notFound('recommendation');
    const resolvedBy = call.interactionId !== null ? 'interaction' : 'recommendation';
    return { ...item, offerId: item.offerId, itemId: item.id, item, resolvedBy };
  }
  const customerId = call.customerId;
  if (customerId === null) throw new AppError('validation_failed', { detail: 'customerId is required' });
  const contact = { item: null, itemId: null, customerId, recommendationId: null, rank: null, campaignId: null };
  if (call.creativeId !== null) {
    const creative = isUuid(call.creativeId) ? await findCreativeFacts(tx, call.creativeId) : null;
    if (creative === null) throw notFound('creative');
    return {
      ...contact,
      resolvedBy: 'creative',
      offerId: creative.offerId,
      creativeId: creative.id,
      channelId: creative.channelId,
      placementId: creative.placementId,
    };
  }
  const offer = call.offerId !== null && isUuid(call.offerId) ? await findOfferFacts(tx, call.offerId) : null;
  if (offer === null) throw notFound('offer');
  if (call.channelId !== null && (await findChannelFacts(tx, call.channelId)) === null) throw notFound('channel');
  if (call.placementId !== null && !(await hasPlacement(tx, call.placementId))) throw notFound('placement');
  const { channelId, placementId } = call;
  return { ...contact, resolvedBy: 'offer', offerId: offer.id, creativeId: null, channelId, placementId };
}

async function resolveItem(tx: Tx, call: RespondCall): Promise<ShownItem> {
  if (call.interactionId !== null) {
    const item = await findShownItem(tx, call.interactionId);
    if (item === null || item.interactionType === 'response' || item.rank === null) throw notFound('interaction');
    // The impression of a reserved item is a row of its own, whose id was its response's answer: it means the item.
    const itemId = item.recommendationId === null ? item.id : itemIdOf(item.recommendationId, item.rank);
    return itemId === item.id ? item : ((await findShownItem(tx, itemId)) ?? item);
  }
  const items = await findShownItems(tx, call.recommendationId ?? '');
  if (items.length === 0) throw notFound('recommendation');
  const named =
    call.rank !== null
      ? items.filter((item) => item.rank === call.rank)
      : call.creativeId !== null
        ? items.filter((item) => item.creativeId === call.creativeId)
        : call.offerId !== null
          ? items.filter((item) => item.offerId === call.offerId)
          : items;
  if (named.length === 0) throw notFound('item of the recommendation');
  if (named.length > 1) {
    throw new AppError('validation_failed', {
      detail: 'rank is required: the recommendation has more than one such item',
      errors: [{ path: '/rank', message: 'is required' }],
    });
  }
  return named[0]!;
}

async function readNames(tx: Tx, subject: Subject) {
  const offer = await findOfferFacts(tx, subject.offerId);
  const creative = subject.creativeId === null ? null : await findCreativeFacts(tx, subject.creativeId);
  const channel = subject.channelId === null ? null : await findChannelFacts(tx, subject.channelId);
  const categoryId = subject.item === null ? (offer?.categoryId ?? null) : subject.item.categoryId;
  return {
    offerName: offer?.name ?? null,
    tracksStock: offer?.tracksStock ?? false,
    budget: offer?.budget,
    /** The offer's category now; `categoryId` is that at the recommendation. */
    offerCategoryId: offer?.categoryId ?? null,
    creativeName: creative?.name ?? null,
    channelName: channel?.name ?? null,
    categoryId,
    categoryName: categoryId === null ? null : await findCategoryName(tx, categoryId),
  };
}

/** The item's impression is already in history. */
const isCounted = (item: ShownItem): boolean =>
  item.interactionType === 'impression' || item.reservationState === 'confirmed';

/** Expiry is judged on every read; the stored state may lag behind (docs/design/api-decisioning.md 4). */
const isOpen = (item: ShownItem, now: number): boolean =>
  item.reservationState === 'open' && item.reservationExpiresAt !== null && item.reservationExpiresAt.getTime() > now;

function dropReservation(state: CustomerState, id: string): void {
  state.reservations = state.reservations.filter((r) => r.id !== id);
}

function lateDetails(details: string | null): string {
  return JSON.stringify({ ...(details === null ? {} : JSON.parse(details)), late: true });
}

const notFound = (what: string): AppError => new AppError('not_found', { detail: `${what} not found` });
