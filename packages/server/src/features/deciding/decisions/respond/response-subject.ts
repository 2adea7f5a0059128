import type { Tx } from '../../../../db/index.ts';
import { AppError } from '../../../../platform/app-error.ts';
import { isUuid } from '../../../../platform/ids.ts';
import { findCategoryName } from '../../../catalogue/categories/index.ts';
import { findChannelFacts, hasPlacement } from '../../../catalogue/channels/index.ts';
import { findCreativeFacts } from '../../../catalogue/creatives/index.ts';
import { findOfferFacts } from '../../../catalogue/offers/index.ts';
import {
  findShownItem,
  findShownItems,
  itemIdOf,
  type NewInteraction,
  type ShownItem,
} from '../../interactions/index.ts';
import type { RespondCall, RespondSubject } from './respond.rules.ts';

/** A response's resolved subject: a shown item, or a contact without a recommendation. */
export interface ResponseSubject extends RespondSubject {
  readonly item: ShownItem | null;
  /** Null: not read yet. */
  readonly offer: OfferFacts | null;
  readonly recommendationId: string | null;
  readonly rank: number | null;
  readonly campaignId: string | null;
  readonly resolvedBy: NewInteraction['resolvedBy'];
}

/** First that applies: interaction, recommendation with rank or offer or creative, creative, offer. 404 when absent. */
export async function resolveSubject(tx: Tx, call: RespondCall): Promise<ResponseSubject> {
  if (call.interactionId !== null || call.recommendationId !== null) {
    const item = await resolveItem(tx, call);
    if (call.customerId !== null && call.customerId !== item.customerId) throw notFound('Recommendation');
    if (item.offerId === null) throw notFound('Recommendation');
    const resolvedBy = call.interactionId !== null ? 'interaction' : 'recommendation';
    return { ...item, offerId: item.offerId, itemId: item.id, item, offer: null, resolvedBy };
  }
  const customerId = call.customerId;
  if (customerId === null) throw new AppError('validation_failed', { detail: 'customerId is required.' });
  const contact = {
    item: null,
    offer: null,
    itemId: null,
    customerId,
    recommendationId: null,
    rank: null,
    campaignId: null,
  };
  if (call.creativeId !== null) {
    const creative = isUuid(call.creativeId) ? await findCreativeFacts(tx, call.creativeId) : null;
    if (creative === null) throw notFound('Creative');
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
  if (offer === null) throw notFound('Offer');
  if (call.channelId !== null && (await findChannelFacts(tx, call.channelId)) === null) throw notFound('Channel');
  if (call.placementId !== null && !(await hasPlacement(tx, call.placementId))) throw notFound('Placement');
  const { channelId, placementId } = call;
  return { ...contact, offer, resolvedBy: 'offer', offerId: offer.id, creativeId: null, channelId, placementId };
}

async function resolveItem(tx: Tx, call: RespondCall): Promise<ShownItem> {
  if (call.interactionId !== null) {
    const item = await findShownItem(tx, call.interactionId);
    if (item === null || item.interactionType === 'response' || item.rank === null) throw notFound('Interaction');
    // The impression of a reserved item is a row of its own, whose id was its response's answer: it means the item.
    const itemId = item.recommendationId === null ? item.id : itemIdOf(item.recommendationId, item.rank);
    return itemId === item.id ? item : ((await findShownItem(tx, itemId)) ?? item);
  }
  const items = await findShownItems(tx, call.recommendationId ?? '');
  if (items.length === 0) throw notFound('Recommendation');
  const named =
    call.rank !== null
      ? items.filter((item) => item.rank === call.rank)
      : call.creativeId !== null
        ? items.filter((item) => item.creativeId === call.creativeId)
        : call.offerId !== null
          ? items.filter((item) => item.offerId === call.offerId)
          : items;
  if (named.length === 0) throw notFound('Item of the recommendation');
  if (named.length > 1) {
    throw new AppError('validation_failed', {
      detail: 'rank is required, because the recommendation has more than one such item.',
      errors: [{ path: '/rank', message: 'is required' }],
    });
  }
  return named[0]!;
}

/** Names and settings of what the response is about, for its answer and its effects. */
export async function readSubjectFacts(tx: Tx, subject: ResponseSubject) {
  const offer = subject.offer ?? (await findOfferFacts(tx, subject.offerId));
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

type OfferFacts = NonNullable<Awaited<ReturnType<typeof findOfferFacts>>>;

export type SubjectFacts = Awaited<ReturnType<typeof readSubjectFacts>>;

export const notFound = (what: string): AppError => new AppError('not_found', { detail: `${what} not found.` });
