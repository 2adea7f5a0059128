import type { RecordKind } from '../route/record-address.ts';
import { catalogueTitles } from './catalogue/catalogue-titles.ts';
import { decisionTitles } from './decision-titles.ts';

/** Labels of the record types. */
export const recordKindTitles: Readonly<Record<RecordKind, string>> = {
  category: 'Category',
  channel: catalogueTitles.channel,
  contactPolicy: catalogueTitles.policy,
  creative: catalogueTitles.creative,
  customer: catalogueTitles.customer,
  decision: decisionTitles.decision,
  decisionFlow: catalogueTitles.flow,
  offer: catalogueTitles.offer,
  placement: catalogueTitles.placement,
  qualificationRule: catalogueTitles.rule,
  schema: catalogueTitles.schema,
  segment: catalogueTitles.segment,
};

const lower = (kind: RecordKind): string => recordKindTitles[kind].toLocaleLowerCase();

/** Texts of pinned and recent records. */
export const savedRecordTexts = {
  pin: 'Pin',
  pinTip: 'Pin to Home and search (P)',
  unpinTip: 'Unpin (P)',
  pinKey: 'Pin or unpin record',
  pinOf: (kind: RecordKind) => `Pin this ${lower(kind)}`,
  unpinOf: (kind: RecordKind) => `Unpin this ${lower(kind)}`,
  pinned: 'Pinned to Home and search.',
  pinnedForPage:
    "Pinned until you reload or close this page. The browser doesn't store anything that identifies a customer.",
  notPinned: 'Not pinned. Browser storage is blocked or full.',
  unpinned: 'Unpinned.',
  full: (most: number) => `You can pin up to ${most} records. Unpin one on Home first.`,
  deletedTitle: 'Pinned record',
  deletedText: (kind: RecordKind, name: string) => `The pinned ${lower(kind)} ${name} was deleted.`,
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
