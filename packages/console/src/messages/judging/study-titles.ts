/** Titles of the screens of studies. The sidebar and the palette need them before the screens load. */
export const studyTitles = {
  studies: 'Studies',
  study: 'Study',
  create: 'New study',
} as const;
