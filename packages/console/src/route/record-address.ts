import { addresses } from './addresses.ts';

/** Screens of the records of the catalogue, by kind. */
const catalogueScreens = {
  category: addresses.category,
  channel: addresses.channel,
  contactPolicy: addresses.policy,
  creative: addresses.creative,
  decisionFlow: addresses.flow,
  offer: addresses.offer,
  placement: addresses.placement,
  qualificationRule: addresses.rule,
  schema: addresses.schema,
  segment: addresses.segment,
} as const;

/** Screens of records by their kind, as the audit log and approvals name it. */
const screenOf: Readonly<Record<string, (id: string) => string>> = {
  ...catalogueScreens,
  apiKey: addresses.apiKeys,
  subCategory: addresses.category,
  tenantSettings: addresses.settings,
};

/** Where a record is shown; null for a kind without a screen. */
export function recordAddress(entityType: string, id: string): string | null {
  return Object.hasOwn(screenOf, entityType) ? (screenOf[entityType]?.(id) ?? null) : null;
}

/**
 * Screens of single records, by kind: what can be pinned and is found again among the records that were opened last. The
 * audit log names customers by a keyed hash, so these two are not among its screens.
 */
const recordScreens = {
  ...catalogueScreens,
  customer: (id: string) => addresses.customer(id),
  decision: (id: string) => addresses.decision(id),
} as const;

/** A kind of record with a screen of its own; a sub-category is a category here. */
export type RecordKind = keyof typeof recordScreens;

export const isRecordKind = (kind: unknown): kind is RecordKind =>
  typeof kind === 'string' && Object.hasOwn(recordScreens, kind);

/** The screen of one record. */
export function screenOfRecord(kind: RecordKind, id: string): string {
  return recordScreens[kind](id);
}
