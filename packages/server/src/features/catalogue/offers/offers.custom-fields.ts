import type { CustomField, ErrorEntry } from '@arbiter/contract';
import { customFieldValueProblem } from '../catalogue-records/index.ts';

/** A sub-category's definition replaces the category's definition of the same key. */
export function effectiveFields(
  category: readonly CustomField[],
  subCategory: readonly CustomField[],
): readonly CustomField[] {
  const own = new Set(subCategory.map((field) => field.key));
  return [...category.filter((field) => !own.has(field.key)), ...subCategory];
}

/**
 * Checks `metadata.customFields` against the definitions: the type of known keys, no value for computed fields and, if
 * the offer is or becomes active, every required field. Unknown keys are stored and ignored. Null counts as no value.
 */
export function customFieldProblems(
  fields: readonly CustomField[],
  metadata: Readonly<Record<string, unknown>>,
  active: boolean,
): ErrorEntry[] {
  const holder = metadata.customFields;
  if (holder !== undefined && holder !== null && (typeof holder !== 'object' || Array.isArray(holder))) {
    return [{ path: '/metadata/customFields', message: 'must be an object' }];
  }
  const values = new Map<string, unknown>(Object.entries(holder ?? {}));
  return fields.flatMap((field): ErrorEntry[] => {
    const path = `/metadata/customFields/${field.key}`;
    const value = values.get(field.key) ?? null;
    if (value === null) {
      return active && field.required === true ? [{ path, message: 'is required for an active offer' }] : [];
    }
    const message = customFieldValueProblem(field, value);
    return message === null ? [] : [{ path, message }];
  });
}
