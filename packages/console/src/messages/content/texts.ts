import { counted } from '../counted.ts';
/** Texts about what customers read: previews, tokens, labels of content. */
export const textTexts = {
  rendered: 'Rendered content',
  asCustomer: 'As customer',
  asCustomerHelp: 'Customer ID. Leave empty to see fallbacks.',
  nothingYet: 'Enter content to see it here.',
  missingToken: (token: string) => `{${token}} has no value for this customer and no fallback.`,
  device: 'Device',
  devices: { desktop: 'Desktop', phone: 'Phone' },
  sms: (characters: string, segments: number) =>
    `${counted(characters, 'character')}, sent as ${segments === 1 ? '1 message' : `${segments} messages`}.`,
  smsAlphabet: 'Characters outside the SMS alphabet limit each message to 70 characters.',
  labels: {
    subject: 'Subject',
    preheader: 'Preheader',
    headline: 'Headline',
    body: 'Body',
    html: 'HTML',
    text: 'Plain text',
    imageUrl: 'Image address',
    ctaText: 'Button text',
    ctaUrl: 'Button link',
    deepLink: 'App link',
  } as Readonly<Record<string, string>>,
  withoutValue: (share: string) => `${share} of customers have no value`,
  everyoneHasValue: 'Every customer has a value',
  tokens: 'Tokens',
  fromCustomer: 'customer',
  fromToken: 'token',
} as const;
