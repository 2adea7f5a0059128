import { type DeliveryStatus, deliveryStatuses } from '@arbiter/contract';

/** Returns the later of two statuses: a delivery never moves back (docs/design/quality.md T15). */
export function furthest(one: DeliveryStatus, other: DeliveryStatus): DeliveryStatus {
  return deliveryStatuses.indexOf(one) >= deliveryStatuses.indexOf(other) ? one : other;
}

/** Returns the key under which an event of a message counts once: the provider's id of the event, else the event itself. */
export const dedupeKeyOf = ({ event, eventId }: { readonly event: string; readonly eventId: string | null }): string =>
  eventId === null ? `event ${event}` : `id ${eventId}`;
