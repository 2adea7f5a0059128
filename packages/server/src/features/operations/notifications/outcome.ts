import type { NotificationKind } from '@arbiter/contract';
import type { DestinationConfig } from './config.rules.ts';

/** The outcome of one try. `error` is our own text: never the provider's text (docs/design/quality.md T8). */
export interface DeliveryOutcome {
  readonly ok: boolean;
  readonly providerMessageId: string | null;
  readonly error: string | null;
  /** It answered 410: it wants no more messages. */
  readonly isGone: boolean;
  /** Seconds that it asked to wait; null: it didn't. */
  readonly retryAfterSeconds: number | null;
  /** Not tried, because the tenant has sent enough email for now. `retryAfterSeconds` says how long to wait. */
  readonly isHeld?: true;
}

/** A message's target, with its secrets. */
export interface Destination {
  readonly tenantId: string;
  /** Tells destinations of a tenant apart. */
  readonly id: string;
  readonly kind: NotificationKind;
  readonly config: DestinationConfig;
}

export const rejectedDelivery = (error: string, more: Partial<DeliveryOutcome> = {}): DeliveryOutcome => ({
  ok: false,
  providerMessageId: null,
  error,
  isGone: false,
  retryAfterSeconds: null,
  ...more,
});
