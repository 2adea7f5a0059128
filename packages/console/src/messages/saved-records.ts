const inSentence = (title: string): string => title.toLocaleLowerCase();

/** Texts of pinned and recent records. `kind` is the title of the record type. */
export const savedRecordTexts = {
  pin: 'Pin',
  pinTip: 'Pin to Home and search (P)',
  unpinTip: 'Unpin (P)',
  pinKey: 'Pin or unpin record',
  pinOf: (kind: string) => `Pin this ${inSentence(kind)}`,
  unpinOf: (kind: string) => `Unpin this ${inSentence(kind)}`,
  pinned: 'Pinned to Home and search.',
  pinnedForPage:
    "Pinned until you reload or close this page. The browser doesn't store anything that identifies a customer.",
  notPinned: 'Not pinned. Browser storage is blocked or full.',
  unpinned: 'Unpinned.',
  full: (most: number) => `You can pin up to ${most} records. Unpin one on Home first.`,
  deletedTitle: 'Pinned record',
  deletedText: (kind: string, name: string) => `The pinned ${inSentence(kind)} ${name} was deleted.`,
  deletedUnpin: 'Unpin',
  deleted: 'deleted',
  unpinNamed: (name: string) => `Unpin ${name}`,
  pins: 'Pinned',
  recents: 'Recent',
  pinsNone: 'Nothing pinned yet. Pin a record with P or the pin next to its name.',
  recentsNone: 'Records you open appear here.',
  forPage: "Customers stay here until you reload the page. The browser doesn't store anything that identifies them.",
  all: (count: number) => `Show all ${count}`,
  fewer: 'Show fewer',
  opened: (when: string) => `opened ${when}`,
} as const;
