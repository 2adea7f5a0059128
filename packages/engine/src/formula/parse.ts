import type { FormulaProblem } from '../plan/formula.ts';
import type { BinaryOperator, FormulaNode } from './ast.ts';
import { MAX_DEPTH, MAX_PATH_PARTS, MAX_SOURCE_CHARACTERS } from './limits.ts';

export type FormulaParse =
  | { readonly ok: true; readonly root: FormulaNode }
  | { readonly ok: false; readonly problem: FormulaProblem };

/** Binary operators by rising precedence; longer spellings first. */
const LEVELS: readonly (readonly BinaryOperator[])[] = [
  ['||'],
  ['&&'],
  ['==', '!='],
  ['<=', '>=', '<', '>'],
  ['+', '-'],
  ['*', '/', '%'],
];

interface FormulaReader {
  readonly source: string;
  at: number;
  depth: number;
  /** Set once. Every parsing function gives up as soon as it's set. */
  problem: FormulaProblem | null;
}

/** Reads the grammar of docs/design/api-decisioning.md 9. Never throws; a formula that is too deep or too long is `limit`. */
export function parseFormula(source: string): FormulaParse {
  if (source.length > MAX_SOURCE_CHARACTERS) {
    const message = `a formula has at most ${MAX_SOURCE_CHARACTERS} characters`;
    return { ok: false, problem: { kind: 'limit', message, position: MAX_SOURCE_CHARACTERS } };
  }
  const reader: FormulaReader = { source, at: 0, depth: 0, problem: null };
  const root = readExpression(reader);
  if (reader.problem === null && reader.at < source.length) {
    refuse(reader, `unexpected ${quotedToken(reader)}`);
  }
  if (reader.problem !== null) return { ok: false, problem: reader.problem };
  if (root === null) return { ok: false, problem: { kind: 'parse', message: 'a value is missing', position: 0 } };
  return { ok: true, root };
}

function refuse(reader: FormulaReader, message: string, at = reader.at): null {
  reader.problem ??= { kind: 'parse', message: `${message} at position ${at}`, position: at };
  return null;
}

function quotedToken(reader: FormulaReader): string {
  const code = reader.source.codePointAt(reader.at);
  return code === undefined ? 'end' : `"${String.fromCodePoint(code)}"`;
}

/** Enters one level; false when that is too deep. A caller that got true leaves the level by `depth -= 1`. */
function enter(reader: FormulaReader): boolean {
  if (reader.depth >= MAX_DEPTH) {
    reader.problem ??= {
      kind: 'limit',
      message: `a formula nests at most ${MAX_DEPTH} levels`,
      position: reader.at,
    };
    return false;
  }
  reader.depth += 1;
  return true;
}

function skipSpace(reader: FormulaReader): void {
  for (;;) {
    const code = reader.source.charCodeAt(reader.at);
    if (code !== 32 && code !== 9 && code !== 10 && code !== 13) return;
    reader.at += 1;
  }
}

/** Takes the text when it comes next, white space before and after it aside. */
function take(reader: FormulaReader, text: string): boolean {
  if (!reader.source.startsWith(text, reader.at)) return false;
  reader.at += text.length;
  skipSpace(reader);
  return true;
}

function readExpression(reader: FormulaReader): FormulaNode | null {
  skipSpace(reader);
  const at = reader.at;
  const test = readBinary(reader, 0);
  if (test === null || !take(reader, '?')) return test;
  if (!enter(reader)) return null;
  const yes = readExpression(reader);
  if (yes === null) return null;
  if (!take(reader, ':')) return refuse(reader, '":" is missing');
  const no = readExpression(reader);
  reader.depth -= 1;
  return no === null ? null : { kind: 'choice', at, test, yes, no };
}

function readBinary(reader: FormulaReader, level: number): FormulaNode | null {
  const operators = LEVELS[level];
  if (operators === undefined) return readUnary(reader);
  let left = readBinary(reader, level + 1);
  while (left !== null) {
    const at = reader.at;
    const operator = operators.find((text) => take(reader, text));
    if (operator === undefined) return left;
    const right = readBinary(reader, level + 1);
    if (right === null) return null;
    left = { kind: 'binary', at, operator, left, right };
  }
  return null;
}

function readUnary(reader: FormulaReader): FormulaNode | null {
  const at = reader.at;
  const operator = take(reader, '-') ? '-' : take(reader, '!') ? '!' : null;
  if (operator === null) return readPrimary(reader);
  if (!enter(reader)) return null;
  const operand = readUnary(reader);
  reader.depth -= 1;
  return operand === null ? null : { kind: 'unary', at, operator, operand };
}

function readPrimary(reader: FormulaReader): FormulaNode | null {
  const code = reader.source.charCodeAt(reader.at);
  if (isDigit(code)) return readNumber(reader);
  if (code === 34 || code === 39) return readText(reader, code);
  if (isNameStart(code)) return readNamed(reader);
  if (!take(reader, '(')) return refuse(reader, `a value is expected, found ${quotedToken(reader)}`);
  if (!enter(reader)) return null;
  const inner = readExpression(reader);
  reader.depth -= 1;
  if (inner === null) return null;
  return take(reader, ')') ? inner : refuse(reader, '")" is missing');
}

function readNumber(reader: FormulaReader): FormulaNode | null {
  const start = reader.at;
  skipDigits(reader);
  if (reader.source.charCodeAt(reader.at) === 46) {
    reader.at += 1;
    if (!skipDigits(reader)) return refuse(reader, 'digits are missing after the point');
  }
  const mark = reader.source.charCodeAt(reader.at);
  if (mark === 69 || mark === 101) {
    reader.at += 1;
    const sign = reader.source.charCodeAt(reader.at);
    if (sign === 43 || sign === 45) reader.at += 1;
    if (!skipDigits(reader)) return refuse(reader, 'digits are missing in the exponent');
  }
  if (isNameStart(reader.source.charCodeAt(reader.at))) return refuse(reader, `unexpected ${quotedToken(reader)}`);
  const value = Number(reader.source.slice(start, reader.at));
  if (!Number.isFinite(value)) return refuse(reader, 'the number is too large', start);
  skipSpace(reader);
  return { kind: 'literal', at: start, value };
}

function skipDigits(reader: FormulaReader): boolean {
  const start = reader.at;
  while (isDigit(reader.source.charCodeAt(reader.at))) reader.at += 1;
  return reader.at > start;
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\', '"': '"', "'": "'", n: '\n', t: '\t' };

function readText(reader: FormulaReader, quote: number): FormulaNode | null {
  const start = reader.at;
  reader.at += 1;
  let value = '';
  for (;;) {
    const code = reader.source.charCodeAt(reader.at);
    if (Number.isNaN(code)) return refuse(reader, 'the text does not end', start);
    reader.at += 1;
    if (code === quote) break;
    if (code !== 92) {
      value += String.fromCharCode(code);
      continue;
    }
    const letter = reader.source[reader.at] ?? '';
    const escaped = Object.hasOwn(ESCAPES, letter) ? ESCAPES[letter] : unicodeEscape(reader.source, reader.at);
    if (escaped === undefined) return refuse(reader, 'unknown escape', reader.at - 1);
    reader.at += letter === 'u' ? 5 : 1;
    value += escaped;
  }
  if (hasLoneSurrogate(value)) return refuse(reader, 'the text has half a character', start);
  skipSpace(reader);
  return { kind: 'literal', at: start, value };
}

/** The character of `uXXXX` at `at`. */
function unicodeEscape(source: string, at: number): string | undefined {
  const digits = source.slice(at + 1, at + 5);
  if (source[at] !== 'u' || !/^[0-9A-Fa-f]{4}$/.test(digits)) return undefined;
  return String.fromCharCode(Number.parseInt(digits, 16));
}

function hasLoneSurrogate(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0xd800 || code >= 0xe000) continue;
    const next = text.charCodeAt(at + 1);
    if (code >= 0xdc00 || !(next >= 0xdc00 && next < 0xe000)) return true;
    at += 1;
  }
  return false;
}

function readNamed(reader: FormulaReader): FormulaNode | null {
  const at = reader.at;
  const first = readName(reader);
  skipSpace(reader);
  if (reader.source.charCodeAt(reader.at) === 40) return readCall(reader, first, at);
  if (reader.source.charCodeAt(reader.at) !== 46) {
    if (first === 'true' || first === 'false') return { kind: 'literal', at, value: first === 'true' };
    return first === 'null' ? { kind: 'literal', at, value: null } : { kind: 'name', at, name: first };
  }
  const rest: string[] = [];
  while (take(reader, '.')) {
    if (!isNameStart(reader.source.charCodeAt(reader.at))) return refuse(reader, 'a name is missing after "."');
    rest.push(readName(reader));
    skipSpace(reader);
  }
  const [second, ...others] = rest;
  if (second === undefined || rest.length + 1 > MAX_PATH_PARTS) {
    return refuse(reader, `a path has at most ${MAX_PATH_PARTS} parts`, at);
  }
  return { kind: 'path', at, parts: [first, second, ...others] };
}

function readName(reader: FormulaReader): string {
  const start = reader.at;
  while (isNamePart(reader.source.charCodeAt(reader.at))) reader.at += 1;
  return reader.source.slice(start, reader.at);
}

function readCall(reader: FormulaReader, name: string, at: number): FormulaNode | null {
  take(reader, '(');
  if (take(reader, ')')) return { kind: 'call', at, name, args: [] };
  if (!enter(reader)) return null;
  const args: FormulaNode[] = [];
  do {
    const argument = readExpression(reader);
    if (argument === null) return null;
    args.push(argument);
  } while (take(reader, ','));
  reader.depth -= 1;
  return take(reader, ')') ? { kind: 'call', at, name, args } : refuse(reader, '")" is missing');
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function isNameStart(code: number): boolean {
  return (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 95;
}

function isNamePart(code: number): boolean {
  return isNameStart(code) || isDigit(code);
}
