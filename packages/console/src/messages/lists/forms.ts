/** Texts of the record picker. */
export const pickTexts = {
  any: 'Any (type a name)',
  searching: 'Searching',
  found: 'No matches.',
  failed: 'The search failed. Type again to retry.',
} as const;
