import { customerTexts as t } from '../../messages/customers.ts';

/** A stored value as a person reads it: texts as they are, lists by commas, objects as JSON, nothing as "not set". */
export function attributeText(value: unknown): string {
  if (value === null || value === undefined) return t.notSet;
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(attributeText).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
