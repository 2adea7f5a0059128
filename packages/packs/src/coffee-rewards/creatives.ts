import type { PackCreative } from '../pack.ts';
import { coffeeChannels, coffeeOffers } from './catalogue.ts';
import { type OfferMessage, offerMessages } from './messages.ts';

/** One creative per offer and channel, for any placement of the channel. */

const site = 'https://coffee.example/rewards';

interface Layout {
  readonly templateType: string;
  readonly content: (message: OfferMessage) => Readonly<Record<string, string>>;
}

/** By channel type. */
const layouts: Readonly<Record<string, Layout>> = {
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

export const coffeeCreatives: readonly PackCreative[] = coffeeOffers.flatMap((offer) =>
  coffeeChannels.map((channel): PackCreative => {
    const message = offerMessages[offer.name];
    const layout = layouts[channel.channelType];
    if (message === undefined || layout === undefined) {
      throw new Error(`coffee_rewards has no words for ${offer.name} on ${channel.name}`);
    }
    return {
      name: `${offer.name} (${channel.name})`,
      status: 'active',
      offerName: offer.name,
      channelName: channel.name,
      templateType: layout.templateType,
      content: layout.content(message),
      personalization: [{ variable: 'first_name', source: 'customer.first_name', fallback: 'friend' }],
    };
  }),
);
