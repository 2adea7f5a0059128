import type { PackCreative } from '../pack.ts';
import { telcoOffers } from './catalogue.ts';
import { type TelcoMessage, telcoMessages } from './messages.ts';

/**
 * Four creatives per offer: two for the web, tested against each other, one for letters, and one for either push or
 * text message, so that a subscriber doesn't get the same thing twice.
 */

const site = 'https://telco.example/my';
const personalization = [{ variable: 'first_name', source: 'customer.first_name', fallback: 'there' }];

const link = ({ ctaText, path }: TelcoMessage, from: string) => ({ ctaText, ctaUrl: `${site}/${path}?from=${from}` });

function creativesOf(offerName: string): PackCreative[] {
  const message = telcoMessages[offerName];
  if (message === undefined) throw new Error(`telco_care has no words for ${offerName}`);
  const { subject, headline, body, short, path, also } = message;
  const common = { status: 'active', offerName, personalization } as const;
  const banner = { templateType: 'banner', channelName: 'Web' };
  const imageUrl = `${site}/images/${path}.webp`;
  return [
    {
      ...common,
      ...banner,
      name: `${offerName} (Web, a)`,
      abTestVariant: 'a',
      weight: 70,
      content: { subject, headline, body, imageUrl, ...link(message, 'web') },
    },
    {
      ...common,
      ...banner,
      name: `${offerName} (Web, b)`,
      abTestVariant: 'b',
      weight: 30,
      content: {
        subject,
        headline: message.otherHeadline,
        body: message.otherBody,
        imageUrl,
        ...link(message, 'web-b'),
      },
    },
    {
      ...common,
      name: `${offerName} (Email)`,
      channelName: 'Email',
      templateType: 'email_html',
      content: { subject, headline, body: `Hi {first_name},\n\n${body}`, imageUrl, ...link(message, 'letter') },
    },
    also === 'SMS'
      ? {
          ...common,
          name: `${offerName} (SMS)`,
          channelName: also,
          templateType: 'sms_text',
          content: { subject: headline, headline, body: `${short} telco.example/${path}`, ...link(message, 'sms') },
        }
      : {
          ...common,
          name: `${offerName} (Mobile Push)`,
          channelName: also,
          templateType: 'push_notification',
          content: {
            subject: headline,
            headline,
            body: short,
            ...link(message, 'push'),
            deepLink: `telco://${path}`,
          },
        },
  ];
}

export const telcoCreatives: readonly PackCreative[] = telcoOffers.flatMap(({ name }) => creativesOf(name));
