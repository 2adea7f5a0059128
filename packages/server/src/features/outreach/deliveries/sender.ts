import type { ProviderConfig } from '@arbiter/contract';
import { type BreakerState, createBreaker } from '../../../platform/outbound/breaker.ts';
import { type OutgoingDelivery, rejected, type SendOutcome } from './message.ts';
import type { ProviderDeps } from './providers/provider.ts';
import { providers } from './providers/providers.ts';

export interface SenderDeps extends ProviderDeps {
  /** Called when a channel's breaker changes state. */
  readonly onBreakerMoved?: (to: BreakerState) => void;
}

/** A tenant's channel, as the breaker and the limits know it. */
export interface Destination {
  readonly tenantId: string;
  readonly channelId: string;
}

/** Gives messages to providers. One of each process. */
export interface DeliverySender {
  /** Tries once. Never throws for what the provider does. */
  send(destination: Destination, config: ProviderConfig, message: OutgoingDelivery): Promise<SendOutcome>;
  /**
   * Returns the seconds for which messages to this destination have to wait: it failed five times in a row, asked for a
   * pause (`Retry-After`), or is slow and busy. 0: send now. Takes the probe of an open breaker, so follow it with `send`.
   */
  waitSeconds(destination: Destination): number;
}

/** Messages to one slow destination at a time. Fast ones may use every worker. */
const maxSlow = 2;
const slowMs = 1_000;
const busySeconds = 2;
const breakerSeconds = 30;
const longestPauseSeconds = 3_600;

export function createDeliverySender(deps: SenderDeps): DeliverySender {
  const { onBreakerMoved = () => undefined } = deps;
  const now = () => performance.now();
  const breaker = createBreaker({ failures: 5, pauseMs: breakerSeconds * 1_000, now, onMove: onBreakerMoved });
  const keyOf = ({ tenantId, channelId }: Destination) => `${tenantId} ${channelId}`;
  /** When the current attempts started. */
  const underWay = new Map<string, Set<{ readonly since: number }>>();
  /** Until when destinations asked to wait. */
  const pauses = new Map<string, number>();

  const secondsOfPause = (key: string): number => {
    const until = pauses.get(key);
    if (until === undefined) return 0;
    if (until <= now()) pauses.delete(key);
    return Math.max(0, Math.ceil((until - now()) / 1_000));
  };
  const isBusy = (key: string): boolean => {
    const slow = [...(underWay.get(key) ?? [])].filter(({ since }) => now() - since > slowMs);
    return slow.length >= maxSlow;
  };
  const note = (key: string, outcome: SendOutcome): void => {
    // A rejected message says nothing about the next one.
    if (outcome.kind === 'sent' || outcome.kind === 'rejected') breaker.succeeded(key);
    else breaker.failed(key);
    const seconds = outcome.kind === 'refused' ? (outcome.retryAfterSeconds ?? 0) : 0;
    if (seconds > 0) pauses.set(key, now() + Math.min(longestPauseSeconds, seconds) * 1_000);
  };
  return {
    waitSeconds(destination) {
      const key = keyOf(destination);
      const pause = secondsOfPause(key);
      if (pause > 0) return pause;
      if (isBusy(key)) return busySeconds;
      return breaker.isOpen(key) ? breakerSeconds : 0;
    },
    async send(destination, config, message) {
      const { provider } = config;
      if (provider === undefined) return rejected('no_provider');
      const key = keyOf(destination);
      const tries = underWay.get(key) ?? new Set();
      underWay.set(key, tries);
      const own = { since: now() };
      tries.add(own);
      try {
        const outcome = withStorableId(await providers[provider](deps, config, message), message.id);
        note(key, outcome);
        return outcome;
      } finally {
        tries.delete(own);
        if (tries.size === 0) underWay.delete(key);
      }
    },
  };
}

/** An id that can't be stored must not turn a message that was sent into one that failed. */
function withStorableId(outcome: SendOutcome, deliveryId: string): SendOutcome {
  if (outcome.kind !== 'sent') return outcome;
  const { messageId } = outcome;
  const isStorable =
    messageId !== '' && messageId.length <= 512 && !messageId.includes('\0') && messageId.isWellFormed();
  return isStorable ? outcome : { kind: 'sent', messageId: deliveryId };
}
