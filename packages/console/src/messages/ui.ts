/** Texts that components of every page bring along. */
export const uiTexts = {
  close: 'Close',
  cancel: 'Cancel',
  dismiss: 'Dismiss',
  loading: 'Loading',
  optional: 'optional',
  breadcrumb: 'Breadcrumb',
  asOf: 'as of',
  stale: 'no longer current',
  typeFirst: (text: string) => `Type ${text} first.`,
  typeToConfirm: (text: string) => `Type ${text} to confirm`,
  /** What a finding is about that has no field of its own. */
  whole: 'The whole',
} as const;
