/**
 * Returns the id of an invented record for documentation examples. The same word (`offer`, `channel`) always gives the
 * same id, so that examples of several operations fit together. Has the form of a UUIDv7.
 */
export function exampleId(word: string): string {
  const letters = [...word.slice(0, 6)].map((letter) => (letter.charCodeAt(0) & 0xff).toString(16).padStart(2, '0'));
  return `0190a1b2-c3d4-7e5f-8a9b-${letters.join('').padEnd(12, '0')}`;
}
