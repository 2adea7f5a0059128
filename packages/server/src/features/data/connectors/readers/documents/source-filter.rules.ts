import { isObject } from '../../../../../platform/json.ts';
import { SourceError } from '../../../../../platform/sources/source-error.ts';

/** A value to compare with. */
export type FilterValue = string | number | boolean | null;

export type Comparison = 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte';

/** A filter of documents (docs/design/api-catalogue.md 14.3). */
export type SourceFilter =
  | { readonly kind: 'and' | 'or'; readonly filters: readonly SourceFilter[] }
  | { readonly kind: 'compare'; readonly field: string; readonly by: Comparison; readonly value: FilterValue }
  | { readonly kind: 'in'; readonly field: string; readonly values: readonly FilterValue[] }
  | { readonly kind: 'exists'; readonly field: string; readonly exists: boolean };

const comparisons: Readonly<Record<string, Comparison>> = {
  ...{ $eq: 'eq', $ne: 'ne', $gt: 'gt', $gte: 'gte', $lt: 'lt', $lte: 'lte' },
};
const deepest = 10;
const maxValues = 1000;

/** Throws SourceError `missing_config`: the setting isn't a filter. */
function refuse(): never {
  throw new SourceError('missing_config');
}

const isValue = (value: unknown): value is FilterValue =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value);

function condition(field: string, operator: string, value: unknown): SourceFilter {
  if (operator === '$exists') return typeof value === 'boolean' ? { kind: 'exists', field, exists: value } : refuse();
  if (operator === '$in') {
    if (!Array.isArray(value) || value.length > maxValues || !value.every(isValue)) refuse();
    return { kind: 'in', field, values: value };
  }
  const by = Object.hasOwn(comparisons, operator) ? comparisons[operator] : undefined;
  if (by === undefined || !isValue(value)) refuse();
  if (value === null && by !== 'eq' && by !== 'ne') refuse();
  return { kind: 'compare', field, by, value };
}

function conditionsOf(field: string, value: unknown): SourceFilter[] {
  if (field === '' || field.startsWith('$') || field.includes('\0')) refuse();
  if (isValue(value)) return [{ kind: 'compare', field, by: 'eq', value }];
  if (!isObject(value) || Object.keys(value).length === 0) refuse();
  return Object.entries(value).map(([operator, operand]) => condition(field, operator, operand));
}

function read(value: unknown, depth: number): SourceFilter {
  if (!isObject(value) || depth > deepest) refuse();
  const filters = Object.entries(value).flatMap(([key, each]): SourceFilter[] => {
    if (key !== '$and' && key !== '$or') return conditionsOf(key, each);
    if (!Array.isArray(each) || each.length === 0 || each.length > maxValues) refuse();
    return [{ kind: key === '$and' ? 'and' : 'or', filters: each.map((one) => read(one, depth + 1)) }];
  });
  return { kind: 'and', filters };
}

/**
 * Reads the setting `filter`: comparisons, `$in`, `$and`, `$or` and `$exists`. Null without one. Throws SourceError
 * `missing_config` for anything else, so that no operator that runs code reaches the source.
 */
export function filterOf(value: unknown): SourceFilter | null {
  return value === undefined || value === null ? null : read(value, 1);
}
