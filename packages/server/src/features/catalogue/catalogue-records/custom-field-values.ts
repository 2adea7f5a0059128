import type { CustomField } from '@arbiter/contract';

const isCalendarDay = (text: string): boolean => {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const instant = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(instant) && new Date(instant).toISOString().startsWith(text);
};

const maximumTextLength = 2000;

const codePoints = (text: string) => [...text].length;

/**
 * Returns the problem with a custom field's value, or null: one rule for definitions (their defaults) and offers (their
 * values) (docs/design/api-catalogue.md 4).
 */
export function customFieldValueProblem(field: CustomField, value: unknown): string | null {
  switch (field.type) {
    case 'text':
      return typeof value === 'string' && codePoints(value) <= maximumTextLength
        ? null
        : `must be a string of at most ${maximumTextLength} characters`;
    case 'number':
      return typeof value === 'number' && Number.isFinite(value) ? null : 'must be a number';
    case 'boolean':
      return typeof value === 'boolean' ? null : 'must be true or false';
    case 'select':
      return typeof value === 'string' && (field.options ?? []).includes(value) ? null : 'must be one of the options';
    case 'date':
      return typeof value === 'string' && isCalendarDay(value) ? null : 'must be a date in the form YYYY-MM-DD';
    case 'computed':
      return "is computed and can't be set";
  }
}

/** True when `value` is one that offers may hold for the field. Computed fields hold none. */
export function fitsCustomField(field: CustomField, value: unknown): boolean {
  return customFieldValueProblem(field, value) === null;
}
