import type { SchemaField } from '@arbiter/contract/catalogue/schemas';
import { numericTypes } from '../../forms/numeric-types.ts';
import { customerTexts as t } from '../../messages/customers.ts';
import { startOf } from '../../ui/charts/zone-days.ts';
import type { Format } from '../../ui/format.ts';

/** The schema field of an attribute. */
export type AttributeField = Pick<SchemaField, 'name' | 'displayName' | 'dataType' | 'isPrimaryKey'>;

const day = /^\d{4}-\d{2}-\d{2}$/;
const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})$/;

/** Formats `favorite_store` as "Favorite store" if it has no label. */
export function attributeLabel(name: string, field: AttributeField | undefined): string {
  if (field !== undefined && field.displayName !== name) return field.displayName;
  const words = name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/[_-]+/g, ' ')
    .trim()
    .toLowerCase();
  return words === '' ? name : words.charAt(0).toUpperCase() + words.slice(1);
}

/** Formats a stored value for people: numbers and times in the tenant's format, lists with commas, no value as "not set". */
export function attributeText(value: unknown, field: AttributeField | undefined, format: Format): string {
  if (value === null || value === undefined) return t.notSet;
  if (typeof value === 'boolean') return value ? t.yes : t.no;
  if (Array.isArray(value)) return value.map((each) => attributeText(each, undefined, format)).join(', ');
  if (typeof value === 'object') return JSON.stringify(value);
  // Keys match exactly, so show them as they are.
  if (field?.isPrimaryKey === true) return String(value);
  if (typeof value === 'number') return format.number(value);
  const text = String(value);
  if (field !== undefined && numericTypes.has(field.dataType) && text.trim() !== '' && Number.isFinite(Number(text)))
    return format.number(Number(text));
  if (instant.test(text) && !Number.isNaN(Date.parse(text))) return format.instant(text);
  if (day.test(text) && !Number.isNaN(Date.parse(text))) return format.date(startOf(text, format.locale.timeZone));
  return text;
}
