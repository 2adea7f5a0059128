import type { PackCreative } from '../pack.ts';
import { buildCreatives, type CreativeLayout } from '../record-builders.ts';
import { bankChannels, bankOffers } from './catalogue.ts';
import { type BankMessage, bankMessages } from './messages.ts';

/** One creative per offer and channel, for any placement of the channel. */

const site = 'https://bank.example';

/** By channel key. */
const layouts: Readonly<Record<string, CreativeLayout<BankMessage>>> = {
  in_app: {
    templateType: 'in_app_card',
    content: (message) => ({
      subject: message.subject,
      headline: message.headline,
      body: message.short,
      imageUrl: `${site}/images/${message.path}.webp`,
      ctaText: message.ctaText,
      ctaUrl: `${site}/${message.path}?from=app`,
      deepLink: `bank://${message.path}`,
    }),
  },
  email: {
    templateType: 'email_html',
    content: (message) => ({
      subject: message.subject,
      headline: message.headline,
      body: `Good day,\n\n${message.body}\n\nYour bank`,
      imageUrl: `${site}/images/${message.path}.jpg`,
      ctaText: message.ctaText,
      ctaUrl: `${site}/${message.path}?from=letter`,
    }),
  },
  sms: {
    templateType: 'sms_text',
    content: (message) => ({
      subject: message.headline,
      headline: message.headline,
      body: `${message.short} bank.example/${message.path}`,
      ctaText: message.ctaText,
      ctaUrl: `${site}/${message.path}?from=sms`,
    }),
  },
  desk: {
    templateType: 'talking_point',
    content: (message) => ({
      subject: message.headline,
      headline: message.headline,
      body: message.talk,
      ctaText: message.ctaText,
      ctaUrl: `${site}/desk/${message.path}`,
    }),
  },
};

export const bankCreatives: readonly PackCreative[] = buildCreatives(bankOffers, bankChannels, {
  messages: bankMessages,
  layouts,
});
