/** Titles of the forms of sub-categories, which have no record screens of their own. They load with the shell. */
export const categoryTitles = {
  newSub: 'New sub-category',
  editSub: 'Edit sub-category',
} as const;
