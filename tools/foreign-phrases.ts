/** A phrase that may not come back, and what a native speaker writes instead. */
export interface ForeignPhrase {
  /** Plain text; case and line breaks do not matter. */
  readonly phrase: string;
  readonly instead: string;
}

/**
 * Phrases that were found in texts of the product and that a native speaker would not write (docs/style.md). Add one when
 * you find and rewrite it; the test of `words.test.ts` keeps it from coming back. A phrase has to be wrong wherever it
 * stands: write enough of it that no good sentence contains it.
 */
export const foreignPhrases: readonly ForeignPhrase[] = [
  { phrase: 'is there twice', instead: 'is listed more than once' },
  { phrase: 'stands twice', instead: 'is listed more than once' },
  { phrase: 'is given twice', instead: 'is listed more than once' },
  { phrase: 'is named twice', instead: 'is listed more than once' },
  { phrase: 'is listed twice', instead: 'is listed more than once' },
  { phrase: 'is none of', instead: 'must be one of' },
  { phrase: 'of that name', instead: 'with this name' },
  { phrase: 'of this name', instead: 'with this name' },
  { phrase: 'as at first', instead: 'reset to default' },
  { phrase: 'goes on', instead: 'continues' },
  { phrase: 'that is not there', instead: 'that does not exist' },
  { phrase: 'does not know this act', instead: "isn't supported" },
  { phrase: 'do not fit', instead: 'do not match' },
  { phrase: 'look into your mail', instead: 'check your email' },
  { phrase: 'waits to be', instead: 'still needs to be' },
];
