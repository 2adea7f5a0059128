/** Types of columns that hold numbers: such a column stands at the end of its place, as numbers do. */
export const numericTypes: ReadonlySet<string> = new Set([
  'integer',
  'bigint',
  'smallint',
  'decimal',
  'numeric',
  'real',
  'double',
]);
