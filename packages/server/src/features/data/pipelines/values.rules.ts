import { type ColumnType, Misfit, valueCheck } from '../../catalogue/schemas/index.ts';

/** A row between source and table. Inherits nothing, so that no column name is special. */
export type Row = Record<string, unknown>;

/** An object from a constructor is fast to fill. One without a prototype starts as a slow hash table. */
const EmptyRow = function EmptyRow() {} as unknown as new () => Row;
EmptyRow.prototype = Object.freeze(Object.create(null));

export const emptyRow = (): Row => new EmptyRow();

/** Returns a source's row with values as JSON has them: instants as text, large integers as digits, bytes as base64. */
export function plainRow(source: Readonly<Record<string, unknown>>): Row {
  const row = emptyRow();
  for (const name of Object.keys(source)) row[name] = plain(source[name]);
  return row;
}

/** Returns a source's value in JSON form. */
export function plain(value: unknown): unknown {
  if (typeof value === 'string' || typeof value === 'number') return value;
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  return value === undefined || typeof value === 'function' || typeof value === 'symbol' ? null : value;
}

const truths: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['yes', true],
  ['1', true],
  ['false', false],
  ['no', false],
  ['0', false],
]);

const numberPattern = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const instantPattern = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(Z|[+-]\d\d(?::?\d\d)?)?$/i;

/** Returns text as a value of the type; what can't be read stays, and the schema's rules say why it's wrong. */
export function parsed(dataType: ColumnType['dataType'], value: unknown): unknown {
  if (typeof value !== 'string') return value;
  switch (dataType) {
    case 'varchar':
    case 'char':
    case 'text':
      return value;
    case 'real':
    case 'double': {
      const text = value.trim();
      return numberPattern.test(text) ? Number(text) : value;
    }
    case 'boolean':
      return truths.get(value.trim().toLowerCase()) ?? value;
    case 'date': {
      const [, day, time] = instantPattern.exec(value.trim()) ?? [];
      return day !== undefined && /^00:00(:00(\.0+)?)?$/.test(time ?? '') ? day : value.trim();
    }
    case 'timestamp':
      return localInstant(value);
    case 'timestamptz':
      return instant(value);
    case 'jsonb':
      return parsedJson(value);
    default:
      return value.trim();
  }
}

function localInstant(value: string): string {
  const [, day, time, offset] = instantPattern.exec(value.trim()) ?? [];
  if (day === undefined) return value;
  return offset === undefined || /^(z|[+-]00(:?00)?)$/i.test(offset) ? `${day}T${time}` : value;
}

function instant(value: string): string {
  const [, day, time, offset] = instantPattern.exec(value.trim()) ?? [];
  if (day === undefined || offset === undefined) return value;
  const digits = offset.slice(1).replace(':', '');
  const zone = offset.toUpperCase() === 'Z' ? 'Z' : `${offset[0]}${digits.slice(0, 2)}:${digits.slice(2) || '00'}`;
  return `${day}T${time}${zone}`;
}

function parsedJson(value: string): unknown {
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

/** The text of a value, as `merge`, `hash` and `map_values` read it. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Returns a function that converts values to the type, or says why one can't be. */
export function caster(type: ColumnType): (value: unknown) => unknown {
  const check = valueCheck(type);
  const isText = type.dataType === 'varchar' || type.dataType === 'char' || type.dataType === 'text';
  return (value) => {
    if (value === null || value === undefined) return null;
    if (isText) return check(textOf(value));
    if (value === '') return null;
    if (type.dataType === 'boolean' && typeof value === 'number') return parsed('boolean', String(value));
    const converted = check(parsed(type.dataType, value));
    // A number of a text such as 12.0 is an integer to whoever asks for one.
    if (converted instanceof Misfit && typeof value === 'string' && /^[+-]?\d+\.0+$/.test(value.trim())) {
      return check(value.trim().replace(/\.0+$/, ''));
    }
    return converted;
  };
}
