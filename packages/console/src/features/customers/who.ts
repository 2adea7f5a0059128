import type { SchemaField } from '@arbiter/contract/catalogue/schemas';

/** A value that identifies a customer to people. */
export interface Telling {
  readonly label: string;
  readonly value: string;
}

/** Maximum number of values in a page header; a tab has the whole profile. */
const most = 3;
const longest = 40;
const words: readonly string[] = ['varchar', 'char', 'text'];
/** These values mean nothing without their name. */
const bare: readonly string[] = ['yes', 'no', 'true', 'false', 'unknown'];

type Field = Pick<SchemaField, 'name' | 'displayName' | 'dataType' | 'isPrimaryKey' | 'isSensitive' | 'neverStore'>;

/**
 * Returns identifying values: the first short text columns of the customer's row. Skips sensitive and never stored fields,
 * because headers are visible to bystanders.
 */
export function whoOf(fields: readonly Field[], values: Readonly<Record<string, unknown>>): readonly Telling[] {
  return fields
    .filter(({ dataType }) => words.includes(dataType))
    .filter(({ isPrimaryKey, isSensitive, neverStore }) => !isPrimaryKey && !isSensitive && !neverStore)
    .flatMap(({ name, displayName }) => {
      const value = values[name];
      return typeof value === 'string' && isInformative(value) ? [{ label: displayName, value }] : [];
    })
    .slice(0, most);
}

const isInformative = (value: string): boolean =>
  value.trim().length > 1 && value.length <= longest && !bare.includes(value.trim().toLowerCase());
