import { nearestWord } from './nearest-word.ts';

/** Words that a message lists before it says how many more there are. */
const maxListed = 20;
/** Characters of a foreign word that a message repeats. */
const longestTold = 64;

/** Returns `a, b, c and 12 more`: the allowed values, at a readable length. */
export function listWords(words: Iterable<string>): string {
  const all = [...words];
  if (all.length <= maxListed + 1) return all.join(', ');
  return `${all.slice(0, maxListed).join(', ')} and ${all.length - maxListed} more`;
}

/** `; did you mean maxPerDay?`, or nothing when no candidate is near. */
export function didYouMean(word: unknown, candidates: Iterable<string>): string {
  const nearest = typeof word === 'string' ? nearestWord(word, candidates) : null;
  return nearest === null ? '' : `; did you mean ${nearest}?`;
}

/** `must be one of a, b; did you mean b?` */
export function mustBeOneOf(word: unknown, words: readonly string[]): string {
  return `must be one of ${listWords(words)}${didYouMean(word, words)}`;
}

/** A word of the caller's, cut so that a message stays one line of sensible length. */
export function shortenWord(word: string): string {
  if (word.length <= longestTold) return word;
  const lastUnit = word.charCodeAt(longestTold - 1);
  // Half of a surrogate pair is not a character.
  const splitsPair = lastUnit >= 0xd800 && lastUnit <= 0xdbff;
  return `${word.slice(0, splitsPair ? longestTold - 1 : longestTold)}...`;
}
