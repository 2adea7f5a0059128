import type { CustomField, ErrorEntry } from '@arbiter/contract';
import { fitsCustomField } from '../records/index.ts';

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
