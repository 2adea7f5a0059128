import type { SchemaField } from '@arbiter/contract/schemas';
import { numericTypes } from '../../forms/numeric-types.ts';
import { customerTexts as t } from '../../messages/customers.ts';
import { startOf } from '../../ui/charts/zone-days.ts';
import type { Format } from '../../ui/format.ts';

/** What a schema says of an attribute. */
export type AttributeField = Pick<SchemaField, 'name' | 'displayName' | 'dataType' | 'isPrimaryKey'>;

const day = /^\d{4}-\d{2}-\d{2}$/;
const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})$/;

/** `favorite_store` as "Favorite store", where nobody named it. */
export function attributeLabel(name: string, field: AttributeField | undefined): string {
  if (field !== undefined && field.displayName !== name) return field.displayName;
  const words = name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/[_-]+/g, ' ')
    .trim()
    .toLowerCase();
  return words === '' ? name : words.charAt(0).toUpperCase() + words.slice(1);
}

/** A stored value as a person reads it: numbers and times as the tenant writes them, lists by commas, nothing as "not set". */
export function attributeText(value: unknown, field: AttributeField | undefined, format: Format): string {
  if (value === null || value === undefined) return t.notSet;
  if (typeof value === 'boolean') return value ? t.yes : t.no;
  if (Array.isArray(value)) return value.map((each) => attributeText(each, undefined, format)).join(', ');
  if (typeof value === 'object') return JSON.stringify(value);
  // A key is compared letter by letter, whatever it is made of.
  if (field?.isPrimaryKey === true) return String(value);
  if (typeof value === 'number') return format.number(value);
  const text = String(value);
  if (field !== undefined && numericTypes.has(field.dataType) && text.trim() !== '' && Number.isFinite(Number(text)))
    return format.number(Number(text));
  if (instant.test(text) && !Number.isNaN(Date.parse(text))) return format.instant(text);
  if (day.test(text) && !Number.isNaN(Date.parse(text))) return format.date(startOf(text, format.locale.timeZone));
  return text;
}
