import { createHash } from 'node:crypto';
import type { ChunkDecision } from '../../../deciding/decisions/index.ts';
import type { RunItemContent } from '../results.store.ts';

/** An item of a decision as a run stores it. */
export type RunItem = Pick<
  ChunkDecision['items'][number],
  'rank' | 'offerId' | 'creativeId' | 'channelId' | 'placementId' | 'score' | 'personalization'
>;

type Names = ChunkDecision['names'];

/** JSON of `RunItemContent` by key. */
export type RunItemTexts = Map<string, string>;

export interface ItemTexts {
  /** Returns JSON of `StoredItem[]`, and adds the contents that may not be stored yet to `contents`. */
  textOf(items: readonly RunItem[], names: Names, contents: RunItemTexts): string;
  /** Notes that a commit stored these contents. */
  noteStored(contents: RunItemTexts): void;
}

/** Enough for a run: 96 bits. */
const keyLength = 16;

/**
 * Returns a function that writes the items of a run's decisions. Most customers get the same offers, so a run stores their
 * names once. Returns text because a chunk holds it until the commit, and garbage collections would copy objects
 * repeatedly.
 */
export function createItemTexts(keepsPersonalization: boolean): ItemTexts {
  const keys = new Map<string, string>();
  const texts: RunItemTexts = new Map();
  const stored = new Set<string>();
  let known: Names | null = null;
  const keyOf = (item: RunItem, names: Names): string => {
    const ids = `${item.offerId} ${item.creativeId} ${item.channelId} ${item.placementId}`;
    let key = keys.get(ids);
    if (key === undefined) {
      const text = JSON.stringify(contentOf(item, names));
      key = createHash('sha256').update(text).digest('base64url').slice(0, keyLength);
      keys.set(ids, key);
      texts.set(key, text);
    }
    return key;
  };
  return {
    textOf(items, names, contents) {
      // Names change with the catalogue.
      if (names !== known) keys.clear();
      known = names;
      let all = '';
      for (const item of items) {
        const key = keyOf(item, names);
        if (!stored.has(key)) contents.set(key, texts.get(key)!);
        const own = keepsPersonalization ? `,"p":${JSON.stringify(item.personalization)}` : '';
        all += `${all === '' ? '' : ','}{"k":"${key}","r":${item.rank},"s":${JSON.stringify(item.score)}${own}}`;
      }
      return `[${all}]`;
    },
    noteStored(contents) {
      for (const key of contents.keys()) stored.add(key);
    },
  };
}

function contentOf({ offerId, creativeId, channelId, placementId }: RunItem, names: Names): RunItemContent {
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
