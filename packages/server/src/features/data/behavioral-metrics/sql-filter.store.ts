import type { Node, ScanToken } from 'libpg-query';
import { condition, only, type Refuse, type SqlFilter } from './sql-filter-tree.rules.ts';

// SQL filters of metrics (docs/design/api-catalogue.md 13, docs/design/quality.md T3): PostgreSQL's own parser reads the text, and
// only what is listed here becomes SQL again.

/** Why a text is no filter, and where: characters from 1. */
export class SqlFilterProblem extends Error {}

const prefix = 'select where ';

/** The parser is WebAssembly: loaded when a tenant first uses a filter, and held by its module. */
async function loadParser() {
  const library = await import('libpg-query');
  await library.loadModule();
  return library;
}

/** Returns the filter that a text stands for. Throws SqlFilterProblem for anything beyond the grammar. */
export async function readSqlFilter(text: string): Promise<SqlFilter> {
  if (!text.isWellFormed() || text.includes('\0'))
    throw new SqlFilterProblem('must not contain NUL or lone surrogates');
  const { parseSync, scanSync, hasSqlDetails } = await loadParser();
  const refuse = refuserOf(text);
  try {
    for (const token of scanSync(text).tokens) checkToken(token, refuse);
    const { stmts = [] } = parseSync(prefix + text);
    return readStatement(stmts, refuse);
  } catch (error) {
    if (error instanceof SqlFilterProblem) throw error;
    if (!hasSqlDetails(error)) throw new SqlFilterProblem('must be a condition that PostgreSQL can read');
    const at = (error.sqlDetails?.cursorPosition ?? 0) - prefix.length;
    throw new SqlFilterProblem(`has a syntax error${at >= 0 && at <= text.length ? ` at character ${at + 1}` : ''}`);
  }
}

/** Refuses, with the place in the text. */
function refuserOf(text: string): Refuse {
  const bytes = Buffer.from(text);
  return (what, location) => {
    // The parser counts bytes, and leaves out a position of 0.
    const before = bytes.subarray(0, Math.max(0, (location ?? prefix.length) - prefix.length)).toString();
    throw new SqlFilterProblem(`${what} at character ${[...before].length + 1}`);
  };
}

/** The tree doesn't show comments, nor how a string was written. */
function checkToken({ tokenName, text: word, start }: ScanToken, refuse: Refuse): void {
  const at = start + prefix.length;
  if (tokenName === 'SQL_COMMENT' || tokenName === 'C_COMMENT') refuse('has a comment', at);
  if (word.startsWith('"') || /^u&/i.test(word)) refuse('has a quoted name or a string with escapes', at);
  if (/^[bxen]'/i.test(word) || word.startsWith('$')) refuse("has a string that isn't in plain quotes", at);
}

type Statements = readonly { readonly stmt?: Node | undefined; readonly stmt_len?: number | undefined }[];

/** Returns the condition of the one statement, which has nothing else. */
function readStatement([first, ...rest]: Statements, refuse: Refuse): SqlFilter {
  const select = first?.stmt === undefined ? null : only(first.stmt, 'SelectStmt');
  const known = ['whereClause', 'limitOption', 'op'];
  const isCondition =
    rest.length === 0 &&
    first?.stmt_len === undefined &&
    select !== null &&
    Object.keys(select).every((key) => known.includes(key)) &&
    select.op === 'SETOP_NONE' &&
    select.limitOption === 'LIMIT_OPTION_DEFAULT';
  return isCondition ? condition(refuse, select.whereClause, 1) : refuse('must be one condition', undefined);
}
