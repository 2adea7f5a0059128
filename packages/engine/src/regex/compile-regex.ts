import { type Assertion, isInRanges, WORD } from './ast.ts';
import { parseRegex } from './parse-regex.ts';
import { buildProgram, type Instruction } from './program.ts';

export interface Regex {
  /**
   * True when the pattern matches somewhere in the text. Looks at the first 1,000 characters; when there are more, `$`
   * does not match after them. Time is linear in the text, never exponential.
   */
  readonly test: (text: string) => boolean;
}

export type RegexCompilation =
  | { readonly ok: true; readonly regex: Regex }
  | { readonly ok: false; readonly message: string };

const MAX_TEXT_CHARACTERS = 1000;

/** Compiles a pattern of at most 200 characters (docs/design/api-decisioning.md 8, `regex`) to an automaton. Never throws. */
export function compileRegex(pattern: string): RegexCompilation {
  const parse = parseRegex(pattern);
  if (!parse.ok) return { ok: false, message: parse.message };
  const program = buildProgram(parse.root);
  if (program === null) return { ok: false, message: 'the pattern has too many repetitions' };
  // Many candidates test the same text, such as a customer attribute.
  let lastText: string | null = null;
  let lastResult = false;
  const run = runnerOf(program);
  const test = (text: string): boolean => {
    if (text !== lastText) {
      lastResult = run(text);
      lastText = text;
    }
    return lastResult;
  };
  return { ok: true, regex: { test } };
}

/** Follows all states at once (K. Thompson): at most one visit per state and character. */
function runnerOf(program: readonly Instruction[]): (text: string) => boolean {
  const start = program.length - 1;
  // A state is pending at most twice per visit: once for each of the two ways of a split.
  const pending = new Int32Array(2 * program.length + 2);
  const visited = new Uint32Array(program.length);
  let visit = 0;
  let current = new Int32Array(program.length);
  let following = new Int32Array(program.length);
  let followingCount = 0;

  /** Adds the states reachable without a character; true when the match is among them. */
  function follow(from: number, before: number, after: number): boolean {
    let count = 1;
    pending[0] = from;
    while (count > 0) {
      count -= 1;
      const state = pending[count] as number;
      if (visited[state] === visit) continue;
      visited[state] = visit;
      const instruction = program[state] as Instruction;
      switch (instruction.kind) {
        case 'match':
          return true;
        case 'character':
          following[followingCount] = state;
          followingCount += 1;
          break;
        case 'split':
          pending[count] = instruction.other;
          pending[count + 1] = instruction.next;
          count += 2;
          break;
        case 'assertion':
          if (holds(instruction.assertion, before, after)) {
            pending[count] = instruction.next;
            count += 1;
          }
          break;
      }
    }
    return false;
  }

  return (text) => {
    let currentCount = 0;
    let before = NONE;
    let at = 0;
    for (let count = 0; ; count++) {
      const after = text.codePointAt(at) ?? NONE;
      if (visit === 0xffffffff) {
        visited.fill(0);
        visit = 0;
      }
      visit += 1;
      followingCount = 0;
      for (let index = 0; index < currentCount; index++) {
        const instruction = program[current[index] as number] as Instruction;
        if (instruction.kind === 'character' && instruction.accepts(before)) {
          if (visited[instruction.next] !== visit && follow(instruction.next, before, after)) return true;
        }
      }
      if (follow(start, before, after)) return true;
      if (after === NONE || count === MAX_TEXT_CHARACTERS) return false;
      [current, following] = [following, current];
      currentCount = followingCount;
      before = after;
      at += after > 0xffff ? 2 : 1;
    }
  };
}

/** Before the first and after the last character. */
const NONE = -1;

function holds(assertion: Assertion, before: number, after: number): boolean {
  switch (assertion) {
    case 'start':
      return before === NONE;
    case 'end':
      return after === NONE;
    case 'word_boundary':
      return isInRanges(WORD, before) !== isInRanges(WORD, after);
    case 'no_word_boundary':
      return isInRanges(WORD, before) === isInRanges(WORD, after);
  }
}
