import type { ListedWord } from '../../ui/completion/word-list.tsx';

/** A token that is being typed: `{fir` up to the caret. */
export interface TypedToken {
  /** Position after the opening braces. */
  readonly from: number;
  readonly to: number;
  readonly text: string;
  /** `}` or `}}`, as it was opened. */
  readonly close: string;
}

/** Returns the token that is being typed at the caret; null outside of one, and in its fallback. */
export function tokenAt(text: string, caret: number): TypedToken | null {
  const match = /(\{\{?)\s*([\w.]*)$/.exec(text.slice(0, caret));
  if (match === null) return null;
  const [, open = '', word = ''] = match;
  return { from: caret - word.length, to: caret, text: word, close: open.length === 2 ? '}}' : '}' };
}

/** Words shown for a token. */
const maxWords = 8;

/** Returns the words that complete a token: those that begin with it, then those that contain it. */
export function tokenCompletions(words: readonly ListedWord[], typed: string): readonly ListedWord[] {
  const query = typed.toLowerCase();
  const found = words.filter(({ text }) => text.toLowerCase().includes(query) && text !== typed);
  const begins = ({ text }: ListedWord) => (text.toLowerCase().startsWith(query) ? 0 : 1);
  return found.toSorted((one, other) => begins(one) - begins(other)).slice(0, maxWords);
}

/** Returns the text with the token completed and closed, and the caret after it. */
export function completeToken(
  text: string,
  { from, to, close }: TypedToken,
  word: string,
): { readonly text: string; readonly caret: number } {
  const rest = text.slice(to);
  const hasEnd = /^\s*[}|]/.test(rest);
  const before = text.slice(0, from) + word + (hasEnd ? '' : close);
  return { text: before + rest, caret: before.length };
}
