import type { ChunkDecision } from '../../../deciding/decisions/index.ts';
import type { ResultItem } from '../results.store.ts';

/** An item of a decision as a run stores it. */
export type RunItem = Pick<
  ChunkDecision['items'][number],
  'rank' | 'offerId' | 'creativeId' | 'channelId' | 'placementId' | 'score' | 'personalization'
>;

type Names = ChunkDecision['names'];
/** Returns the members of a stored item that are the same for all customers. */
type SameForAll = Omit<ResultItem, 'rank' | 'score' | 'personalization' | 'deliveryId'>;

/**
 * Returns a function that writes the items of a decision as JSON (`ResultItem[]`). Most customers get the same offers, so it
 * writes names once. Text and not objects: a chunk holds it until the commit, and garbage collections would copy objects
 * again and again.
 */
export function createItemTexts(keepsPersonalization: boolean): (items: readonly RunItem[], names: Names) => string {
  const texts = new Map<string, string>();
  let known: Names | null = null;
  const textOf = (item: RunItem, names: Names): string => {
    const key = `${item.offerId} ${item.creativeId} ${item.channelId} ${item.placementId}`;
    let text = texts.get(key);
    if (text === undefined) {
      // Without the braces.
      text = JSON.stringify(sameForAll(item, names)).slice(1, -1);
      texts.set(key, text);
    }
    return text;
  };
  return (items, names) => {
    // Names change with the catalogue.
    if (names !== known) texts.clear();
    known = names;
    let all = '';
    for (const item of items) {
      const own = keepsPersonalization ? `,"personalization":${JSON.stringify(item.personalization)}` : '';
      const score = JSON.stringify(item.score);
      all += `${all === '' ? '' : ','}{"rank":${item.rank},"score":${score},${textOf(item, names)}${own}}`;
    }
    return `[${all}]`;
  };
}

function sameForAll({ offerId, creativeId, channelId, placementId }: RunItem, names: Names): SameForAll {
  const offer = names.offer(offerId);
  const nameOf = <T>(id: string | null | undefined, find: (id: string) => T) => (id == null ? undefined : find(id));
  return {
    ...{ offerId, creativeId, channelId, placementId },
    offerName: offer?.name ?? '',
    creativeName: nameOf(creativeId, names.creative)?.name ?? null,
    channelName: nameOf(channelId, names.channel)?.name ?? null,
    category: nameOf(offer?.categoryId, names.category)?.name ?? null,
    subCategory: nameOf(offer?.subCategoryId, names.subCategory)?.name ?? null,
  };
}
