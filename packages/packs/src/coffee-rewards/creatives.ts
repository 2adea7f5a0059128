import type { PackCreative } from '../pack.ts';
import { buildCreatives, type CreativeLayout } from '../record-builders.ts';
import { coffeeChannels, coffeeOffers } from './catalogue.ts';
import { type OfferMessage, offerMessages } from './messages.ts';

/** One creative per offer and channel, for any placement of the channel. */

const site = 'https://coffee.example/rewards';

/** By channel key. */
const layouts: Readonly<Record<string, CreativeLayout<OfferMessage>>> = {
  web: {
    templateType: 'banner',
    content: (message) => ({
      subject: message.subject,
      headline: message.headline,
      body: message.body,
      imageUrl: `${site}/images/${message.path}.webp`,
      ctaText: message.ctaText,
      ctaUrl: `${site}/${message.path}`,
    }),
  },
  email: {
    templateType: 'email_html',
    content: (message) => ({
      subject: message.subject,
      headline: message.headline,
      body: `Hello {first_name},\n\n${message.body}`,
      imageUrl: `${site}/images/${message.path}.jpg`,
      ctaText: message.ctaText,
      ctaUrl: `${site}/${message.path}?from=letter`,
    }),
  },
  push: {
    templateType: 'push_notification',
    content: (message) => ({
      subject: message.subject,
      headline: message.headline,
      body: message.short,
      ctaText: message.ctaText,
      ctaUrl: `${site}/${message.path}?from=push`,
      deepLink: `coffee://rewards/${message.path}`,
    }),
  },
  in_app: {
    templateType: 'in_app_modal',
    content: (message) => ({
      subject: message.subject,
      headline: message.headline,
      body: message.short,
      ctaText: message.ctaText,
      ctaUrl: `${site}/${message.path}?from=app`,
      deepLink: `coffee://rewards/${message.path}`,
    }),
  },
};

export const coffeeCreatives: readonly PackCreative[] = buildCreatives(coffeeOffers, coffeeChannels, {
  messages: offerMessages,
  layouts,
  personalization: [{ variable: 'first_name', source: 'customer.first_name', fallback: 'friend' }],
});
