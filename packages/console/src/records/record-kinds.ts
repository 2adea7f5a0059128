import {
  ClipboardCheck,
  Database,
  FileText,
  Flag,
  FolderTree,
  Gift,
  ListChecks,
  Megaphone,
  PanelTop,
  RadioTower,
  Scale,
  ShieldCheck,
  SlidersHorizontal,
  User,
  Users,
  UsersRound,
  Workflow,
} from 'lucide-react';
import { catalogueTitles as titles } from '../messages/catalogue/catalogue-titles.ts';
import { decisionTitles } from '../messages/decisions/decision-titles.ts';
import { addresses } from '../route/addresses.ts';
import { type RecordKindValue, recordKind } from './record-kind.ts';

/**
 * Every type of record with a page of its own, by its name in the contract. Addresses that others link to are in
 * `route/addresses.ts`.
 */
export const recordKinds = {
  category: recordKind({
    titles: { one: titles.category, many: titles.categories },
    icon: FolderTree,
    path: addresses.categories(),
    record: addresses.category,
    rail: { group: 'catalogue', order: 30 },
    pins: 'browser',
  }),
  channel: recordKind({
    titles: { one: titles.channel, many: titles.channels },
    icon: RadioTower,
    path: addresses.channels(),
    rail: { group: 'catalogue', order: 40 },
    pins: 'browser',
  }),
  contentItem: recordKind({
    titles: { one: titles.content, many: titles.contents },
    icon: FileText,
    path: '/content',
    rail: { group: 'catalogue', order: 25 },
    pins: 'browser',
  }),
  contactPolicy: recordKind({
    titles: { one: titles.policy, many: titles.policies },
    icon: ShieldCheck,
    path: addresses.policies(),
    rail: { group: 'guard', order: 10, key: 'p' },
    pins: 'browser',
  }),
  creative: recordKind({
    titles: { one: titles.creative, many: titles.creatives },
    icon: Megaphone,
    path: addresses.creatives(),
    rail: { group: 'catalogue', order: 20 },
    pins: 'browser',
  }),
  customer: recordKind({
    titles: { one: titles.customer, many: titles.customers },
    icon: User,
    path: addresses.customers(),
    rail: { group: 'audience', order: 10, icon: Users, key: 'c' },
    pins: 'page',
  }),
  decision: recordKind({
    titles: { one: decisionTitles.decision, many: decisionTitles.decisions },
    icon: Scale,
    path: addresses.decisions(),
    rail: { group: 'decide', order: 10, key: 'd' },
    pins: 'browser',
  }),
  decisionFlow: recordKind({
    titles: { one: titles.flow, many: titles.flows },
    icon: Workflow,
    path: addresses.flows(),
    rail: { group: 'decide', order: 30, key: 'f' },
    pins: 'browser',
  }),
  decisionTest: recordKind({
    titles: { one: titles.decisionTest, many: titles.decisionTests },
    icon: ClipboardCheck,
    path: '/decision-tests',
    rail: { group: 'decide', order: 50 },
    pins: 'browser',
  }),
  offer: recordKind({
    titles: { one: titles.offer, many: titles.offers },
    icon: Gift,
    path: addresses.offers(),
    rail: { group: 'catalogue', order: 10, key: 'o' },
    pins: 'browser',
  }),
  outcomeType: recordKind({
    titles: { one: titles.outcome, many: titles.outcomes },
    icon: Flag,
    path: '/outcomes',
    rail: { group: 'guard', order: 40 },
    pins: 'browser',
  }),
  placement: recordKind({
    titles: { one: titles.placement, many: titles.placements },
    icon: PanelTop,
    path: addresses.placements(),
    rail: null,
    pins: 'browser',
  }),
  qualificationRule: recordKind({
    titles: { one: titles.rule, many: titles.rules },
    icon: ListChecks,
    path: '/rules',
    rail: { group: 'guard', order: 20 },
    pins: 'browser',
  }),
  rankingProfile: recordKind({
    titles: { one: titles.profile, many: titles.profiles },
    icon: SlidersHorizontal,
    path: '/profiles',
    rail: { group: 'learn', order: 40 },
    pins: 'browser',
  }),
  schema: recordKind({
    titles: { one: titles.schema, many: titles.schemas },
    icon: Database,
    path: addresses.schemas(),
    rail: { group: 'data', order: 10 },
    pins: 'browser',
  }),
  segment: recordKind({
    titles: { one: titles.segment, many: titles.segments },
    icon: UsersRound,
    path: '/segments',
    rail: { group: 'audience', order: 20 },
    pins: 'browser',
  }),
} as const satisfies Readonly<Record<string, RecordKindValue>>;

/** A type of record with its own screen; subcategories count as categories. */
export type RecordKind = keyof typeof recordKinds;

export const isRecordKind = (kind: unknown): kind is RecordKind =>
  typeof kind === 'string' && Object.hasOwn(recordKinds, kind);

/** Addresses of records without a kind of their own, by their type in audit log and approvals. */
const otherAddresses: Readonly<Record<string, (id: string) => string>> = {
  apiKey: addresses.apiKeys,
  dataSchema: addresses.schema,
  notificationProvider: addresses.editDestination,
  oauthClient: addresses.oauthClients,
  sso: addresses.singleSignOn,
  subCategory: addresses.category,
  tenantSettings: addresses.settings,
  user: addresses.people,
};

/**
 * Returns the address of a record by its type in the audit log and approvals; null for a type without a screen. They name
 * customers by a keyed hash, and no decisions.
 */
export function recordAddress(entityType: string, id: string): string | null {
  if (isRecordKind(entityType) && entityType !== 'customer' && entityType !== 'decision')
    return recordKinds[entityType].record(id);
  return Object.hasOwn(otherAddresses, entityType) ? (otherAddresses[entityType]?.(id) ?? null) : null;
}
