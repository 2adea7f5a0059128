import type { SnapshotCustomField, SnapshotOffer } from '@arbiter/engine';
import type { Work } from './candidate.ts';
import { converted, evaluate, type Outcome, type Reading } from './formula.ts';
import { isRow } from './world.ts';

/** Definitions of the custom fields of an offer: those of its sub-category replace those of its category. */
export function fieldsOf({ snapshot }: Work, offer: SnapshotOffer): SnapshotCustomField[] {
  const category = snapshot.categories.find(({ id }) => id === offer.categoryId);
  const sub = snapshot.subCategories.find(({ id }) => id === offer.subCategoryId);
  const fields = new Map<string, SnapshotCustomField>();
  for (const field of [...(category?.customFields ?? []), ...(sub?.customFields ?? [])]) fields.set(field.key, field);
  return [...fields.values()];
}

/** A bare name: a custom field of the offer, including computed ones that are off; undefined if there is none. */
export function bareOf(work: Work, offer: SnapshotOffer, reading: Reading, name: string, computes: boolean): unknown {
  const field = fieldsOf(work, offer).find(({ key }) => key === name);
  if (field?.type === 'computed') return computes ? computed(reading, field).value : null;
  const values = offer.metadata.customFields;
  const own = isRow(values) && Object.hasOwn(values, name) ? values[name] : undefined;
  return own ?? (field === undefined && own === undefined ? undefined : (field?.defaultValue ?? null));
}

export const computed = (reading: Reading, { formula, outputType }: SnapshotCustomField): Outcome =>
  converted(evaluate(String(formula), reading), outputType === 'text' || outputType === 'string' ? 'text' : 'number');
