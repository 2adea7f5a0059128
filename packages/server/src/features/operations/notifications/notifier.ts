import type { NotificationKind } from '@arbiter/contract';
import type { MailSender } from '../../../config/mail-settings.ts';
import { type BreakerState, createBreaker } from '../../../platform/breaker.ts';
import type { Clock } from '../../../platform/clock.ts';
import { alarmAt } from '../../../platform/deadline.ts';
import { isObject } from '../../../platform/json.ts';
import { writeMail } from '../../../platform/mail/mail-message.ts';
import { MailError, type MailTransport } from '../../../platform/mail/mail-transport.ts';
import { type Outbound, OutboundError } from '../../../platform/outbound.ts';
import type { Config } from './config.rules.ts';
import {
  attached,
  type MessageFile,
  mailOf,
  type OutgoingMessage,
  slackBody,
  teamsBody,
  webhookBody,
  webhookHeaders,
} from './message.rules.ts';

/** The outcome of one try. `error` is our own text: nothing that the other side said (docs/design/quality.md T8). */
export interface Outcome {
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
  readonly config: Config;
}

export interface NotifierDeps {
  readonly outbound: Pick<Outbound, 'call'>;
  readonly transport: MailTransport;
  readonly clock: Clock;
  /** Sender of email from destinations that name none. */
  readonly sender: MailSender;
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
  ): Promise<Outcome>;
  /** True while so many messages are on their way to the destination that others have to wait. */
  isBusy(destination: Pick<Destination, 'id' | 'tenantId'>): boolean;
  /** Returns how many destinations of a tenant this process currently skips. */
  openBreakers(tenantId: string): number;
}

const tryMs = 5_000;
/** Messages to one destination at a time, of those that can wait. */
const mostAtOnce = 2;
const mailsAtOnce = 5;

const taken = (providerMessageId: string | null): Outcome => ({
  ok: true,
  providerMessageId,
  error: null,
  isGone: false,
  retryAfterSeconds: null,
});

export const refused = (error: string, more: Partial<Outcome> = {}): Outcome => ({
  ok: false,
  providerMessageId: null,
  error,
  isGone: false,
  retryAfterSeconds: null,
  ...more,
});

const addressesOf = ({ toEmails }: Config): readonly unknown[] => (Array.isArray(toEmails) ? toEmails : []);

export function createNotifier({
  outbound,
  transport,
  clock,
  sender,
  countMails = async () => null,
  onSent = () => undefined,
  onBreakerMoved = () => undefined,
}: NotifierDeps): Notifier {
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

  async function post(url: string, body: object, headers: (text: string) => Readonly<Record<string, string>>) {
    const text = JSON.stringify(body);
    const answer = await outbound.call(url, {
      method: 'POST',
      headers: { ...headers(text), 'content-type': 'application/json' },
      body: text,
      timeoutMs: tryMs,
      anyPort: true,
    });
    const { status } = answer;
    if (status >= 200 && status < 300) return null;
    const waits = /^[0-9]{1,6}$/.exec(answer.headers['retry-after']?.trim() ?? '');
    return refused(`responded with ${status}`, {
      isGone: status === 410,
      retryAfterSeconds: waits === null ? null : Number(waits[0]),
    });
  }

  async function mail(config: Config, message: OutgoingMessage, files: readonly MessageFile[]): Promise<Outcome> {
    const addresses = addressesOf(config);
    const from = typeof config.fromEmail === 'string' ? { name: '', address: config.fromEmail } : sender;
    const replyTo = typeof config.replyTo === 'string' ? { replyTo: config.replyTo } : {};
    let failed = 0;
    for (let at = 0; at < addresses.length; at += mailsAtOnce) {
      const sent = addresses.slice(at, at + mailsAtOnce).map(async (to, place) => {
        const id = `${message.id}-${at + place}`;
        const about = { id, kind: 'notification', createdAt: new Date(message.sentAt), to: String(to), ...replyTo };
        const attachments = attached(files);
        await transport.send(await writeMail({ ...about, ...mailOf(message), attachments }, from));
      });
      for (const result of await Promise.allSettled(sent)) {
        if (result.status === 'rejected' && !(result.reason instanceof MailError)) throw result.reason;
        if (result.status === 'rejected') failed += 1;
      }
    }
    return failed === 0
      ? taken(message.id)
      : refused(`email to ${failed} of ${addresses.length} addresses was rejected`);
  }

  function attempt(
    { kind, config }: Destination,
    message: OutgoingMessage,
    files: readonly MessageFile[],
  ): Promise<Outcome> {
    switch (kind) {
      case 'slack':
        return post(String(config.webhookUrl), slackBody(message), () => ({})).then((bad) => bad ?? taken(null));
      case 'teams':
        return post(String(config.webhookUrl), teamsBody(message), () => ({})).then((bad) => bad ?? taken(null));
      case 'webhook': {
        const { url, secret, headers } = config;
        const own = isObject(headers) ? Object.entries(headers).map(([name, value]) => [name, String(value)]) : [];
        const key = typeof secret === 'string' ? secret : null;
        const signed = (text: string) => webhookHeaders(message.id, new Date(clock.now()), text, key);
        return post(String(url), webhookBody(message, files), (text) => ({
          ...Object.fromEntries(own),
          ...signed(text),
        })).then((bad) => bad ?? taken(message.id));
      }
      case 'ops_email':
        return mail(config, message, files);
    }
  }

  async function inTime(
    destination: Destination,
    message: OutgoingMessage,
    files: readonly MessageFile[],
  ): Promise<Outcome> {
    // Outbound calls end by themselves. Mail servers have their own, longer limits.
    const alarm = alarmAt(performance.now() + tryMs + 500);
    try {
      const outcome = await Promise.race([attempt(destination, message, files), alarm.rung]);
      return outcome === 'late' ? refused('timeout') : outcome;
    } catch (error) {
      if (error instanceof OutboundError) return refused(error.reason);
      throw error;
    } finally {
      alarm.cancel();
    }
  }

  return {
    async send(destination, message, { probe = false, files = [] } = {}) {
      const key = keyOf(destination);
      if (!probe && breaker.isOpen(key)) {
        onSent(destination.kind, 'breaker_open');
        return refused('breaker_open');
      }
      const heldSeconds =
        destination.kind === 'ops_email'
          ? await countMails(destination.tenantId, addressesOf(destination.config).length)
          : null;
      if (heldSeconds !== null) {
        onSent(destination.kind, 'held');
        return refused('rate_limited', { retryAfterSeconds: heldSeconds, isHeld: true });
      }
      underWay.set(key, (underWay.get(key) ?? 0) + 1);
      try {
        const outcome = await inTime(destination, message, files);
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
    isBusy: (destination) => (underWay.get(keyOf(destination)) ?? 0) >= mostAtOnce,
    openBreakers: (tenantId) =>
      [...failing].filter((key) => key.startsWith(`${tenantId} `) && breaker.looksOpen(key)).length,
  };
}
