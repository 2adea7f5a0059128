import { addresses } from './addresses.ts';

/** Screens of records by their kind, as the audit log and approvals name it. */
const screenOf: Readonly<Record<string, (id: string) => string>> = {
  apiKey: addresses.apiKeys,
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
  subCategory: addresses.category,
  tenantSettings: addresses.settings,
};

/** Where a record is shown; null for a kind without a screen. */
export function recordAddress(entityType: string, id: string): string | null {
  return Object.hasOwn(screenOf, entityType) ? (screenOf[entityType]?.(id) ?? null) : null;
}
