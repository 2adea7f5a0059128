/** Texts of the field that chooses one of many records. */
export const pickTexts = {
  any: 'Any: type a name',
  searching: 'Searching',
  found: 'Nothing is called so.',
  failed: 'It could not be searched. Type again to try again.',
} as const;
