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

export const copyTexts = {
  copy: (what: string) => `Copy ${what}`,
  copied: (what: string) => `Copied ${what}`,
  refused: (what: string) => `The browser does not let the page copy. Select the ${what} and copy it by hand.`,
} as const;
