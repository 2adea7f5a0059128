import type { CustomField } from '@arbiter/contract/catalogue/categories';
import type { FieldKind, FieldSpec } from '../../../forms/editing/field-spec.ts';
import { offerFormTexts as t } from '../../../messages/catalogue/offer-form.ts';
import { humanKey } from '../../../messages/human-key.ts';

const kinds: Readonly<Record<Exclude<CustomField['type'], 'computed'>, FieldKind>> = {
  text: 'text',
  number: 'number',
  boolean: 'flag',
  select: 'choice',
  date: 'text',
};

/** Returns the fields that an offer has from its category and sub-category. A sub-category overrides its category. */
export function customFieldsOf(category: readonly CustomField[], subCategory: readonly CustomField[]): CustomField[] {
  const own = new Set(subCategory.map(({ key }) => key));
  return [...subCategory, ...category.filter(({ key }) => !own.has(key))];
}

/** Returns the names of stored values without a field: the category lost it, or the offer changed its category. */
export const orphansOf = (stored: unknown, fields: readonly Pick<CustomField, 'key'>[]): readonly string[] => {
  const known = new Set(fields.map(({ key }) => key));
  return Object.keys(Object(stored)).filter((name) => !known.has(name));
};

/** A custom field as a field of the form, at its place in the metadata. Computed ones have none. */
export function customSpec({ key, label, type, required, options, defaultValue }: CustomField): FieldSpec | null {
  if (type === 'computed') return null;
  const usual = defaultValue ?? null;
  return {
    name: key,
    path: `/metadata/customFields/${key}`,
    kind: kinds[type],
    label: label ?? humanKey(key),
    help: usual === null ? '' : t.shownByDefault(String(usual)),
    isRequired: required === true && usual === null,
    isNullable: true,
    ...(options ? { options } : {}),
  };
}
