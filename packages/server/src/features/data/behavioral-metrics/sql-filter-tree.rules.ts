import { parseInstant } from '@arbiter/engine';
import { columnsBySqlName, type MetricColumn, metricColumnNames, metricColumns } from './columns.rules.ts';

export type SqlComparison = '=' | '<>' | '<' | '<=' | '>' | '>=';

/** A filter as read from its text. Values are text; their column says how to read them. */
export type SqlFilter =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly SqlFilter[] }
  | { readonly kind: 'not'; readonly part: SqlFilter }
  | { readonly kind: 'null'; readonly column: MetricColumn; readonly isNull: boolean }
  | { readonly kind: 'compare'; readonly column: MetricColumn; readonly sign: SqlComparison; readonly value: string }
  | {
      readonly kind: 'between' | 'in';
      readonly column: MetricColumn;
      readonly isNot: boolean;
      readonly values: readonly string[];
    }
  | { readonly kind: 'like'; readonly column: MetricColumn; readonly isNot: boolean; readonly value: string };

/** Throws. `location`: the parser's position of the fault. */
export type Refuse = (what: string, location: number | undefined) => never;

const maxDepth = 10;
const signs: ReadonlySet<string> = new Set(['=', '<>', '<', '<=', '>', '>=']);
const flipped: Readonly<Record<SqlComparison, SqlComparison>> = {
  '=': '=',
  '<>': '<>',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
};

/** Returns a node of the parse tree as a filter. Everything that isn't listed here is refused. */
export function condition(refuse: Refuse, node: unknown, depth: number): SqlFilter {
  if (depth > maxDepth) return refuse(`is more than ${maxDepth} levels deep`, locationOf(node));
  const bool = only(node, 'BoolExpr');
  if (bool !== null) return boolean(refuse, bool, depth);
  const test = only(node, 'NullTest');
  if (test !== null) {
    const isNull = test.nulltesttype === 'IS_NULL';
    return { kind: 'null', column: column(refuse, test.arg), isNull };
  }
  const expression = only(node, 'A_Expr');
  return expression === null
    ? refuse('must compare a column with constants', locationOf(node))
    : comparison(refuse, expression);
}

function boolean(refuse: Refuse, { boolop, args, location }: Fields, depth: number): SqlFilter {
  const parts = listOf(args).map((part) => condition(refuse, part, depth + 1));
  const [part] = parts;
  if (boolop === 'AND_EXPR') return { kind: 'and', parts };
  if (boolop === 'OR_EXPR') return { kind: 'or', parts };
  return part === undefined ? refuse('must be one condition', numberOf(location)) : { kind: 'not', part };
}

function comparison(refuse: Refuse, { kind, name, lexpr, rexpr, location }: Fields): SqlFilter {
  const at = numberOf(location);
  const names = listOf(name).map((word) => only(word, 'String')?.sval);
  const sign = names.length === 1 ? names[0] : undefined;
  switch (kind) {
    case 'AEXPR_OP': {
      if (!isSign(sign)) return refuse('uses an operator that is not allowed', at);
      const isFlipped = only(lexpr, 'A_Const') !== null;
      const own = column(refuse, isFlipped ? rexpr : lexpr);
      assertOrdered(refuse, own, sign, at);
      const value = constant(refuse, isFlipped ? lexpr : rexpr, own);
      return { kind: 'compare', column: own, sign: isFlipped ? flipped[sign] : sign, value };
    }
    case 'AEXPR_IN': {
      const own = column(refuse, lexpr);
      return { kind: 'in', column: own, isNot: sign === '<>', values: constants(refuse, rexpr, own, at) };
    }
    case 'AEXPR_BETWEEN':
    case 'AEXPR_NOT_BETWEEN': {
      const own = column(refuse, lexpr);
      assertOrdered(refuse, own, '<', at);
      return {
        kind: 'between',
        column: own,
        isNot: kind === 'AEXPR_NOT_BETWEEN',
        values: constants(refuse, rexpr, own, at),
      };
    }
    case 'AEXPR_LIKE': {
      const own = column(refuse, lexpr);
      if (metricColumns[own] !== 'text') return refuse('uses LIKE with a column that is no text', at);
      const value = constant(refuse, rexpr, own);
      if (/(^|[^\\])(\\\\)*\\$/.test(value)) return refuse('ends a LIKE pattern with a backslash', at);
      return { kind: 'like', column: own, isNot: sign === '!~~', value };
    }
    default:
      return refuse('uses an operator that is not allowed', at);
  }
}

function assertOrdered(refuse: Refuse, own: MetricColumn, sign: SqlComparison, at: number | undefined): void {
  if (metricColumns[own] === 'uuid' && sign !== '=' && sign !== '<>') refuse('orders a column of ids', at);
}

function column(refuse: Refuse, node: unknown): MetricColumn {
  const reference = only(node, 'ColumnRef');
  const [field, ...rest] = listOf(reference?.fields);
  const name = only(field, 'String')?.sval;
  const found = rest.length === 0 && typeof name === 'string' ? columnsBySqlName.get(name) : undefined;
  return found ?? refuse(`must compare one of ${metricColumnNames.join(', ')}`, locationOf(node));
}

function constants(refuse: Refuse, node: unknown, own: MetricColumn, at: number | undefined): string[] {
  const list = only(node, 'List') ?? refuse('must compare with constants', at);
  return listOf(list.items).map((item) => constant(refuse, item, own));
}

function constant(refuse: Refuse, node: unknown, own: MetricColumn): string {
  const fields = only(node, 'A_Const') ?? refuse('must compare with constants', locationOf(node));
  const problem = (what: string) => refuse(`must compare ${own} with ${what}`, numberOf(fields.location));
  const string = textOf(fields.sval, 'sval', '');
  const integer = textOf(fields.ival, 'ival', 0);
  const number = integer ?? textOf(fields.fval, 'fval', '');
  switch (metricColumns[own]) {
    case 'uuid':
      return string !== null && uuid.test(string) ? string.toLowerCase() : problem('a UUID');
    case 'text':
      return string ?? problem('a string');
    case 'timestamptz':
      return instantText(string) ?? problem('a date or an instant');
    case 'integer':
      return integer ?? problem('an integer');
    case 'numeric':
      return number !== null && /^-?(\d+\.?\d*|\.\d+)$/.test(number) ? number : problem('a number');
  }
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** UTC, so that it means the same in every session of the database. */
function instantText(text: string | null): string | null {
  const at = text === null ? null : parseInstant(text);
  return at === null ? null : new Date(at).toISOString();
}

type Fields = Readonly<Record<string, unknown>>;

const isSign = (sign: unknown): sign is SqlComparison => typeof sign === 'string' && signs.has(sign);

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

/** The fields of a node of this kind. Null for any other. */
export function only(node: unknown, kind: string): Fields | null {
  if (!isObject(node) || Object.keys(node).length !== 1) return null;
  const fields = node[kind];
  return isObject(fields) ? fields : null;
}

function locationOf(node: unknown): number | undefined {
  if (!isObject(node)) return undefined;
  const [fields] = Object.values(node);
  return isObject(fields) ? numberOf(fields.location) : undefined;
}

/** The value in `{ sval: 'x' }` as text; the parser leaves out empty ones. Null for no object. */
function textOf(holder: unknown, key: string, empty: string | number): string | null {
  return isObject(holder) ? String(holder[key] ?? empty) : null;
}
