import type { SchemaField } from '@arbiter/contract/schemas';

/** A value that tells people who a customer is. */
export interface Telling {
  readonly label: string;
  readonly value: string;
}

/** How many stand in the head of a page; the whole profile has a tab. */
const most = 3;
const longest = 40;
const words: readonly string[] = ['varchar', 'char', 'text'];
/** Without their names they say nothing. */
const bare: readonly string[] = ['yes', 'no', 'true', 'false', 'unknown'];

type Field = Pick<SchemaField, 'name' | 'displayName' | 'dataType' | 'isPrimaryKey' | 'isSensitive' | 'neverStore'>;

/**
 * Who a customer is: the first columns of words of their table, in its order, that hold something short. Not what is
 * sensitive or never stored: a head is read over shoulders.
 */
export function whoOf(fields: readonly Field[], values: Readonly<Record<string, unknown>>): readonly Telling[] {
  return fields
    .filter(({ dataType }) => words.includes(dataType))
    .filter(({ isPrimaryKey, isSensitive, neverStore }) => !isPrimaryKey && !isSensitive && !neverStore)
    .flatMap(({ name, displayName }) => {
      const value = values[name];
      return typeof value === 'string' && tells(value) ? [{ label: displayName, value }] : [];
    })
    .slice(0, most);
}

const tells = (value: string): boolean =>
  value.trim().length > 1 && value.length <= longest && !bare.includes(value.trim().toLowerCase());
