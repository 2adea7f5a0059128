import type { CustomField, ErrorEntry } from '@arbiter/contract';

const isCalendarDay = (text: string): boolean => {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const instant = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(instant) && new Date(instant).toISOString().startsWith(text);
};

const codePoints = (text: string) => [...text].length;

/** True when `value` is one that offers may hold for the field (api-catalogue.md 4). Computed fields hold none. */
export function fitsCustomField(field: CustomField, value: unknown): boolean {
  switch (field.type) {
    case 'text':
      return typeof value === 'string' && codePoints(value) <= 2000;
    case 'number':
      return typeof value === 'number' && Number.isFinite(value);
    case 'boolean':
      return typeof value === 'boolean';
    case 'select':
      return typeof value === 'string' && (field.options ?? []).includes(value);
    case 'date':
      return typeof value === 'string' && isCalendarDay(value);
    case 'computed':
      return false;
  }
}

/** The stored spelling: `decimal` is number, `string` is text. */
export function normaliseCustomFields(fields: readonly CustomField[]): CustomField[] {
  return fields.map((field) => {
    if (field.outputType === 'decimal') return { ...field, outputType: 'number' };
    return field.outputType === 'string' ? { ...field, outputType: 'text' } : field;
  });
}

function fieldProblems(field: CustomField): string[] {
  const given = (value: unknown) => value !== undefined && value !== null;
  const problems: string[] = [];
  if (field.type === 'select' && !given(field.options)) problems.push('a select needs options');
  if (field.type === 'computed') {
    if (!given(field.formula)) problems.push('a computed field needs a formula');
    if (given(field.defaultValue)) problems.push('a computed field has no defaultValue');
    if (field.required === true) problems.push('a computed field cannot be required');
  } else {
    if (given(field.formula)) problems.push('only a computed field has a formula');
    if (given(field.defaultValue) && !fitsCustomField(field, field.defaultValue)) {
      problems.push(`defaultValue does not fit type ${field.type}`);
    }
  }
  return problems;
}

/** What is wrong with the definitions, each with its JSON Pointer; empty = they can be stored. */
export function customFieldProblems(fields: readonly CustomField[]): ErrorEntry[] {
  const seen = new Set<string>();
  return fields.flatMap((field, index) => {
    const path = `/customFields/${index}`;
    const problems = fieldProblems(field);
    if (seen.has(field.key)) problems.push(`key ${field.key} is there twice`);
    seen.add(field.key);
    return problems.map((message) => ({ path, message }));
  });
}

/** The fields whose type differs from the one stored under the same key. */
export function retypedFields(before: readonly CustomField[], after: readonly CustomField[]): CustomField[] {
  const types = new Map(before.map((field) => [field.key, field.type]));
  return after.filter((field) => types.has(field.key) && types.get(field.key) !== field.type);
}
