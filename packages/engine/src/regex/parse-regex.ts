import {
  type Assertion,
  complement,
  DIGITS,
  LAST_CODE_POINT,
  LINE_ENDS,
  type Ranges,
  type RegexNode,
  SPACE,
  WORD,
} from './ast.ts';

export type RegexParse =
  | { readonly ok: true; readonly root: RegexNode }
  | { readonly ok: false; readonly message: string };

/** Pattern length and upper bound of a counted repetition. */
const MAX_PATTERN_CHARACTERS = 200;
const MAX_COUNT = 1000;

interface RegexReader {
  readonly source: readonly string[];
  at: number;
  message: string | null;
}

/**
 * Reads the regular part of the language's patterns: sets, classes `\d \w \s`, anchors, `\b`, groups, alternatives and
 * repetitions, by code points. Backreferences and lookaround are refused: they cannot be matched in linear time.
 */
export function parseRegex(pattern: string): RegexParse {
  const reader: RegexReader = { source: [...pattern], at: 0, message: null };
  if (reader.source.length > MAX_PATTERN_CHARACTERS) {
    return { ok: false, message: `a pattern has at most ${MAX_PATTERN_CHARACTERS} characters` };
  }
  const root = readAlternatives(reader);
  if (reader.message === null && reader.at < reader.source.length) refuse(reader, '")" has no "("');
  return reader.message === null ? { ok: true, root } : { ok: false, message: reader.message };
}

const NOTHING: RegexNode = { kind: 'sequence', items: [] };

function refuse(reader: RegexReader, message: string): RegexNode {
  reader.message ??= `${message} at position ${reader.at}`;
  return NOTHING;
}

function peek(reader: RegexReader): string | undefined {
  return reader.message === null ? reader.source[reader.at] : undefined;
}

function take(reader: RegexReader, text: string): boolean {
  for (const [index, character] of [...text].entries()) {
    if (reader.source[reader.at + index] !== character) return false;
  }
  reader.at += text.length;
  return true;
}

function readAlternatives(reader: RegexReader): RegexNode {
  const items = [readSequence(reader)];
  while (peek(reader) === '|') {
    reader.at += 1;
    items.push(readSequence(reader));
  }
  return items.length === 1 ? (items[0] ?? NOTHING) : { kind: 'alternatives', items };
}

function readSequence(reader: RegexReader): RegexNode {
  const items: RegexNode[] = [];
  for (;;) {
    const next = peek(reader);
    if (next === undefined || next === '|' || next === ')') return { kind: 'sequence', items };
    items.push(readRepeated(reader));
  }
}

function readRepeated(reader: RegexReader): RegexNode {
  const item = readAtom(reader);
  const bounds = readBounds(reader);
  if (bounds === null) return item;
  if (item.kind === 'assertion') return refuse(reader, 'an anchor cannot be repeated');
  const [min, max] = bounds;
  if (min > max) return refuse(reader, 'the bounds of a repetition are out of order');
  // Lazy or greedy: the same texts match.
  take(reader, '?');
  return { kind: 'repeat', item, min, max };
}

function readBounds(reader: RegexReader): readonly [min: number, max: number] | null {
  switch (peek(reader)) {
    case '*':
      reader.at += 1;
      return [0, Number.POSITIVE_INFINITY];
    case '+':
      reader.at += 1;
      return [1, Number.POSITIVE_INFINITY];
    case '?':
      reader.at += 1;
      return [0, 1];
    case '{':
      return readCounts(reader);
    default:
      return null;
  }
}

function readCounts(reader: RegexReader): readonly [min: number, max: number] | null {
  reader.at += 1;
  const min = readCount(reader);
  let max = min;
  if (take(reader, ',')) max = peek(reader) === '}' ? Number.POSITIVE_INFINITY : readCount(reader);
  if (min === null || max === null || !take(reader, '}')) {
    refuse(reader, '"{" does not begin a repetition here; write "\\{" for the character');
    return null;
  }
  if (min > MAX_COUNT || (max > MAX_COUNT && max !== Number.POSITIVE_INFINITY)) {
    refuse(reader, `a repetition has at most ${MAX_COUNT} turns`);
    return null;
  }
  return [min, max];
}

function readCount(reader: RegexReader): number | null {
  const start = reader.at;
  while (/^[0-9]$/.test(peek(reader) ?? '') && reader.at - start < 6) reader.at += 1;
  return reader.at === start ? null : Number(reader.source.slice(start, reader.at).join(''));
}

function readAtom(reader: RegexReader): RegexNode {
  const character = peek(reader) ?? '';
  switch (character) {
    case '(':
      return readGroup(reader);
    case '[':
      reader.at += 1;
      return readSet(reader);
    case '.':
      reader.at += 1;
      return { kind: 'set', ranges: LINE_ENDS, negated: true };
    case '^':
      return readAssertion(reader, 1, 'start');
    case '$':
      return readAssertion(reader, 1, 'end');
    case '\\':
      if (reader.source[reader.at + 1] === 'b') return readAssertion(reader, 2, 'word_boundary');
      if (reader.source[reader.at + 1] === 'B') return readAssertion(reader, 2, 'no_word_boundary');
      return { kind: 'set', ranges: readEscape(reader), negated: false };
    case '*':
    case '+':
    case '?':
    case '{':
      return refuse(reader, `"${character}" has nothing to repeat`);
    default:
      reader.at += 1;
      return { kind: 'set', ranges: single(character), negated: false };
  }
}

function readAssertion(reader: RegexReader, length: number, assertion: Assertion): RegexNode {
  reader.at += length;
  return { kind: 'assertion', assertion };
}

function readGroup(reader: RegexReader): RegexNode {
  reader.at += 1;
  if (take(reader, '?')) {
    if (take(reader, '=') || take(reader, '!') || take(reader, '<=') || take(reader, '<!')) {
      return refuse(reader, 'lookaround is not supported');
    }
    if (take(reader, '<')) {
      while (/^[A-Za-z0-9_$]$/.test(peek(reader) ?? '')) reader.at += 1;
      if (!take(reader, '>')) return refuse(reader, 'the name of a group does not end');
    } else if (!take(reader, ':')) {
      return refuse(reader, 'unknown kind of group');
    }
  }
  const inner = readAlternatives(reader);
  return take(reader, ')') ? inner : refuse(reader, '"(" has no ")"');
}

function single(character: string): Ranges {
  const codePoint = character.codePointAt(0) ?? 0;
  return [codePoint, codePoint];
}

const CLASSES: ReadonlyMap<string, Ranges> = new Map([
  ['d', DIGITS],
  ['D', complement(DIGITS)],
  ['w', WORD],
  ['W', complement(WORD)],
  ['s', SPACE],
  ['S', complement(SPACE)],
]);

const CONTROLS: ReadonlyMap<string, number> = new Map([
  ['t', 9],
  ['n', 10],
  ['v', 11],
  ['f', 12],
  ['r', 13],
  ['0', 0],
]);

/** Returns the characters that an escape stands for. The reader is on its backslash. */
function readEscape(reader: RegexReader): Ranges {
  reader.at += 1;
  const letter = peek(reader);
  if (letter === undefined) {
    refuse(reader, 'the pattern ends with "\\"');
    return [];
  }
  reader.at += 1;
  const set = CLASSES.get(letter);
  if (set !== undefined) return set;
  const control = CONTROLS.get(letter);
  if (control !== undefined) return [control, control];
  if (letter === 'x') return readHex(reader, 2);
  if (letter === 'u') return take(reader, '{') ? readHexUntilBrace(reader) : readHex(reader, 4);
  if (/^[0-9k]$/.test(letter)) {
    refuse(reader, 'backreferences are not supported');
    return [];
  }
  if (/^[A-Za-z]$/.test(letter)) {
    refuse(reader, `unknown escape "\\${letter}"`);
    return [];
  }
  return single(letter);
}

function readHex(reader: RegexReader, length: number): Ranges {
  const digits = reader.source.slice(reader.at, reader.at + length).join('');
  if (digits.length !== length || !/^[0-9A-Fa-f]+$/.test(digits)) {
    refuse(reader, 'hexadecimal digits are missing');
    return [];
  }
  reader.at += length;
  const value = Number.parseInt(digits, 16);
  return [value, value];
}

function readHexUntilBrace(reader: RegexReader): Ranges {
  const start = reader.at;
  while (/^[0-9A-Fa-f]$/.test(peek(reader) ?? '')) reader.at += 1;
  const digits = reader.source.slice(start, reader.at).join('');
  const value = Number.parseInt(digits, 16);
  if (digits === '' || digits.length > 8 || value > LAST_CODE_POINT || !take(reader, '}')) {
    refuse(reader, 'unknown code point');
    return [];
  }
  return [value, value];
}

function readSet(reader: RegexReader): RegexNode {
  const negated = take(reader, '^');
  const ranges: number[] = [];
  for (;;) {
    const next = peek(reader);
    if (next === undefined) return refuse(reader, '"[" has no "]"');
    if (next === ']') break;
    const from = readSetMember(reader);
    if (peek(reader) !== '-' || reader.source[reader.at + 1] === ']') {
      ranges.push(...from);
      continue;
    }
    reader.at += 1;
    if (peek(reader) === undefined) return refuse(reader, '"[" has no "]"');
    const to = readSetMember(reader);
    const [low, lowEnd] = from;
    const [high, highEnd] = to;
    if (low === undefined || high === undefined) return NOTHING;
    if (low !== lowEnd || high !== highEnd || from.length > 2 || to.length > 2) {
      return refuse(reader, 'a class cannot be the end of a range');
    }
    if (low > high) return refuse(reader, 'a range is out of order');
    ranges.push(low, high);
  }
  reader.at += 1;
  return { kind: 'set', ranges, negated };
}

function readSetMember(reader: RegexReader): Ranges {
  const character = peek(reader) ?? '';
  if (character !== '\\') {
    reader.at += 1;
    return single(character);
  }
  if (reader.source[reader.at + 1] === 'b') {
    reader.at += 2;
    return [8, 8];
  }
  return readEscape(reader);
}
