import type { ChannelProvider, Delivery } from '@arbiter/contract';

/** The rendered content of a message, as providers take it. */
export interface MessageContent {
  /** One line. */
  readonly subject: string;
  readonly text: string;
  /** The text with the link that the content has apart from it. */
  readonly linkedText: string;
  /** Null: the content has no HTML. */
  readonly html: string | null;
  /** Everything that was rendered, by key. */
  readonly all: Readonly<Record<string, unknown>>;
}

/** A message on its way to a provider. */
export interface OutgoingDelivery {
  /** Id of the delivery: the key under which repetitions are one message, where the provider has such a key. */
  readonly id: string;
  readonly tenantId: string;
  readonly channelType: string;
  readonly address: string;
  readonly content: MessageContent;
  /** As `GET /api/v1/deliveries/{id}` shows it. */
  readonly row: Delivery;
  /** The instant of this try. */
  readonly triedAt: Date;
  readonly timeoutMs: number;
}

/**
 * The result of an attempt. `error` is our own word: never the provider's text (docs/design/quality.md T8).
 *
 * - `sent`: the provider accepted it.
 * - `refused`: it didn't, and may when asked again.
 * - `rejected`: it won't, however often you retry.
 * - `unknown`: the connection broke after the message was handed over.
 */
export type SendOutcome =
  | { readonly kind: 'sent'; readonly messageId: string }
  | { readonly kind: 'refused'; readonly error: string; readonly retryAfterSeconds: number | null }
  | { readonly kind: 'rejected'; readonly error: string }
  | { readonly kind: 'unknown'; readonly error: string };

export const rejected = (error: string): SendOutcome => ({ kind: 'rejected', error });
export const rejectedMessage = (error: string, retryAfterSeconds: number | null = null): SendOutcome => ({
  kind: 'refused',
  error,
  retryAfterSeconds,
});

/** Providers that take a repetition under the same key for the same message. */
export const idempotentProviders: readonly ChannelProvider[] = ['webhook'];
