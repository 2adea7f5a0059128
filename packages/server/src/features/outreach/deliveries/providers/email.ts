import type { ProviderConfig } from '@arbiter/contract';
import { readSender } from '../../../../config/mail-settings.ts';
import { alarmAt } from '../../../../platform/deadline.ts';
import { writeMail } from '../../../../platform/mail/mail-message.ts';
import { MailError, type MailTransport } from '../../../../platform/mail/mail-transport.ts';
import { mailAddress } from '../content.rules.ts';
import { type OutgoingDelivery, rejected, rejectedMessage, type SendOutcome } from '../message.ts';
import { isOutcome, post } from './http-call.ts';
import type { Provider, ProviderDeps } from './provider.ts';

/** The sender of a channel's email. Null: `from` is no address. */
function senderOf({ sender }: ProviderDeps, { from }: ProviderConfig) {
  if (from === undefined) return sender;
  try {
    return readSender(from);
  } catch {
    return null;
  }
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** HTML for content that has none: its lines. */
const linesAsHtml = (text: string): string => `<p>${escaped(text).replaceAll(/\r?\n/g, '<br>')}</p>`;

async function sendMail(
  transport: MailTransport | null,
  deps: ProviderDeps,
  config: ProviderConfig,
  message: OutgoingDelivery,
): Promise<SendOutcome> {
  const sender = senderOf(deps, config);
  if (sender === null || transport === null) return rejected('not_configured');
  const to = mailAddress(message.address);
  if (to === null) return rejected('invalid_address');
  const { subject, linkedText: text, html } = message.content;
  const mail = await writeMail(
    {
      ...{ id: message.id, kind: 'delivery', createdAt: message.triedAt, to, subject, text },
      html: html ?? linesAsHtml(text),
    },
    sender,
  );
  const alarm = alarmAt(performance.now() + message.timeoutMs);
  try {
    const facts = await Promise.race([transport.send(mail), alarm.rung]);
    if (facts === 'late') return { kind: 'unknown', error: 'timeout' };
    const domain = sender.address.slice(sender.address.lastIndexOf('@') + 1);
    return { kind: 'sent', messageId: facts.messageId ?? `${message.id}@${domain}` };
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    if (error.fate === 'unknown') return { kind: 'unknown', error: 'connection_lost' };
    return error.fate === 'rejected' ? rejected('rejected') : rejectedMessage('refused');
  } finally {
    alarm.cancel();
  }
}

/** The operator's mail server (SMTP_URL). The id is the Message-ID, without angle brackets. */
export const sendWithSmtp: Provider = (deps, config, message) => sendMail(deps.smtp, deps, config, message);

/** Amazon SES (API v2, `SendEmail` with raw content). The id is SES's `MessageId`. */
export const sendWithSes: Provider = (deps, config, message) => {
  const { region, accessKeyId, secretAccessKey } = config;
  const hasKeys = accessKeyId !== undefined && secretAccessKey !== undefined;
  const transport = deps.ses({
    ...(region === undefined ? {} : { region }),
    ...(hasKeys ? { credentials: { accessKeyId, secretAccessKey } } : {}),
  });
  return sendMail(transport, deps, config, message);
};

/** SendGrid (`POST /v3/mail/send`, 202 with `X-Message-Id`). */
export const sendWithSendgrid: Provider = async (deps, config, message) => {
  const sender = senderOf(deps, config);
  if (config.apiKey === undefined || sender === null) return rejected('not_configured');
  const to = mailAddress(message.address);
  if (to === null) return rejected('invalid_address');
  const { subject, linkedText: text, html } = message.content;
  const answer = await post(deps.outbound, message.triedAt, {
    url: `${deps.addresses.sendgrid}/v3/mail/send`,
    headers: { authorization: `Bearer ${config.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      personalizations: [{ to: [{ email: to }], custom_args: { deliveryId: message.id } }],
      from: sender.name === '' ? { email: sender.address } : { email: sender.address, name: sender.name },
      subject,
      // The API wants the plain text first, and no empty part.
      content: [
        ...(text === '' ? [] : [{ type: 'text/plain', value: text }]),
        { type: 'text/html', value: html ?? linesAsHtml(text) },
      ],
    }),
    timeoutMs: message.timeoutMs,
  });
  if (isOutcome(answer)) return answer;
  return { kind: 'sent', messageId: answer.headers['x-message-id'] ?? message.id };
};
