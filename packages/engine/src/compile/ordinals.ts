import type { Snapshot } from '../snapshot.ts';
import { sortById } from './catalogue.ts';
import { NONE, type Ordinals } from './plan.ts';

/** Numbers every id of the snapshot in id order, so that the order of its lists does not matter. */
export function numberIds(snapshot: Snapshot): Ordinals {
  const otherOffers = snapshot.otherOffers ?? [];
  const everyOffer = [...snapshot.offers, ...otherOffers];
  const category = numberTexts([
    ...snapshot.categories.map(({ id }) => id),
    ...everyOffer.map((offer) => offer.categoryId),
  ]);
  const subCategory = numberTexts([
    ...snapshot.subCategories.map(({ id }) => id),
    ...everyOffer.map((offer) => offer.subCategoryId),
  ]);
  const offerCategory = new Map<string, readonly [number, number]>();
  for (const offer of [...otherOffers, ...snapshot.offers]) {
    offerCategory.set(offer.id, [
      offer.categoryId === null ? NONE : (category.get(offer.categoryId) ?? NONE),
      offer.subCategoryId === null ? NONE : (subCategory.get(offer.subCategoryId) ?? NONE),
    ]);
  }
  return {
    offer: numberRows(snapshot.offers),
    creative: numberRows(snapshot.creatives),
    channel: numberRows(snapshot.channels),
    category,
    subCategory,
    offerCategory,
  };
}

function numberRows(rows: readonly { readonly id: string }[]): ReadonlyMap<string, number> {
  return new Map(sortById(rows).map(({ id }, position) => [id, position]));
}

function numberTexts(texts: readonly (string | null)[]): ReadonlyMap<string, number> {
  const distinct = [...new Set(texts.filter((text): text is string => text !== null))].sort();
  return new Map(distinct.map((text, position) => [text, position]));
}
