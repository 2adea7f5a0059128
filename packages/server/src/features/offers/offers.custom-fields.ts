import type { ErrorEntry } from '@arbiter/contract';

/** A custom field as a category or sub-category defines it (api-catalogue.md 4). */
export interface CustomField {
  readonly key: string;
  readonly type: string;
  readonly required: boolean;
  readonly options: readonly string[];
}

const maximumTextLength = 2000;

function isDay(value: string): boolean {
  const date = new Date(`${value}T00:00:00.000Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === value;
}

const codePoints = (text: string) => [...text].length;

function typeProblem(field: CustomField, value: unknown): string | null {
  switch (field.type) {
    case 'text':
      return typeof value === 'string' && codePoints(value) <= maximumTextLength
        ? null
        : `must be text of at most ${maximumTextLength} characters`;
    case 'number':
      return typeof value === 'number' && Number.isFinite(value) ? null : 'must be a number';
    case 'boolean':
      return typeof value === 'boolean' ? null : 'must be true or false';
    case 'select':
      return typeof value === 'string' && field.options.includes(value) ? null : 'must be one of the options';
    case 'date':
      return typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) && isDay(value) ? null : 'must be YYYY-MM-DD';
    default:
      return 'is computed and takes no value';
  }
}

/** A sub-category's definition replaces the category's of the same key. */
export function effectiveFields(
  category: readonly CustomField[],
  subCategory: readonly CustomField[],
): readonly CustomField[] {
  const own = new Set(subCategory.map((field) => field.key));
  return [...category.filter((field) => !own.has(field.key)), ...subCategory];
}

/**
 * Values of `metadata.customFields` against the definitions: type of known keys, no value for computed ones, and, when
 * the offer is or becomes active, every required one. Unknown keys are kept and ignored; null is no value.
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
      return active && field.required ? [{ path, message: 'is required for an active offer' }] : [];
    }
    const message = typeProblem(field, value);
    return message === null ? [] : [{ path, message }];
  });
}
