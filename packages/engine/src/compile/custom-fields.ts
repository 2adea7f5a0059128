import { compileFormula } from '../formula/compile-formula.ts';
import { dependencyOrder } from '../formula/dependencies.ts';
import { isObject } from '../json-object.ts';
import type { OfferFields } from '../plan/builder.ts';
import type { OutputType } from '../plan/formula.ts';
import type { ComputedField } from '../plan/offer.ts';
import type { Json, JsonObject, Snapshot, SnapshotCustomField, SnapshotOffer } from '../plan/snapshot.ts';

export interface CustomFields {
  of(offer: SnapshotOffer): OfferFields;
  readonly keys: ReadonlySet<string>;
}

/** Compiles the definitions once per pair of category and sub-category; a sub-category's key replaces the category's. */
export function createCustomFields(snapshot: Snapshot): CustomFields {
  const byCategory = new Map(snapshot.categories.map((category) => [category.id, category.customFields ?? []]));
  const bySubCategory = new Map(snapshot.subCategories.map((sub) => [sub.id, sub.customFields ?? []]));
  const keys = new Set<string>();
  for (const fields of [...byCategory.values(), ...bySubCategory.values()])
    for (const field of fields) keys.add(field.key);
  const compiled = new Map<string, { readonly unset: JsonObject; readonly computed: readonly ComputedField[] }>();
  return {
    keys,
    of(offer) {
      const pair = `${offer.categoryId} ${offer.subCategoryId}`;
      let fields = compiled.get(pair);
      if (fields === undefined) {
        const merged = new Map<string, SnapshotCustomField>();
        for (const field of byCategory.get(offer.categoryId ?? '') ?? []) merged.set(field.key, field);
        for (const field of bySubCategory.get(offer.subCategoryId ?? '') ?? []) merged.set(field.key, field);
        const all = [...merged.values()];
        fields = { unset: unsetValues(all), computed: orderComputed(all.filter((field) => field.type === 'computed')) };
        compiled.set(pair, fields);
      }
      return { values: valuesOf(offer, fields.unset), computed: fields.computed };
    },
  };
}

/**
 * The values of an offer's defined fields while the offer sets none: their defaults, otherwise null. A formula that
 * names such a field reads null; an undefined name is unknown to it.
 */
function unsetValues(fields: readonly SnapshotCustomField[]): JsonObject {
  const values: Record<string, Json> = Object.create(null);
  for (const { key, defaultValue } of fields) values[key] = defaultValue ?? null;
  return Object.freeze(values);
}

function valuesOf(offer: SnapshotOffer, unset: JsonObject): JsonObject {
  const stored = offer.metadata.customFields;
  const given: JsonObject = isObject(stored) ? stored : {};
  const keys = Object.keys(given);
  // Thousands of offers may set nothing: they share their category's values.
  if (keys.length === 0) return unset;
  const values: Record<string, Json> = Object.assign(Object.create(null), unset);
  for (const key of keys) values[key] = given[key] ?? values[key] ?? null;
  return values;
}

/** Returns the fields in dependency order. Fields in or behind a cycle fail with kind `cycle`. */
function orderComputed(fields: readonly SnapshotCustomField[]): readonly ComputedField[] {
  const sorted = fields.toSorted((a, b) => (a.key < b.key ? -1 : 1));
  const compiled = new Map(sorted.map((field) => [field.key, compileField(field)]));
  const reads = new Map([...compiled.values()].map(({ key, formula }) => [key, formula?.bareNames ?? []]));
  const { order, cyclic } = dependencyOrder(reads);
  const circular = cyclic.map((key) => ({ key, problem: { kind: 'cycle', error: `"${key}" depends on itself` } }));
  return [
    ...order.flatMap((key) => compiled.get(key) ?? []),
    ...circular.flatMap(({ key, problem }) => {
      const field = compiled.get(key);
      return field === undefined ? [] : [{ ...field, formula: null, problem }];
    }),
  ];
}

function compileField(field: SnapshotCustomField): ComputedField {
  const source = field.formula ?? '';
  const outputType = outputTypes.get(field.outputType ?? '') ?? 'number';
  const compiled = compileFormula(source, { bareNames: 'any' });
  if (compiled.ok) return { key: field.key, source, formula: compiled.formula, problem: null, outputType };
  const first = compiled.problems[0];
  const problem = { kind: first?.kind ?? 'parse', error: first?.message ?? "can't be compiled" };
  return { key: field.key, source, formula: null, problem, outputType };
}

const outputTypes: ReadonlyMap<string, OutputType> = new Map([
  ['number', 'number'],
  ['decimal', 'number'],
  ['text', 'text'],
  ['string', 'text'],
  ['boolean', 'boolean'],
]);
