import { scimProblem } from './scim-error.ts';

/** One comparison: an attribute as it was written, and a text or a truth value. */
export interface FilterComparison {
  readonly attribute: string;
  readonly operator: 'eq' | 'sw' | 'co';
  readonly value: string | boolean;
}

/** Comparisons that one filter may have. */
const maxComparisons = 50;

type Token =
  | { readonly kind: 'word'; readonly text: string }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'mark'; readonly text: '(' | ')' };

const invalidFilter = (detail: string) => scimProblem('invalidFilter', detail);

const tokenForm = /\s*(?:([()])|("(?:[^"\\]|\\.)*")|([A-Za-z$][A-Za-z0-9$_.:-]*))/y;

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (text.slice(at).trim() !== '') {
    tokenForm.lastIndex = at;
    const found = tokenForm.exec(text);
    if (found === null) throw invalidFilter(`The filter can't be parsed from character ${at + 1}.`);
    at = tokenForm.lastIndex;
    const [, mark, quoted, word] = found;
    if (mark === '(' || mark === ')') tokens.push({ kind: 'mark', text: mark });
    else if (quoted !== undefined) tokens.push({ kind: 'text', value: unquoted(quoted) });
    else tokens.push({ kind: 'word', text: word ?? '' });
  }
  return tokens;
}

/** Texts are written as in JSON (RFC 7644 section 3.4.2.2). */
function unquoted(quoted: string): string {
  let value: unknown;
  try {
    value = JSON.parse(quoted);
  } catch {
    throw invalidFilter('The filter contains a string that is not valid JSON.');
  }
  if (typeof value !== 'string' || value.includes('\0') || !value.isWellFormed()) {
    throw invalidFilter('The filter contains a string that no attribute can have.');
  }
  return value;
}

/**
 * Reads the part of RFC 7644 section 3.4.2.2 that is settled (docs/design/api-access.md 4.4): comparisons by `eq`, `sw`, `co`,
 * joined by `and`, with parentheses. Throws 400 `invalidFilter` for everything else, so that a filter which is not understood
 * never lists more than it should.
 */
export function parseFilter(text: string): readonly FilterComparison[] {
  const tokens = tokensOf(text);
  const found: FilterComparison[] = [];
  let at = 0;

  const word = (): string => {
    const token = tokens[at];
    if (token?.kind !== 'word')
      throw invalidFilter('The filter ends or has an unexpected character where a word is expected.');
    at += 1;
    return token.text;
  };

  function comparison(): void {
    const attribute = word();
    const operator = word().toLowerCase();
    if (operator !== 'eq' && operator !== 'sw' && operator !== 'co') {
      throw invalidFilter('Filters support the operators eq, sw and co.');
    }
    const token = tokens[at];
    at += 1;
    if (token?.kind === 'text') found.push({ attribute, operator, value: token.value });
    else if (token?.kind === 'word' && (token.text === 'true' || token.text === 'false') && operator === 'eq') {
      found.push({ attribute, operator, value: token.text === 'true' });
    } else throw invalidFilter('A comparison must end with a quoted string, or with true or false for eq.');
    if (found.length > maxComparisons) throw invalidFilter(`A filter can have at most ${maxComparisons} comparisons.`);
  }

  // How many parentheses are open: all that they can group is joined by `and`, so they change nothing.
  let open = 0;
  for (let isFirst = true; isFirst || at < tokens.length; isFirst = false) {
    if (!isFirst && word().toLowerCase() !== 'and') throw invalidFilter('Comparisons must be joined with and.');
    while (isMark(tokens[at], '(')) {
      open += 1;
      at += 1;
    }
    comparison();
    while (isMark(tokens[at], ')')) {
      open -= 1;
      at += 1;
      if (open < 0) throw invalidFilter('The filter closes a parenthesis that was never opened.');
    }
  }
  if (open > 0) throw invalidFilter("The filter doesn't close a parenthesis.");
  return found;
}

const isMark = (token: Token | undefined, text: string): boolean => token?.kind === 'mark' && token.text === text;
