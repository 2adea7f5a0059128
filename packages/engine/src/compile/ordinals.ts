import { NONE, type Ordinals } from '../plan/ordinals.ts';
import type { Snapshot } from '../plan/snapshot.ts';
import { rowsPerCount, sortById } from './catalogue.ts';

/** Numbers every id of the snapshot in id order, so that the order of its lists does not matter. */
export function* numberIds(snapshot: Snapshot): Generator<void, Ordinals> {
  const otherOffers = snapshot.otherOffers ?? [];
  const everyOffer = [...otherOffers, ...snapshot.offers];
  const category = numberTexts([
    ...snapshot.categories.map(({ id }) => id),
    ...everyOffer.map((offer) => offer.categoryId),
  ]);
  const subCategory = numberTexts([
    ...snapshot.subCategories.map(({ id }) => id),
    ...everyOffer.map((offer) => offer.subCategoryId),
  ]);
  yield;
  // Thousands of offers share a few pairs.
  const pairs = new Map<string, readonly [number, number]>();
  const offerCategory = new Map<string, readonly [number, number]>();
  for (const [at, offer] of everyOffer.entries()) {
    if (at % rowsPerCount === 0) yield;
    const name = `${offer.categoryId} ${offer.subCategoryId}`;
    let pair = pairs.get(name);
    if (pair === undefined) {
      pair = [
        offer.categoryId === null ? NONE : (category.get(offer.categoryId) ?? NONE),
        offer.subCategoryId === null ? NONE : (subCategory.get(offer.subCategoryId) ?? NONE),
      ];
      pairs.set(name, pair);
    }
    offerCategory.set(offer.id, pair);
  }
  yield;
  const offer = yield* numberRows(snapshot.offers);
  const creative = yield* numberRows(snapshot.creatives);
  yield;
  return {
    offer,
    creative,
    channel: yield* numberRows(snapshot.channels),
    category,
    subCategory,
    offerCategory,
  };
}

function* numberRows(rows: readonly { readonly id: string }[]): Generator<void, ReadonlyMap<string, number>> {
  const numbers = new Map<string, number>();
  for (const [position, { id }] of sortById(rows).entries()) {
    if (position % rowsPerCount === 0) yield;
    numbers.set(id, position);
  }
  return numbers;
}

function numberTexts(texts: readonly (string | null)[]): ReadonlyMap<string, number> {
  const distinct = [...new Set(texts.filter((text): text is string => text !== null))].sort();
  return new Map(distinct.map((text, position) => [text, position]));
}
