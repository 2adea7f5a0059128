/** Texts of the way from one record of a list to the next. */
export const trailTexts = {
  list: (list: string) => `Records of ${list}`,
  place: (place: number, of: number) => `${place} of ${of}`,
  previous: 'Previous record',
  next: 'Next record',
  first: 'This is the first record of the list.',
  last: 'This is the last record of the list.',
  none: 'These keys go through the records of a list. Open one from a list first.',
} as const;
