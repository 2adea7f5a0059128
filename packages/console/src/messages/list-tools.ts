/** Words of what lists have in common: columns, density, saved views, the file of their rows. */
export const listToolTexts = {
  view: 'View',
  viewOf: (what: string) => `View of ${what.toLocaleLowerCase()}`,
  key: 'Columns, row height and saved views',
  csv: 'CSV',
  csvOf: (count: string, total: string | null) =>
    total === null ? `CSV of the ${count} loaded rows` : `CSV of the ${count} loaded of ${total} rows`,
  csvOfAll: (count: string) => (count === '1' ? 'CSV of the 1 row' : `CSV of all ${count} rows`),
  fileWords: (what: string, count: number, total: number | null, complete: boolean) =>
    complete ? what : `${what} ${count} of ${total ?? 'more'}`,
  noRows: 'There are no rows to save.',
  rowsComing: 'The rows are being read.',
  saved: (count: string, total: string | null) =>
    total === null
      ? `Saved the ${count} rows that are loaded; the file holds these only.`
      : `Saved ${count} of ${total} rows: the file holds the loaded ones only.`,
  savedAll: (count: string) => (count === '1' ? 'Saved the 1 row.' : `Saved all ${count} rows.`),
  notSaved: 'No file was saved: the names of what the rows point at did not come. Try again.',
  views: 'Saved views',
  open: (name: string) => `Open view: ${name}`,
  buttons: 'Buttons',
  includeDeleted: 'Include deleted',
  listedOnly: (what: string) =>
    `Deleted ${what.toLocaleLowerCase()} are listed and cannot be opened: the API answers them in this list alone.`,
  deletedOn: (kind: string, at: string) => `This ${kind.toLocaleLowerCase()} was deleted on ${at}`,
  deletedText:
    'It takes part in no decision any more; decisions that it was part of keep it. An admin can bring it back through the API, by POST /api/v1/restore.',
  removeFilter: (name: string) => `Remove the filter ${name}`,
  filters: {
    q: 'Search',
    offerId: 'Offer',
    placementId: 'Placement',
    channelId: 'Channel',
    categoryId: 'Category',
    subCategoryId: 'Sub-category',
    channelType: 'Type',
    schemaType: 'Kind',
    entityType: 'Kind',
    scope: 'Applies to',
    scopeId: 'Record',
    userId: 'Who',
  } as Readonly<Record<string, string>>,
  peekOpen: 'Open',
  peekClose: 'Close the look at the row',
  id: 'Id',
  peekGone: 'This row is not in the list any more, or the filters leave it out.',
  peekNotLoaded: 'This row is not among those that are loaded.',
} as const;
