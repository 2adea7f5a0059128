import { decodedText } from './decoded-text.ts';
import { SourceError } from './source-error.ts';
import { together } from './together.ts';

/** Characters of one record at most. */
const maxPerRecord = 8 * 1024 * 1024;

function parsed(text: string, line: number): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new SourceError('parse_failed', { line, cause });
  }
}

/** Reads one JSON value a line, several at a time; empty lines don't count. Throws SourceError `parse_failed` with the line. */
export async function* readJsonLines(
  bytes: AsyncIterable<Uint8Array>,
  encoding: string,
): AsyncGenerator<readonly unknown[]> {
  let line = 1;
  let rest = '';
  const valuesIn = (text: string): readonly unknown[] => (text.trim() === '' ? [] : [parsed(text, line)]);
  function* endedBy(others: readonly string[]): Generator<unknown> {
    for (const next of others) {
      yield* valuesIn(rest);
      line += 1;
      rest = next;
    }
  }
  for await (const text of decodedText(bytes, encoding)) {
    const [first = '', ...others] = text.split('\n');
    rest += first;
    yield* together(endedBy(others));
    if (rest.length > maxPerRecord) throw new SourceError('parse_failed', { line });
  }
  yield valuesIn(rest);
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
  const take = (): unknown => {
    const text = value;
    value = '';
    return parsed(text, startLine);
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
    *push(text: string): Generator<unknown> {
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
      if (value.length > maxPerRecord) fail();
    },
    end(): void {
      if (state !== 'after') fail();
    },
  };
}

/** Reads the values of one JSON list, several at a time and without holding all of it. Throws SourceError `parse_failed` with the line. */
export async function* readJsonList(
  bytes: AsyncIterable<Uint8Array>,
  encoding: string,
): AsyncGenerator<readonly unknown[]> {
  const splitter = listSplitter();
  for await (const text of decodedText(bytes, encoding)) {
    yield* together(splitter.push(text));
  }
  splitter.end();
}
