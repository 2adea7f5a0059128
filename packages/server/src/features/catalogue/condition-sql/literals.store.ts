/**
 * How a statement takes values: as parameters (`$1`), or as placeholders (`{0}`) that the database fills with quoted
 * literals.
 */
export type LiteralStyle = 'parameters' | 'places';

/**
 * Values of a statement under construction. The only way for a caller's values into SQL (docs/design/quality.md T3):
 * the statement's text has typed placeholders.
 */
export interface SqlLiterals {
  /** Returns the value's placeholder, as SQL of this type. Reuses the placeholder of an equal value. */
  add(value: string, type: SqlType): string;
  /** Values in the order of their placeholders. */
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

/** `first`: number of the first parameter, if the statement has others before it. */
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
