import type { FieldForm } from '../../../forms/editing/field-props.ts';

const isEmpty = (value: unknown): boolean =>
  value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);

/** A form whose empty values are left out: the contract has no empty lists of offers, and no empty names. */
export const leanForm = (form: FieldForm): FieldForm => ({
  ...form,
  set: (path, value) => form.set(path, isEmpty(value) ? undefined : value),
});
