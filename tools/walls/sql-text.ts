import { ts } from './parser.ts';

/** Text that the code assembles from pieces, as far as it is known without running it. */
const unknown = '\u0000';

const isText = (node: ts.Node): node is ts.Expression =>
  ts.isStringLiteralLike(node) || ts.isTemplateExpression(node) || isSum(node);

const isSum = (node: ts.Node): node is ts.BinaryExpression =>
  ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken;

/**
 * Returns the whole text that starts at this node; `null` unless it is the outermost piece. Unknown parts appear as a
 * NUL character. A `const` of the same file is inlined.
 */
export function wholeText(node: ts.Node): string | null {
  if (!isText(node)) return null;
  const { parent } = node;
  if (isSum(parent) || ts.isTemplateSpan(parent)) return null;
  // A module's name, or that of a property.
  if (ts.isImportDeclaration(parent) || ts.isExportDeclaration(parent) || ts.isLiteralTypeNode(parent)) return null;
  return textOf(node, 0);
}

function textOf(node: ts.Expression, depth: number): string {
  if (depth > 8) return unknown;
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node)) {
    const spans = node.templateSpans.map((span) => textOf(span.expression, depth + 1) + span.literal.text);
    return node.head.text + spans.join('');
  }
  if (isSum(node)) return textOf(node.left, depth + 1) + textOf(node.right, depth + 1);
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node)) return textOf(node.expression, depth + 1);
  if (ts.isConditionalExpression(node)) {
    return `${textOf(node.whenTrue, depth + 1)} ${unknown} ${textOf(node.whenFalse, depth + 1)}`;
  }
  if (ts.isIdentifier(node)) {
    const value = constantsOf(node.getSourceFile()).get(node.text);
    return value === undefined ? unknown : textOf(value, depth + 1);
  }
  return unknown;
}

const constants = new WeakMap<ts.SourceFile, ReadonlyMap<string, ts.Expression>>();

/** Returns the values of the file's top-level `const`s. */
function constantsOf(source: ts.SourceFile): ReadonlyMap<string, ts.Expression> {
  const known = constants.get(source);
  if (known !== undefined) return known;
  const found = new Map<string, ts.Expression>();
  for (const statement of source.statements) {
    if (!ts.isVariableStatement(statement)) continue;
    for (const { name, initializer } of statement.declarationList.declarations) {
      if (ts.isIdentifier(name) && initializer !== undefined) found.set(name.text, initializer);
    }
  }
  constants.set(source, found);
  return found;
}

const statement =
  /^(select|insert\s+into|update\s+\S+(\s+as)?(\s+\S+)?\s+set|delete\s+from|merge\s+into|truncate|with\s+(recursive\s+)?\w+\s+as|lock\s+table|savepoint|rollback\s+to)\s/;
const clause = /^((left|inner|cross)\s+)?(join|from)\s+[\w.]+\s[^.]*(where|on|join|\$\d)/;

/** SQL is written in lower or upper case; an English sentence starts with one capital letter. */
const isSentence = (text: string): boolean => /^\s*[A-Z][a-z]/.test(text);

/** True for statements, and for clauses that become part of one. */
export function isSql(text: string): boolean {
  if (isSentence(text)) return false;
  const plain = text.trimStart().toLowerCase();
  return statement.test(plain) || clause.test(plain) || /\bunion all\s+select\s/.test(plain);
}

/**
 * True for possible pieces of SQL: besides statements and clauses, anything that names a parameter, the tenant or the
 * schema.
 */
const mayBeSql = (text: string): boolean =>
  isSql(text) ||
  /\$\d|\btenant_id\b|\barbiter\./.test(text) ||
  /^\s*(from|join|into|update|using)\s+[\w.]+\s*$/.test(text);

/** Words that precede a table's name. */
const beforeTables = new Set(['from', 'join', 'into', 'update', 'using', 'table', 'truncate', 'only']);
const lists = new Set(['from', 'using']);

/**
 * Returns the `known` tables that a piece of SQL names: after `from`, `join`, `into` and the like, and wherever the
 * schema precedes the name. Names that the text gives a subquery (`with x as (...)`) don't count.
 */
export function tablesIn(text: string, known: ReadonlySet<string>): Set<string> {
  if (!mayBeSql(text)) return new Set();
  const plain = text
    .replaceAll(/--[^\n]*/g, ' ')
    .replaceAll('"', '')
    .toLowerCase();
  const found = new Set<string>();
  for (const [, name = ''] of plain.matchAll(/\barbiter\.(\w+)/g)) if (known.has(name)) found.add(name);
  const words = plain.replaceAll(/'[^']*'/g, ' ? ').match(/[\w.$]+|[^\s\w]/g) ?? [];
  const own = new Set(words.filter((_, at) => isNamedQuery(words, at)));
  const take = (at: number): void => {
    const name = words[at] ?? '';
    if (known.has(name) && !own.has(name)) found.add(name);
  };
  words.forEach((word, at) => {
    if (!beforeTables.has(word)) return;
    take(at + 1);
    if (lists.has(word)) for (const next of listed(words, at + 1)) take(next);
  });
  return found;
}

/** `x as (`, `x as materialized (` and `x (columns) as (`. */
function isNamedQuery(words: readonly string[], at: number): boolean {
  const next = words[at + 1] === '(' ? words.indexOf(')', at) + 1 : at + 1;
  if (words[next] !== 'as') return false;
  const body = words.slice(next + 1, next + 4).filter((word) => word !== 'not' && word !== 'materialized');
  return body[0] === '(';
}

/** Returns the positions of the other tables in `from a, b as c, d`. */
function listed(words: readonly string[], first: number): number[] {
  const places: number[] = [];
  for (let at = first + 1; at < words.length; at++) {
    const word = words[at] ?? '';
    if (word === ',') places.push(at + 1);
    else if (!/^[\w.$]+$/.test(word) || clauseWords.has(word)) break;
  }
  return places;
}

const clauseWords = new Set(['where', 'order', 'group', 'limit', 'for', 'union', 'returning', 'on', 'join', 'set']);
