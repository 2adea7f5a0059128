/** Texts of the links to the previous and next record of a list. */
export const trailTexts = {
  list: (list: string) => `Position in ${list}`,
  place: (place: number, of: number) => `${place} of ${of}`,
  previous: 'Previous record',
  next: 'Next record',
  first: 'This is the first record in the list.',
  last: 'This is the last record in the list.',
  none: 'These keys move through the records of a list. Open a record from a list first.',
} as const;
