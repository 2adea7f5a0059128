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
  typeFirst: (text: string) => `Type ${text} to continue.`,
  typeToConfirm: (text: string) => `Type ${text} to confirm`,
  /** Subject of an error that belongs to no field. */
  whole: 'Form',
} as const;

export const copyTexts = {
  copy: (what: string) => `Copy ${what}`,
  copied: (what: string) => `Copied ${what}`,
  refused: (what: string) => `Your browser blocked copying. Select the ${what} and copy it manually.`,
} as const;

/** Sort order of tables on narrow screens, which have no column heads. */
export const cardSortTexts = {
  label: 'Sort by',
  default: 'Default order',
  ascending: (column: string) => `${column}, ascending`,
  descending: (column: string) => `${column}, descending`,
} as const;
