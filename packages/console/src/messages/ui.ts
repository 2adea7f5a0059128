/** Texts of shared components. */
export const uiTexts = {
  close: 'Close',
  cancel: 'Cancel',
  dismiss: 'Dismiss',
  loading: 'Loading',
  optional: 'optional',
  required: 'required',
  breadcrumb: 'Breadcrumb',
  asOf: 'as of',
  stale: 'out of date',
  typeFirst: (text: string) => `Type “${text}” to continue.`,
  typeToConfirm: (text: string) => `Type “${text}” to confirm`,
  request: 'Request',
  noDifferences: 'No differences.',
  /** Subject of an error that belongs to no field. */
  whole: 'Form',
} as const;

/** Writes a label within a sentence: "Client ID" becomes "client ID", "API key" stays. */
const inSentence = (label: string): string => label.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());

/** Texts of tables. */
export const tableTexts = {
  selectAll: 'Select all loaded rows',
  selectRow: (position: number) => `Select row ${position}`,
  /** Of a whole list, or of its first page: "12 offers", "100 of 5,310 offers loaded". */
  count: (shown: string, total: string | null, label: string, isOne: boolean) =>
    `${total === null ? shown : `${shown} of ${total}`} ${isOne ? 'row' : inSentence(label)}`,
  loaded: (count: string) => `${count} loaded`,
  selected: (count: string) => `${count} selected`,
  waits: (time: string) => `Rate limit reached. More rows load automatically at ${time}.`,
  loadToSort: (column: string | undefined) =>
    column === undefined ? 'Load all rows to sort.' : `Load all rows to sort by ${column}.`,
  more: 'Load more',
} as const;

export const copyTexts = {
  copy: (what: string) => `Copy ${inSentence(what)}`,
  copied: (what: string) => `Copied ${inSentence(what)}`,
  refused: (what: string) => `Your browser blocked copying. Select the ${inSentence(what)} and copy it manually.`,
} as const;

/** Sort order of tables on narrow screens, which have no column heads. */
export const cardSortTexts = {
  label: 'Sort by',
  default: 'Default order',
  ascending: (column: string) => `${column}, ascending`,
  descending: (column: string) => `${column}, descending`,
} as const;

/** Names of IDs, keys and hashes, after "Copy". */
export const idTexts = {
  categoryId: 'category ID',
  channelKey: 'channel key',
  codes: 'codes',
  customerId: 'customer ID',
  digest: 'digest',
  flowKey: 'flow key',
  hash: 'hash',
  id: 'ID',
  outcomeKey: 'outcome key',
  placementKey: 'placement key',
  previousHash: "previous row's hash",
  profileKey: 'profile key',
  recordId: 'record ID',
  requestId: 'request ID',
  rowId: 'row ID',
  setupKey: 'setup key',
  studyId: 'study ID',
  subCategoryId: 'sub-category ID',
  tableName: 'table name',
  userId: 'user ID',
  viewName: 'view name',
} as const;
