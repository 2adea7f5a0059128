import type { Json } from '@arbiter/engine';
import type { CST, Document } from 'yaml';
import { lazyPackages } from './packages/lazy-packages.ts';

/** A problem in a text. `pointer`: JSON Pointer of the value, or null where there's no value yet. */
export interface YamlProblem {
  readonly pointer: string | null;
  /** From 1; null when the problem is about the whole text. */
  readonly line: number | null;
  readonly message: string;
}

export type ReadYaml = { readonly value: Json } | { readonly problems: readonly YamlProblem[] };

/** `readYaml`, or a thread that calls it. For texts over `largeYaml` characters, which would block the event loop. */
export type ReadLargeYaml = (text: string) => Promise<ReadYaml>;
export const largeYaml = 16_384;

/** No configuration is nested deeper. */
const deepest = 100;

/** Maximum problems reported for one text; an answer has no room for more (docs/design/api-settled.md 22). */
const maxProblems = 50;

const reading = {
  version: '1.2',
  schema: 'core',
  merge: false,
  uniqueKeys: false,
  strict: true,
  prettyErrors: false,
  stringKeys: false,
  logLevel: 'silent',
} as const;

/**
 * Maximum characters and lexemes (words, marks, spaces, line ends) of a text. A record of the API has at most 1 MB.
 * Each lexeme takes the parser about 700 bytes, so a text made of brackets would need more memory than there is.
 */
const maxCharacters = 4 * 1024 * 1024;
const maxLexemes = 600_000;

class TooDeep extends Error {}
class TooLarge extends Error {}

/**
 * Yields the tokens of a text. Ends at brackets that are nested too deep and at the maximum number of problems: reading
 * on would cost seconds for a text of stray braces.
 */
function* tokensOf(text: string): Generator<CST.Token> {
  const { Lexer, Parser } = lazyPackages.yaml();
  const parser = new Parser();
  let depth = 0;
  let faults = 0;
  let lexemes = 0;
  for (const lexeme of new Lexer().lex(text)) {
    if (lexeme === '[' || lexeme === '{') depth += 1;
    else if (lexeme === ']' || lexeme === '}') depth -= 1;
    // The code that reads the values reports slightly too deep nesting with its place.
    if (depth > 2 * deepest) throw new TooDeep();
    lexemes += 1;
    if (lexemes > maxLexemes) throw new TooLarge();
    for (const token of parser.next(lexeme)) {
      yield token;
      if (token.type === 'error') faults += 1;
    }
    if (faults > maxProblems) break;
  }
  yield* parser.end();
}

/**
 * Parses one YAML 1.2 document (core schema) that JSON can express. Rejects anchors, aliases, tags, keys that aren't
 * strings or occur twice, non-finite numbers, and more than one document.
 */
export function readYaml(text: string): ReadYaml {
  let documents: Document[];
  if (text.length > maxCharacters) return fileProblem(tooLarge);
  try {
    const { Composer } = lazyPackages.yaml();
    documents = [...new Composer(reading).compose(tokensOf(text))];
  } catch (error) {
    if (error instanceof TooLarge) return fileProblem(tooLarge);
    if (error instanceof TooDeep) return fileProblem(`must be nested at most ${deepest} levels deep`);
    // The reader follows the nesting of the text by calls.
    if (error instanceof RangeError) return fileProblem('is nested too deeply');
    throw error;
  }
  const lineOf = lineFinder(text);
  const [document, second] = documents;
  if (document === undefined) return fileProblem('is empty');
  const faults = [...document.errors, ...document.warnings].slice(0, maxProblems).map(({ message, pos }) => ({
    pointer: null,
    line: lineOf(pos[0]),
    message: `is not valid YAML: ${message}`,
  }));
  if (faults.length > 0) return { problems: faults };
  if (second !== undefined) return fileProblem('must contain a single document');
  const problems: YamlProblem[] = [];
  const value = jsonOf(document.contents, '', 0, { problems, lineOf });
  return problems.length > 0 ? { problems } : { value };
}

const tooLarge = `must have at most ${maxCharacters} characters and ${maxLexemes} tokens`;

const fileProblem = (message: string): ReadYaml => ({ problems: [{ pointer: null, line: null, message }] });

interface YamlReading {
  readonly problems: YamlProblem[];
  lineOf(position: number): number;
}

function jsonOf(node: unknown, pointer: string, depth: number, reading: YamlReading): Json {
  const { isAlias, isMap, isScalar, isSeq } = lazyPackages.yaml();
  const refuse = (message: string, at: unknown = node): Json => {
    const range: unknown = typeof at === 'object' && at !== null ? Reflect.get(at, 'range') : null;
    const line = Array.isArray(range) ? reading.lineOf(Number(range[0])) : null;
    reading.problems.push({ pointer, line, message });
    return null;
  };
  if (node === null || node === undefined) return null;
  if (depth > deepest) return refuse(`must be nested at most ${deepest} levels deep`);
  if (isAlias(node)) return refuse('is an alias; write out the value');
  if (isScalar(node) || isMap(node) || isSeq(node)) {
    if (node.anchor !== undefined) return refuse('has an anchor; anchors are not supported');
    if (node.tag !== undefined) return refuse('has a tag; tags are not supported');
  }
  if (isScalar(node)) {
    const { value } = node;
    if (typeof value === 'number' && !Number.isFinite(value)) return refuse('is not a finite number');
    if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
      return value;
    }
    return refuse('is not a JSON value');
  }
  if (isSeq(node)) return node.items.map((item, at) => jsonOf(item, `${pointer}/${at}`, depth + 1, reading));
  if (!isMap(node)) return refuse('is not a JSON value');
  const object: Record<string, Json> = {};
  for (const { key, value } of node.items) {
    const name = keyOf(key);
    if (name === null) {
      refuse('has a key that is not a plain string', key);
      continue;
    }
    const inner = `${pointer}/${pointerStep(name)}`;
    if (Object.hasOwn(object, name)) {
      reading.problems.push({ pointer: inner, line: null, message: 'is listed more than once' });
      continue;
    }
    // Assigning would set the prototype for the key `__proto__`.
    Object.defineProperty(object, name, {
      value: jsonOf(value, inner, depth + 1, reading),
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return object;
}

/** A key as text; null for one that is no text, or has an anchor or a tag. */
function keyOf(key: unknown): string | null {
  if (!lazyPackages.yaml().isScalar(key) || key.anchor !== undefined || key.tag !== undefined) return null;
  if (typeof key.value === 'string') return key.value;
  // A key such as 7 or true is text in JSON too, as it was written.
  return key.value === null ? null : (key.source ?? null);
}

/** Returns one step of a JSON Pointer. */
export const pointerStep = (name: string | number): string => String(name).replaceAll('~', '~0').replaceAll('/', '~1');

/** The starts of all lines are found once: a text with many faults asks for many lines. */
function lineFinder(text: string): (position: number) => number {
  let starts: number[] | null = null;
  return (position) => {
    starts ??= lineStarts(text);
    let low = 0;
    let high = starts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (starts[middle]! <= position) low = middle + 1;
      else high = middle;
    }
    return Math.max(1, low);
  };
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}
