import { addresses } from './addresses.ts';

/** Screens of catalogue records, by type. */
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

/** Screens of records by the type names of the audit log and approvals. */
const screenOf: Readonly<Record<string, (id: string) => string>> = {
  ...catalogueScreens,
  apiKey: addresses.apiKeys,
  subCategory: addresses.category,
  tenantSettings: addresses.settings,
};

/** Returns the address of a record; null for a type without a screen. */
export function recordAddress(entityType: string, id: string): string | null {
  return Object.hasOwn(screenOf, entityType) ? (screenOf[entityType]?.(id) ?? null) : null;
}

/**
 * Screens of records that can be pinned and appear in recent records. The audit log names customers by a keyed hash, so these
 * two aren't among its screens.
 */
const recordScreens = {
  ...catalogueScreens,
  customer: (id: string) => addresses.customer(id),
  decision: (id: string) => addresses.decision(id),
} as const;

/** A record type with its own screen; sub-categories count as categories. */
export type RecordKind = keyof typeof recordScreens;

export const isRecordKind = (kind: unknown): kind is RecordKind =>
  typeof kind === 'string' && Object.hasOwn(recordScreens, kind);

/** Returns the address of a record. */
export function screenOfRecord(kind: RecordKind, id: string): string {
  return recordScreens[kind](id);
}
