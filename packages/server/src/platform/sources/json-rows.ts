import { decodedText } from './decoded-text.ts';
import { SourceError } from './source-error.ts';

/** Characters of one record at most. */
const mostOfRecord = 8 * 1024 * 1024;

function parsed(text: string, line: number): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new SourceError('parse_failed', { line, cause });
  }
}

/** Reads one JSON value a line; empty lines don't count. Throws SourceError `parse_failed` with the line. */
export async function* readJsonLines(bytes: AsyncIterable<Uint8Array>, encoding: string): AsyncGenerator<unknown> {
  let line = 1;
  let rest = '';
  const valuesIn = (text: string): readonly unknown[] => (text.trim() === '' ? [] : [parsed(text, line)]);
  for await (const text of decodedText(bytes, encoding)) {
    const [first = '', ...others] = text.split('\n');
    rest += first;
    for (const next of others) {
      yield* valuesIn(rest);
      line += 1;
      rest = next;
    }
    if (rest.length > mostOfRecord) throw new SourceError('parse_failed', { line });
  }
  yield* valuesIn(rest);
}

const spaces = /\s/;

/** Finds the values of a list piece by piece. It knows where a value ends, and leaves the rest to the JSON parser. */
function listSplitter() {
  let state: 'before' | 'first' | 'value' | 'next' | 'after' = 'before';
  let [depth, isQuoted, isEscaped] = [0, false, false];
  let [line, startLine, value] = [1, 1, ''];
  const fail = (): never => {
    throw new SourceError('parse_failed', { line });
  };
  const take = (): { readonly text: string; readonly line: number } => {
    const found = { text: value, line: startLine };
    value = '';
    return found;
  };
  /** Where a value can't begin: between values. */
  const between = (letter: string): void => {
    if (spaces.test(letter)) return;
    if (state === 'before' && letter === '[') state = 'first';
    else if (state === 'first' && letter === ']') state = 'after';
    else if (state === 'before' || state === 'after') fail();
    else {
      state = 'value';
      startLine = line;
    }
  };
  const inside = (letter: string): boolean => {
    if (isQuoted) {
      if (isEscaped) isEscaped = false;
      else if (letter === '\\') isEscaped = true;
      else if (letter === '"') isQuoted = false;
      return false;
    }
    if (letter === '"') isQuoted = true;
    else if (depth === 0 && (letter === ',' || letter === ']')) return true;
    else if (letter === '{' || letter === '[') depth += 1;
    else if (letter === '}' || letter === ']') depth -= 1;
    return false;
  };
  return {
    *push(text: string): Generator<{ readonly text: string; readonly line: number }> {
      for (const letter of text) {
        if (state !== 'value') between(letter);
        if (state === 'value') {
          if (inside(letter)) {
            state = letter === ',' ? 'next' : 'after';
            yield take();
          } else value += letter;
        }
        if (letter === '\n') line += 1;
      }
      if (value.length > mostOfRecord) fail();
    },
    end(): void {
      if (state !== 'after') fail();
    },
  };
}

/** Reads the values of one JSON list, without holding all of it. Throws SourceError `parse_failed` with the line. */
export async function* readJsonList(bytes: AsyncIterable<Uint8Array>, encoding: string): AsyncGenerator<unknown> {
  const splitter = listSplitter();
  for await (const text of decodedText(bytes, encoding)) {
    for (const piece of splitter.push(text)) yield parsed(piece.text, piece.line);
  }
  splitter.end();
}
