/**
 * PostgreSQL array literals for the hot path. The driver quotes and escapes each element by regular expressions; most of
 * our elements (ids, numbers, instants, hex) need neither, and ids take a ninth of the time without (docs/benchmarks.md).
 */

/** `uuid[]`: ids of our own making, never the caller's text. */
export function uuidArray(values: readonly (string | null)[]): string {
  let text = '{';
  for (let i = 0; i < values.length; i++) text += i === 0 ? (values[i] ?? 'NULL') : `,${values[i] ?? 'NULL'}`;
  return `${text}}`;
}

/** `int[]`, `bigint[]`, `smallint[]`, `numeric[]`. */
export function numberArray(values: readonly (number | null)[]): string {
  let text = '{';
  for (let i = 0; i < values.length; i++) text += i === 0 ? (values[i] ?? 'NULL') : `,${values[i] ?? 'NULL'}`;
  return `${text}}`;
}

/** `boolean[]`. */
export function booleanArray(values: readonly boolean[]): string {
  return `{${values.map((value) => (value ? 't' : 'f')).join(',')}}`;
}

/** `bytea[]`, in hex. */
export function bytesArray(values: readonly Buffer[]): string {
  let text = '{';
  for (let i = 0; i < values.length; i++) text += `${i === 0 ? '' : ','}"\\\\x${values[i]!.toString('hex')}"`;
  return `${text}}`;
}

const needsEscape = /["\\]/;

/** `text[]`, `jsonb[]`: any text, quoted, with quotes and backslashes escaped. */
export function textArray(values: readonly (string | null)[]): string {
  let text = '{';
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (i > 0) text += ',';
    if (value === null) text += 'NULL';
    else text += needsEscape.test(value) ? `"${value.replace(/["\\]/g, '\\$&')}"` : `"${value}"`;
  }
  return `${text}}`;
}

/** `timestamptz[]`. */
export function instantArray(values: readonly (Date | null)[]): string {
  return `{${values.map((value) => (value === null ? 'NULL' : value.toISOString())).join(',')}}`;
}
