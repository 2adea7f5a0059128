import { isMailAddress } from '../../../config/mail-settings.ts';
import { isObject } from '../../../platform/json.ts';
import type { MessageContent } from './message.ts';

/** Where a channel's address is if the channel doesn't say (docs/design/api-catalogue.md 20, Channels). */
const defaultAttributes: ReadonlyMap<string, string> = new Map([
  ['email', 'customer.email'],
  ['sms', 'customer.phone'],
  ['whatsapp', 'customer.phone'],
  ['phone', 'customer.phone'],
  ['push', 'customer.push_token'],
]);

/**
 * Returns the address of a customer on a channel: the value of its attribute, or the customer's id for types of channels
 * without one. Null if the attribute is missing, empty or neither text nor number.
 */
export function addressOf(
  { channelType, addressAttribute }: { readonly channelType: string; readonly addressAttribute: string | null },
  customerId: string,
  profile: Readonly<Record<string, unknown>>,
): string | null {
  const path = addressAttribute ?? defaultAttributes.get(channelType);
  if (path === undefined) return customerId;
  let value: unknown = profile;
  for (const key of path.split('.').slice(1)) {
    value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : '';
  return text === '' ? null : text;
}

/** Returns a phone number in the form `+` and 7 to 15 digits (E.164); null for something else. */
export function phoneNumber(text: string): string | null {
  const digits = text.replaceAll(/[\s().-]/g, '').replace(/^00/, '+');
  if (!/^\+?[0-9]{7,15}$/.test(digits)) return null;
  return digits.startsWith('+') ? digits : `+${digits}`;
}

export const mailAddress = (text: string): string | null => (isMailAddress(text) ? text : null);

const firstText = (content: Readonly<Record<string, unknown>>, keys: readonly string[]): string => {
  for (const key of keys) {
    const value = content[key];
    if (typeof value === 'string' && value.trim() !== '') return value;
  }
  return '';
};

/** Returns what providers take of rendered content. `offerName` stands in for a missing subject. */
export function messageContent(all: Readonly<Record<string, unknown>>, offerName: string): MessageContent {
  const subject = firstText(all, ['subject', 'title', 'headline']) || offerName;
  const html = firstText(all, ['html']);
  const text = firstText(all, ['text', 'body', 'message']) || firstText(all, ['headline', 'title', 'subject']);
  const link = firstText(all, ['ctaUrl']);
  // A text part of blocks contains its links.
  const isLinked = link === '' || all.text !== undefined || text.includes(link);
  return {
    subject: subject.replaceAll(/\p{Cc}+/gu, ' ').trim(),
    text,
    linkedText: isLinked ? text : `${text}\n\n${link}`.trim(),
    html: html === '' ? null : html,
    all,
  };
}
