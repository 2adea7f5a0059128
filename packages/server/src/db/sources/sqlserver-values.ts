import type { EventEmitter } from 'node:events';

// The parts of `tedious` that we use: its own types are only there once it's installed.

export interface TdsColumn {
  readonly colName: string;
  readonly userType: number;
  readonly type: { readonly name: string };
  readonly precision: number | undefined;
  readonly scale: number | undefined;
}

export interface TdsCell {
  readonly metadata: TdsColumn;
  readonly value: unknown;
}

export interface TdsRequest extends EventEmitter {
  addParameter(name: string, type: unknown, value: unknown): void;
  pause(): void;
  resume(): void;
}

export interface TdsConnection extends EventEmitter {
  connect(connected: (error?: Error) => void): void;
  execSql(request: TdsRequest): void;
  close(): void;
}

export interface TdsDriver {
  readonly Connection: new (config: object) => TdsConnection;
  readonly Request: new (sql: string, done: (error?: Error | null) => void) => TdsRequest;
  readonly TYPES: { readonly NVarChar: unknown };
}

/** User type of `rowversion`, which is a `binary(8)` otherwise. */
const rowversionType = 80;

/** Returns the expression that selects a column without losing digits: the driver turns exact numbers into doubles. */
export function selected({ type, userType }: TdsColumn, name: string): string {
  if (userType === rowversionType) return `convert(bigint, ${name}) as ${name}`;
  if (/^(Decimal|Numeric)/.test(type.name)) return `convert(varchar(41), ${name}) as ${name}`;
  // Style 2: all four decimal places.
  if (/Money/.test(type.name)) return `convert(varchar(41), ${name}, 2) as ${name}`;
  if (type.name === 'Variant') return `convert(nvarchar(4000), ${name}) as ${name}`;
  return name;
}

/** Returns a watermark's text as a value to compare its column with. */
export function compared({ type, userType, precision, scale }: TdsColumn, parameter: string): string {
  if (userType === rowversionType) return `convert(binary(8), convert(bigint, ${parameter}))`;
  if (/^(Decimal|Numeric)/.test(type.name)) return `convert(decimal(${precision}, ${scale}), ${parameter})`;
  return /Money/.test(type.name) ? `convert(money, ${parameter})` : parameter;
}

/** Returns a value in the form that rows of a schema accept (docs/design/api-catalogue.md 2.1). */
export function rowValue({ metadata: { type, scale }, value }: TdsCell): unknown {
  if (value instanceof Date) return timeText(value, type.name, scale ?? 3);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  return typeof value === 'bigint' ? String(value) : (value ?? null);
}

/** `scale`: decimal places of the seconds. The driver gives milliseconds, and the rest in `nanosecondsDelta`. */
function timeText(value: Date, type: string, scale: number): string {
  const [day = '', clock = ''] = value.toISOString().split('T');
  if (type === 'Date') return day;
  const rest = Math.round(Number(Reflect.get(value, 'nanosecondsDelta') ?? 0) * 1e7);
  const fraction = `${clock.slice(9, 12)}${String(rest).padStart(4, '0')}`.slice(0, scale);
  const time = `${clock.slice(0, 8)}${fraction === '' ? '' : `.${fraction}`}`;
  if (type === 'Time') return time;
  return `${day}T${time}${type === 'DateTimeOffset' ? '+00:00' : ''}`;
}
