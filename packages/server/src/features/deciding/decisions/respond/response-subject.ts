import type { Tx } from '../../../../db/index.ts';
import { AppError } from '../../../../platform/app-error.ts';
import { isUuid } from '../../../../platform/ids.ts';
import { readCategoryNames } from '../../../catalogue/categories/index.ts';
import { placementsAmong, readChannelNames } from '../../../catalogue/channels/index.ts';
import { readCreativeFacts } from '../../../catalogue/creatives/index.ts';
import { readOfferFacts } from '../../../catalogue/offers/index.ts';
import { itemIdOf, type NewInteraction, readShown, type ShownItem } from '../../interactions/index.ts';
import type { RespondCall, RespondSubject } from './respond.rules.ts';

/** A response's resolved subject: a shown item, or a contact without a recommendation. */
export interface ResponseSubject extends RespondSubject {
  readonly item: ShownItem | null;
  readonly recommendationId: string | null;
  readonly rank: number | null;
  readonly campaignId: string | null;
  readonly resolvedBy: NewInteraction['resolvedBy'];
}

/** What the responses of a batch name: shown items, and records of the catalogue, deleted ones included. */
export type ResponseFacts = Awaited<ReturnType<typeof readResponseFacts>>;

/** Reads what responses name, in up to eight statements however many there are. Leaves out what doesn't exist. */
export async function readResponseFacts(tx: Tx, calls: readonly RespondCall[]) {
  const shown = await readItems(tx, calls);
  const items = [...shown.byId.values(), ...[...shown.byDecision.values()].flat()];
  const contacts = calls.filter((call) => !namesItem(call));
  const read = async <Facts>(
    ids: readonly (string | null | undefined)[],
    from: (tx: Tx, ids: readonly string[]) => Promise<Facts>,
    none: Facts,
  ): Promise<Facts> => {
    const own = [...new Set(ids.filter((id) => id != null && isUuid(id)))] as string[];
    return own.length === 0 ? none : from(tx, own);
  };
  const creatives = await read(
    [...items, ...contacts].map(({ creativeId }) => creativeId),
    readCreativeFacts,
    new Map(),
  );
  const subjects = [...items, ...contacts, ...creatives.values()];
  const offers = await read(
    subjects.map(({ offerId }) => offerId),
    readOfferFacts,
    new Map(),
  );
  const channelNames = await read(
    subjects.map(({ channelId }) => channelId),
    readChannelNames,
    new Map(),
  );
  const placements = await read(
    contacts.map(({ placementId }) => placementId),
    placementsAmong,
    new Set(),
  );
  const categoryIds = [...items, ...offers.values()].map(({ categoryId }) => categoryId);
  const categoryNames = await read(categoryIds, readCategoryNames, new Map());
  return { ...shown, creatives, offers, channelNames, placements, categoryNames };
}

const namesItem = ({ interactionId, recommendationId }: RespondCall): boolean =>
  interactionId !== null || recommendationId !== null;

async function readItems(tx: Tx, calls: readonly RespondCall[]) {
  const itemIds = calls.flatMap(({ interactionId }) => interactionId ?? []);
  const decisionIds = calls.flatMap(({ interactionId, recommendationId }) =>
    interactionId === null ? (recommendationId ?? []) : [],
  );
  const shown = await readShown(tx, { itemIds, decisionIds });
  // The impression of a reserved item is a row of its own, whose ID was its response's answer: it means the item.
  const meant = [...shown.byId.values()].map(itemMeantBy).filter((id) => !shown.byId.has(id));
  if (meant.length === 0) return shown;
  const others = await readShown(tx, { itemIds: meant, decisionIds: [] });
  return { ...shown, byId: new Map([...shown.byId, ...others.byId]) };
}

const itemMeantBy = ({ id, recommendationId, rank }: ShownItem): string =>
  recommendationId === null || rank === null ? id : itemIdOf(recommendationId, rank);

/**
 * Returns the first that applies: interaction, recommendation with rank or offer or creative, creative, offer. Throws
 * AppError `not_found` when it doesn't exist, and `validation_failed` when it could be several.
 */
export function resolveSubject(facts: ResponseFacts, call: RespondCall): ResponseSubject {
  if (namesItem(call)) {
    const item = resolveItem(facts, call);
    if (call.customerId !== null && call.customerId !== item.customerId) throw notFound('Recommendation');
    if (item.offerId === null) throw notFound('Recommendation');
    const resolvedBy = call.interactionId !== null ? 'interaction' : 'recommendation';
    return { ...item, offerId: item.offerId, itemId: item.id, item, resolvedBy };
  }
  const customerId = call.customerId;
  if (customerId === null) throw new AppError('validation_failed', { detail: 'customerId is required.' });
  const contact = { item: null, itemId: null, customerId, recommendationId: null, rank: null, campaignId: null };
  if (call.creativeId !== null) {
    const creative = facts.creatives.get(call.creativeId);
    if (creative === undefined) throw notFound('Creative');
    return {
      ...contact,
      resolvedBy: 'creative',
      offerId: creative.offerId,
      creativeId: creative.id,
      channelId: creative.channelId,
      placementId: creative.placementId,
    };
  }
  const { offerId, channelId, placementId } = call;
  if (offerId === null || !facts.offers.has(offerId)) throw notFound('Offer');
  if (channelId !== null && !facts.channelNames.has(channelId)) throw notFound('Channel');
  if (placementId !== null && !facts.placements.has(placementId)) throw notFound('Placement');
  return { ...contact, resolvedBy: 'offer', offerId, creativeId: null, channelId, placementId };
}

function resolveItem({ byId, byDecision }: ResponseFacts, call: RespondCall): ShownItem {
  if (call.interactionId !== null) {
    const item = byId.get(call.interactionId);
    if (item === undefined || item.interactionType === 'response' || item.rank === null) throw notFound('Interaction');
    return byId.get(itemMeantBy(item)) ?? item;
  }
  const items = byDecision.get(call.recommendationId ?? '');
  if (items === undefined) throw notFound('Recommendation');
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

/** Returns names and settings of what the response is about, for its answer and its effects. */
export function subjectFacts(facts: ResponseFacts, subject: ResponseSubject) {
  const offer = facts.offers.get(subject.offerId);
  const categoryId = subject.item === null ? (offer?.categoryId ?? null) : subject.item.categoryId;
  const nameOf = (names: ReadonlyMap<string, string>, id: string | null): string | null =>
    id === null ? null : (names.get(id) ?? null);
  return {
    offerName: offer?.name ?? null,
    tracksStock: offer?.tracksStock ?? false,
    budget: offer?.budget,
    /** The offer's category now; `categoryId` is that at the recommendation. */
    offerCategoryId: offer?.categoryId ?? null,
    creativeName: subject.creativeId === null ? null : (facts.creatives.get(subject.creativeId)?.name ?? null),
    channelName: nameOf(facts.channelNames, subject.channelId),
    categoryId,
    categoryName: nameOf(facts.categoryNames, categoryId),
  };
}

export type SubjectFacts = ReturnType<typeof subjectFacts>;

export const notFound = (what: string): AppError => new AppError('not_found', { detail: `${what} not found.` });
