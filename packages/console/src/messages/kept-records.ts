import type { RecordKind } from '../route/record-address.ts';
import { catalogueTitles } from './catalogue-titles.ts';
import { decisionTitles } from './decision-titles.ts';

/** What a record is, by its kind. */
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
export const keptTexts = {
  pin: 'Pin',
  pinTip: 'Pin (P): keep it on Home and in the search',
  unpinTip: 'Unpin (P)',
  pinKey: 'Pin or unpin the record',
  pinOf: (kind: RecordKind) => `Pin this ${lower(kind)}`,
  unpinOf: (kind: RecordKind) => `Unpin this ${lower(kind)}`,
  pinned: 'Pinned. It stands on Home and in the search.',
  pinnedForPage: 'Pinned until this page is reloaded or closed: the browser stores nothing that names a customer.',
  unpinned: 'Unpinned.',
  full: (most: number) => `${most} records are pinned already, and there is no room for more. Unpin one on Home first.`,
  goneTitle: 'A pinned record',
  gone: (kind: RecordKind, name: string) => `The ${lower(kind)} ${name} is pinned, and it is not here any more.`,
  goneUnpin: 'Unpin it',
  deleted: 'not here any more',
  unpinNamed: (name: string) => `Unpin ${name}`,
  /** What stands for the name where there is none. */
  byId: (kind: RecordKind, id: string) => `${recordKindTitles[kind]} ${id}`,
  pins: 'Pinned',
  recents: 'Recent',
  pinsNone: 'Nothing is pinned. The pin beside the name of a record, or the key P, keeps it here.',
  recentsNone: 'Nothing was opened yet.',
  forPage: 'Customers stay here until the page is reloaded: the browser stores nothing that names one.',
  all: (count: number) => `Show all ${count}`,
  fewer: 'Show fewer',
  opened: (when: string) => `opened ${when}`,
} as const;
