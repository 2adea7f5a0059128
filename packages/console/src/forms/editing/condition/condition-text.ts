import { conditionInputTexts as t } from '../../../messages/catalogue/condition-input.ts';
import { type ConditionGroup, type ConditionNode, opposite, readCondition } from './condition-model.ts';

/** Conditions as text: `tier in (gold, black) and (visits >= 3 or not last_visit within last 30 days)`. */

const signs: Readonly<Record<string, string>> = {
  '=': 'eq',
  '==': 'eq',
  '!=': 'neq',
  '<>': 'neq',
  '>': 'gt',
  '>=': 'gte',
  '<': 'lt',
  '<=': 'lte',
};

const written: Readonly<Record<string, string>> = {
  eq: '=',
  neq: '!=',
  gt: '>',
  gte: '>=',
  lt: '<',
  lte: '<=',
  in: 'in',
  not_in: 'not in',
  contains: 'contains',
  not_contains: 'not contains',
  starts_with: 'starts with',
  regex: 'matches',
};

const keywords = new Set(['and', 'or', 'not', 'true', 'false', 'in']);
const bare = /^[A-Za-z0-9_][\w.:+-]*$/;

function printedValue(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value ?? null);
  const isBare = bare.test(value) && !keywords.has(value.toLowerCase()) && !Number.isFinite(Number(value));
  return isBare ? value : JSON.stringify(value);
}

function printed(node: ConditionNode, isInner: boolean): string {
  if (node.kind === 'group') {
    const text = node.parts.map((part) => printed(part, true)).join(` ${node.logic} `);
    return isInner && node.parts.length > 1 ? `(${text})` : text;
  }
  const { field, operator, value } = node;
  const values = Array.isArray(value) ? value : [value];
  if (operator === 'exists') return `${field} exists`;
  if (operator === 'not_exists') return `${field} not exists`;
  if (operator === 'between') return `${field} between ${values.map(printedValue).join(' and ')}`;
  if (operator === 'within_last_days') return `${field} within last ${printedValue(value)} days`;
  if (operator === 'not_within_last_days') return `${field} not within last ${printedValue(value)} days`;
  const list = Array.isArray(value) ? `(${values.map(printedValue).join(', ')})` : printedValue(value);
  return `${field} ${written[operator] ?? operator} ${list}`;
}

/** Writes a condition as text. */
export const conditionAsText = (node: ConditionGroup): string => printed(node, false);

/** Why a text isn't a condition, and where. */
export class ConditionTextError extends Error {
  readonly at: number;
  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

interface Token {
  readonly text: string;
  readonly kind: 'word' | 'text' | 'sign' | 'end';
  readonly at: number;
}

const tokenAt = /\s*(?:("(?:[^"\\]|\\.)*")|(<=|>=|<>|!=|==|[=<>])|([()[\],])|([^\s()[\],"=<>!]+))/y;

function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let from = 0;
  while (text.slice(from).trim() !== '') {
    tokenAt.lastIndex = from;
    const match = tokenAt.exec(text);
    if (match === null) throw new ConditionTextError(t.unreadable, from);
    const [all, quoted, sign, bracket, word] = match;
    const found = quoted ?? sign ?? bracket ?? word ?? '';
    const kind = quoted !== undefined ? 'text' : word !== undefined ? 'word' : 'sign';
    tokens.push({ text: found, kind, at: from + all.length - found.length });
    from += all.length;
  }
  return [...tokens, { text: '', kind: 'end', at: text.length }];
}

/** Reads tokens one after the other. */
interface Reader {
  readonly next: () => Token;
  readonly peek: () => Token;
  /** Takes these words if they come next. */
  readonly takes: (...words: readonly string[]) => boolean;
}

function readerOf(tokens: readonly Token[]): Reader {
  let place = 0;
  const end: Token = tokens.at(-1) ?? { text: '', kind: 'end', at: 0 };
  return {
    next: () => tokens[place++] ?? end,
    peek: () => tokens[place] ?? end,
    takes: (...words) => {
      const isNext = words.every((word, at) => {
        const token = tokens[place + at];
        return token !== undefined && token.kind !== 'text' && token.text.toLowerCase() === word;
      });
      if (isNext) place += words.length;
      return isNext;
    },
  };
}

function readList(reader: Reader, logic: 'and' | 'or'): ConditionNode {
  const part = () => (logic === 'or' ? readList(reader, 'and') : readPart(reader));
  const first = part();
  const parts = [first];
  while (reader.takes(logic)) parts.push(part());
  return parts.length === 1 ? first : { kind: 'group', logic, parts };
}

function readPart(reader: Reader): ConditionNode {
  const { at } = reader.peek();
  if (reader.takes('not')) {
    const negated = opposite(readPart(reader));
    if (negated === null) throw new ConditionTextError(t.noOpposite, at);
    return negated;
  }
  if (!reader.takes('(')) return readLeaf(reader);
  const inner = readList(reader, 'or');
  if (!reader.takes(')')) throw new ConditionTextError(t.unclosed, reader.peek().at);
  return inner;
}

function readLeaf(reader: Reader): ConditionNode {
  const { text: field, kind, at } = reader.next();
  if (kind !== 'word') throw new ConditionTextError(t.wantsField, at);
  const leaf = (operator: string, value?: unknown): ConditionNode => ({ kind: 'leaf', field, operator, value });
  if (reader.takes('exists')) return leaf('exists');
  if (reader.takes('not', 'exists')) return leaf('not_exists');
  const isNot = reader.takes('not');
  const orNot = (operator: string) => (isNot ? `not_${operator}` : operator);
  if (reader.takes('in')) return leaf(orNot('in'), readValues(reader));
  if (reader.takes('contains')) return leaf(orNot('contains'), readValue(reader));
  if (reader.takes('within', 'last')) {
    const value = readValue(reader);
    if (!reader.takes('days')) reader.takes('day');
    return leaf(orNot('within_last_days'), value);
  }
  const sign = reader.peek();
  if (isNot) throw new ConditionTextError(t.wantsOperator(field), sign.at);
  if (reader.takes('starts', 'with')) return leaf('starts_with', readValue(reader));
  if (reader.takes('matches')) return leaf('regex', readValue(reader));
  if (reader.takes('between')) {
    const lower = readValue(reader);
    if (!reader.takes('and')) throw new ConditionTextError(t.wantsAnd, reader.peek().at);
    return leaf('between', [lower, readValue(reader)]);
  }
  const operator = sign.kind === 'sign' ? signs[sign.text] : undefined;
  if (operator === undefined) throw new ConditionTextError(t.wantsOperator(field), sign.at);
  reader.next();
  return leaf(operator, readValue(reader));
}

function readValue(reader: Reader): unknown {
  const { text, kind, at } = reader.next();
  if (kind === 'text') return JSON.parse(text);
  if (kind !== 'word') throw new ConditionTextError(t.wantsValue, at);
  if (text === 'true' || text === 'false') return text === 'true';
  return Number.isFinite(Number(text)) ? Number(text) : text;
}

function readValues(reader: Reader): readonly unknown[] {
  const close = reader.takes('(') ? ')' : reader.takes('[') ? ']' : null;
  if (close === null) throw new ConditionTextError(t.wantsList, reader.peek().at);
  const values = [readValue(reader)];
  while (reader.takes(',')) values.push(readValue(reader));
  if (!reader.takes(close)) throw new ConditionTextError(t.unclosed, reader.peek().at);
  return values;
}

/** Reads a condition from text, or from JSON in any form the API accepts. Throws `ConditionTextError`. */
export function textAsCondition(text: string): ConditionGroup {
  const trimmed = text.trim();
  if (trimmed === '') return readCondition(null);
  if (trimmed.startsWith('{') || trimmed.startsWith('[')) {
    try {
      return readCondition(JSON.parse(trimmed));
    } catch {
      throw new ConditionTextError(t.badJson, 0);
    }
  }
  const reader = readerOf(tokensOf(text));
  const node = readList(reader, 'or');
  const rest = reader.peek();
  if (rest.kind !== 'end') throw new ConditionTextError(t.wantsEnd, rest.at);
  return node.kind === 'group' ? node : { kind: 'group', logic: 'and', parts: [node] };
}
