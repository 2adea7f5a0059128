import { type DeliveryStatus, deliveryStatuses } from '@arbiter/contract';

/** Returns the later of two statuses: a delivery never moves back (docs/design/quality.md T15). */
export function furthest(one: DeliveryStatus, other: DeliveryStatus): DeliveryStatus {
  return deliveryStatuses.indexOf(one) >= deliveryStatuses.indexOf(other) ? one : other;
}
