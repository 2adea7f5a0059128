/** Names of schemas and fields (docs/design/api-catalogue.md 2.2, docs/design/quality.md F18, E35). */

const utf8Bytes = (text: string) => Buffer.byteLength(text, 'utf8');

/** Maximum schema name length in bytes: `ds_` and the name fit into the 63 bytes of an identifier. */
const longestSchemaName = 60;
const longestFieldName = 63;
export const maximumFields = 500;

/** Lower case, then each code point outside a-z, 0-9 and underscore becomes an underscore. */
export function sanitiseSchemaName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9_]/gu, '_');
}

/** Why a sanitised name is refused, or null. */
export function schemaNameProblem(name: string): string | null {
  if (/^_*$/.test(name)) return 'must contain a letter a-z or a digit';
  return utf8Bytes(name) > longestSchemaName ? `must be at most ${longestSchemaName} bytes` : null;
}

/** Words that PostgreSQL 15 to 18 reserve, wholly or for functions and types. A test compares it with the server. */
export const reservedWords: ReadonlySet<string> = new Set(
  (
    'all analyse analyze and any array as asc asymmetric authorization binary both case cast check collate collation ' +
    'column concurrently constraint create cross current_catalog current_date current_role current_schema ' +
    'current_time current_timestamp current_user default deferrable desc distinct do else end except false fetch ' +
    'for foreign freeze from full grant group having ilike in initially inner intersect into is isnull join lateral ' +
    'leading left like limit localtime localtimestamp natural not notnull null offset on only or order outer ' +
    'overlaps placing primary references returning right select session_user similar some symmetric system_user ' +
    'table tablesample then to trailing true union unique user using variadic verbose when where window with'
  ).split(' '),
);

const reservedColumns: ReadonlySet<string> = new Set([
  'tableoid',
  'xmin',
  'cmin',
  'xmax',
  'cmax',
  'ctid',
  'tenant_id',
  'constructor',
  'prototype',
]);

/** Why a field name is refused, or null. `id` is for the caller to judge: it may only be the primary key. */
export function fieldNameProblem(name: string): string | null {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    return 'must start with a letter or underscore, followed by letters a-z, digits and underscores';
  }
  if (utf8Bytes(name) > longestFieldName) return `must be at most ${longestFieldName} bytes`;
  const lower = name.toLowerCase();
  if (reservedWords.has(lower) || reservedColumns.has(lower)) return 'is a reserved word';
  return lower.startsWith('__') || lower.startsWith('pg_') ? 'must not start with __ or pg_' : null;
}
