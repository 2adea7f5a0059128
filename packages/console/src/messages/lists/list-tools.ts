import { counted } from '../counted.ts';
/** Texts shared by all lists: columns, density, saved views, CSV export. */
export const listToolTexts = {
  view: 'View',
  viewOf: (what: string) => `View options for ${what.toLocaleLowerCase()}`,
  key: 'Columns, row height and saved views',
  csv: 'CSV',
  csvOf: (count: string, total: string | null) =>
    total === null
      ? `Download the ${counted(count, 'loaded row')} as CSV`
      : `Download ${count} of ${counted(total, 'row')} as CSV`,
  csvOfAll: (count: string) => (count === '1' ? 'Download 1 row as CSV' : `Download all ${count} rows as CSV`),
  fileWords: (what: string, count: number, total: number | null, complete: boolean) =>
    complete ? what : `${what} ${count} of ${total ?? 'more'}`,
  noRows: 'No rows to download.',
  rowsComing: 'Rows are still loading.',
  saved: (count: string, total: string | null) =>
    total === null
      ? `Downloaded the ${counted(count, 'loaded row')}. Load more rows to include them.`
      : `Downloaded ${count} of ${total} rows. Load more rows to include them.`,
  savedAll: (count: string) => (count === '1' ? 'Downloaded 1 row.' : `Downloaded all ${count} rows.`),
  notSaved: "The download failed because linked names couldn't be loaded. Try again.",
  views: 'Saved views',
  open: (name: string) => `Open view: ${name}`,
  buttons: 'Buttons',
  includeDeleted: 'Include deleted',
  listedOnly: (what: string) => `Deleted ${what.toLocaleLowerCase()} are listed but can't be opened.`,
  deletedOn: (kind: string, at: string) => `This ${kind.toLocaleLowerCase()} was deleted on ${at}`,
  deletedText:
    "It's no longer used in decisions. Past decisions still show it. An admin can restore it through the API.",
  removeFilter: (name: string) => `Remove filter ${name}`,
  filters: {
    q: 'Search',
    offerId: 'Offer',
    placementId: 'Placement',
    decisionFlowId: 'Flow',
    flowId: 'Flow',
    channelId: 'Channel',
    categoryId: 'Category',
    subCategoryId: 'Sub-category',
    channelType: 'Type',
    schemaType: 'Type',
    entityType: 'Record type',
    scope: 'Applies to',
    scopeId: 'Record',
    userId: 'User',
  } as Readonly<Record<string, string>>,
  peekOpen: 'Open',
  peekClose: 'Close preview',
  id: 'ID',
  peekMissing: "This row was removed or doesn't match the filters.",
  peekNotLoaded: "This row isn't loaded yet.",
} as const;
