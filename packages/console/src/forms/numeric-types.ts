/** Data types with numbers: their columns are aligned at the end. */
export const numericTypes: ReadonlySet<string> = new Set([
  'integer',
  'bigint',
  'smallint',
  'decimal',
  'numeric',
  'real',
  'double',
]);
