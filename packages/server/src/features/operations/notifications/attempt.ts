import type { MailSender } from '../../../config/mail-settings.ts';
import { alarmAt } from '../../../platform/deadline.ts';
import { isObject } from '../../../platform/json.ts';
import { writeMail } from '../../../platform/mail/mail-message.ts';
import { MailError, type MailTransport } from '../../../platform/mail/mail-transport.ts';
import type { Outbound } from '../../../platform/outbound/outbound.ts';
import { OutboundError } from '../../../platform/outbound/outbound-error.ts';
import type { Clock } from '../../../platform/time/clock.ts';
import type { DestinationConfig } from './config.rules.ts';
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
import { type DeliveryOutcome, type Destination, rejectedDelivery } from './outcome.ts';

export interface AttemptDeps {
  readonly outbound: Pick<Outbound, 'call'>;
  readonly transport: MailTransport;
  readonly clock: Clock;
  /** Sender of email from destinations that name none. */
  readonly sender: MailSender;
}

/** Sends a message to a destination once, in at most 5 s. Never throws for what the destination does. */
export type SendAttempt = (
  destination: Destination,
  message: OutgoingMessage,
  files: readonly MessageFile[],
) => Promise<DeliveryOutcome>;

const tryMs = 5_000;
const mailsAtOnce = 5;

export function createAttempt(deps: AttemptDeps): SendAttempt {
  return async (destination, message, files) => {
    // Outbound calls end on their own. Mail servers have their own, longer limits.
    const alarm = alarmAt(performance.now() + tryMs + 500);
    try {
      const outcome = await Promise.race([sendTo(deps, destination, message, files), alarm.rung]);
      return outcome === 'late' ? rejectedDelivery('timeout') : outcome;
    } catch (error) {
      if (error instanceof OutboundError) return rejectedDelivery(error.reason);
      throw error;
    } finally {
      alarm.cancel();
    }
  };
}

function sendTo(
  deps: AttemptDeps,
  { kind, config }: Destination,
  message: OutgoingMessage,
  files: readonly MessageFile[],
): Promise<DeliveryOutcome> {
  switch (kind) {
    case 'slack':
      return post(deps, String(config.webhookUrl), slackBody(message), null);
    case 'teams':
      return post(deps, String(config.webhookUrl), teamsBody(message), null);
    case 'webhook': {
      const { url, secret, headers } = config;
      const own = isObject(headers) ? Object.entries(headers).map(([name, value]) => [name, String(value)]) : [];
      const key = typeof secret === 'string' ? secret : null;
      const signed = (text: string) => webhookHeaders(message.id, new Date(deps.clock.now()), text, key);
      return post(deps, String(url), webhookBody(message, files), message.id, (text) => ({
        ...Object.fromEntries(own),
        ...signed(text),
      }));
    }
    case 'ops_email':
      return mail(deps, config, message, files);
  }
}

async function post(
  { outbound }: AttemptDeps,
  url: string,
  body: object,
  providerMessageId: string | null,
  headers: (text: string) => Readonly<Record<string, string>> = () => ({}),
): Promise<DeliveryOutcome> {
  const text = JSON.stringify(body);
  const answer = await outbound.call(url, {
    method: 'POST',
    headers: { ...headers(text), 'content-type': 'application/json' },
    body: text,
    timeoutMs: tryMs,
    anyPort: true,
  });
  const { status } = answer;
  if (status >= 200 && status < 300) return accepted(providerMessageId);
  const waits = /^[0-9]{1,6}$/.exec(answer.headers['retry-after']?.trim() ?? '');
  return rejectedDelivery(`responded with ${status}`, {
    isGone: status === 410,
    retryAfterSeconds: waits === null ? null : Number(waits[0]),
  });
}

async function mail(
  { transport, sender }: AttemptDeps,
  config: DestinationConfig,
  message: OutgoingMessage,
  files: readonly MessageFile[],
): Promise<DeliveryOutcome> {
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
    ? accepted(message.id)
    : rejectedDelivery(`email to ${failed} of ${addresses.length} addresses was rejected`);
}

/** Returns the addresses that a destination sends email to. */
export const addressesOf = ({ toEmails }: DestinationConfig): readonly unknown[] =>
  Array.isArray(toEmails) ? toEmails : [];

const accepted = (providerMessageId: string | null): DeliveryOutcome => ({
  ok: true,
  providerMessageId,
  error: null,
  isGone: false,
  retryAfterSeconds: null,
});
