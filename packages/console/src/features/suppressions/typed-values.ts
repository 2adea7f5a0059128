/** Returns the customer IDs of a pasted list, one per line, each once. */
export const customerIdsOf = (text: string): readonly string[] => [
  ...new Set(
    text
      .split(/\r?\n/)
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  ),
];

/** Returns a number of days; null for none, `bad` for a text that isn't one. */
export function daysOf(text: string): number | null | 'bad' {
  const typed = text.trim();
  if (typed === '') return null;
  const days = Number(typed);
  return Number.isInteger(days) && days >= 1 && days <= 36_500 ? days : 'bad';
}
