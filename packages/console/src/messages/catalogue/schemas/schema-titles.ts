/** Titles of forms of schemas. They load with the shell. */
export const schemaTitles = {
  importFile: 'Load a CSV file',
  importWords: 'upload, import, customers, spreadsheet',
  newField: 'New field',
  editField: 'Edit field',
  newJoin: 'New join',
  editJoin: 'Edit join',
} as const;
