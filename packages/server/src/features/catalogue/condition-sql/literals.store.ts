/** How a statement takes values: as parameters (`$1`), or as places (`{0}`) that the database fills with quoted literals. */
export type LiteralStyle = 'parameters' | 'places';

/**
 * The values of a statement that is being written. What a caller sent reaches SQL through here and nowhere else
 * (docs/design/quality.md T3): the text of the statement has a placeholder with a type.
 */
export interface SqlLiterals {
  /** The value as SQL of this type. A value that was added before has its place already. */
  add(value: string, type: SqlType): string;
  /** In the order of their places. */
  readonly values: readonly string[];
}

/** Types of literals. */
export type SqlType =
  | 'text'
  | 'smallint'
  | 'integer'
  | 'bigint'
  | 'numeric'
  | 'float8'
  | 'boolean'
  | 'uuid'
  | 'jsonb'
  | 'timestamp'
  | 'timestamptz'
  | 'interval'
  | 'text[]'
  | 'smallint[]'
  | 'integer[]'
  | 'bigint[]'
  | 'numeric[]'
  | 'float8[]'
  | 'uuid[]';

/** `first`: number of the first parameter, where the statement has others before. */
export function newLiterals(style: LiteralStyle, first = 1): SqlLiterals {
  const values: string[] = [];
  const placeOf = new Map<string, number>();
  return {
    values,
    add(value, type) {
      // A parameter has one type for the whole statement.
      const key = `${type} ${value}`;
      let place = placeOf.get(key);
      if (place === undefined) {
        place = values.length;
        values.push(value);
        placeOf.set(key, place);
      }
      return style === 'parameters' ? `$${place + first}::${type}` : `{${place}}::${type}`;
    },
  };
}
