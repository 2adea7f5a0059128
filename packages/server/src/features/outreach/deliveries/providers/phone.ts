import { isObject } from '../../../../platform/json.ts';
import { callbackUrl } from '../callback-url.ts';
import { phoneNumber } from '../content.rules.ts';
import { rejected } from '../message.ts';
import { isOutcome, jsonOf, post } from './http-call.ts';
import type { Provider } from './provider.ts';

/** Twilio (`POST /2010-04-01/Accounts/{sid}/Messages.json`, a form; 201 with `sid`). */
export const sendWithTwilio: Provider = async (deps, config, message) => {
  const { accountSid, authToken, from } = config;
  if (accountSid === undefined || authToken === undefined || from === undefined) return rejected('not_configured');
  const number = phoneNumber(message.address);
  if (number === null) return rejected('invalid_address');
  const prefix = message.channelType === 'whatsapp' ? 'whatsapp:' : '';
  const sender: [string, string] = from.startsWith('MG')
    ? ['MessagingServiceSid', from]
    : ['From', withPrefix(prefix, from)];
  const { tenantId, row } = message;
  const callback: [string, string][] =
    deps.statusCallback === null
      ? []
      : [['StatusCallback', callbackUrl(deps.statusCallback, { tenantId, channelId: row.channelId })]];
  const answer = await post(deps.outbound, message.triedAt, {
    url: `${deps.addresses.twilio}/2010-04-01/Accounts/${encodeURIComponent(accountSid)}/Messages.json`,
    headers: {
      authorization: `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams([
      ['To', `${prefix}${number}`],
      sender,
      ['Body', message.content.linkedText],
      ...callback,
    ]).toString(),
    timeoutMs: message.timeoutMs,
  });
  if (isOutcome(answer)) return answer;
  const { sid } = jsonOf(answer);
  return { kind: 'sent', messageId: typeof sid === 'string' ? sid : message.id };
};

const withPrefix = (prefix: string, from: string): string => (from.startsWith(prefix) ? from : `${prefix}${from}`);

const graphVersion = 'v23.0';

/**
 * WhatsApp Cloud API (`POST /{version}/{phone number id}/messages`; 200 with `messages[0].id`). Content with an object
 * `template` is sent as that template, which WhatsApp requires outside of a conversation.
 */
export const sendWithWhatsapp: Provider = async (deps, config, message) => {
  const { phoneNumberId, accessToken } = config;
  if (phoneNumberId === undefined || accessToken === undefined) return rejected('not_configured');
  const number = phoneNumber(message.address);
  if (number === null) return rejected('invalid_address');
  const { all, linkedText: text } = message.content;
  const content = isObject(all.template)
    ? { type: 'template', template: all.template }
    : { type: 'text', text: { preview_url: /https?:\/\//.test(text), body: text } };
  const answer = await post(deps.outbound, message.triedAt, {
    url: `${deps.addresses.whatsapp}/${graphVersion}/${encodeURIComponent(phoneNumberId)}/messages`,
    headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: number.slice(1),
      ...content,
    }),
    timeoutMs: message.timeoutMs,
  });
  if (isOutcome(answer)) return answer;
  const { messages } = jsonOf(answer);
  const first: unknown = Array.isArray(messages) ? messages[0] : null;
  return { kind: 'sent', messageId: isObject(first) && typeof first.id === 'string' ? first.id : message.id };
};
