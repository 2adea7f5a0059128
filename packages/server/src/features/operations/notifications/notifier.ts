import type { NotificationKind } from '@arbiter/contract';
import { type BreakerState, createBreaker } from '../../../platform/outbound/breaker.ts';
import { type AttemptDeps, addressesOf, createAttempt } from './attempt.ts';
import type { MessageFile, OutgoingMessage } from './message.rules.ts';
import { type DeliveryOutcome, type Destination, rejectedDelivery } from './outcome.ts';

export interface NotifierDeps extends AttemptDeps {
  /**
   * Counts emails before a tenant sends them. Returns null when it may, otherwise the seconds until it may send more.
   * Default: no counting.
   */
  readonly countMails?: (tenantId: string, addresses: number) => Promise<number | null>;
  /** Called for each try. */
  readonly onSent?: (kind: NotificationKind, result: 'ok' | 'failed' | 'breaker_open' | 'held') => void;
  /** Called when a destination's breaker changes state. */
  readonly onBreakerMoved?: (to: BreakerState) => void;
}

/** Sends messages to destinations. One of each process. */
export interface Notifier {
  /**
   * Tries once, at most 5 s. Never throws for what the destination does. A tenant's destination that failed five times
   * in a row is skipped for 30 s (docs/design/quality.md R9), except by a `probe`. Files go with email and webhooks;
   * chats get the link.
   */
  send(
    destination: Destination,
    message: OutgoingMessage,
    options?: { readonly probe?: boolean; readonly files?: readonly MessageFile[] },
  ): Promise<DeliveryOutcome>;
  /** True while the destination has too many messages in progress for another one. */
  isBusy(destination: Pick<Destination, 'id' | 'tenantId'>): boolean;
  /** Returns how many destinations of a tenant this process currently skips. */
  openBreakers(tenantId: string): number;
}

/** Messages to one destination at a time, of those that can wait. */
const maxAtOnce = 2;

export function createNotifier(deps: NotifierDeps): Notifier {
  const { countMails = async () => null, onSent = () => undefined, onBreakerMoved = () => undefined } = deps;
  const attempt = createAttempt(deps);
  const breaker = createBreaker({
    failures: 5,
    pauseMs: 30_000,
    now: () => performance.now(),
    onMove: onBreakerMoved,
  });
  const underWay = new Map<string, number>();
  /** Destinations whose last try failed. */
  const failing = new Set<string>();
  const keyOf = ({ tenantId, id }: Pick<Destination, 'id' | 'tenantId'>) => `${tenantId} ${id}`;

  return {
    async send(destination, message, { probe = false, files = [] } = {}) {
      const key = keyOf(destination);
      if (!probe && breaker.isOpen(key)) {
        onSent(destination.kind, 'breaker_open');
        return rejectedDelivery('breaker_open');
      }
      const waitSeconds =
        destination.kind === 'ops_email'
          ? await countMails(destination.tenantId, addressesOf(destination.config).length)
          : null;
      if (waitSeconds !== null) {
        onSent(destination.kind, 'held');
        return rejectedDelivery('rate_limited', { retryAfterSeconds: waitSeconds, isHeld: true });
      }
      underWay.set(key, (underWay.get(key) ?? 0) + 1);
      try {
        const outcome = await attempt(destination, message, files);
        if (outcome.ok) breaker.succeeded(key);
        else breaker.failed(key);
        if (outcome.ok) failing.delete(key);
        else failing.add(key);
        onSent(destination.kind, outcome.ok ? 'ok' : 'failed');
        return outcome;
      } finally {
        const left = (underWay.get(key) ?? 1) - 1;
        if (left === 0) underWay.delete(key);
        else underWay.set(key, left);
      }
    },
    isBusy: (destination) => (underWay.get(keyOf(destination)) ?? 0) >= maxAtOnce,
    openBreakers: (tenantId) =>
      [...failing].filter((key) => key.startsWith(`${tenantId} `) && breaker.looksOpen(key)).length,
  };
}
