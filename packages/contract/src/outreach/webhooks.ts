import Type, { type Static } from 'typebox';
import { signature } from '../core/auth.ts';
import { operation } from '../core/operation.ts';

/** Events of a body in the standard format. */
export const maxStandardEvents = 1_000;

/** Events of a body of SendGrid, and statuses of a body of WhatsApp. Their batches are smaller. */
export const maxProviderEvents = 5_000;

const count = (description: string) => Type.Integer({ description });

export const WebhookAnswer = Type.Object(
  {
    received: count('Events in the body: the sum of the other three.'),
    applied: count('Events that were stored. A late one is stored without moving the status back.'),
    duplicates: count('Events that had arrived before.'),
    ignored: count(
      'Events of an unknown kind or message, and malformed ones. Events of an unknown message are held for an hour and ' +
        'applied if the message turns up, because a provider may report before its message ID is stored.',
    ),
  },
  { description: 'How many events were applied.', examples: [{ received: 3, applied: 2, duplicates: 1, ignored: 0 }] },
);
export type WebhookAnswer = Static<typeof WebhookAnswer>;

const common = {
  tag: 'Webhooks',
  role: null,
  loadClass: 'inbound',
  audit: [],
} as const;

const answer = { 200: { description: 'How many events were applied.', schema: WebhookAnswer } };
const query = (name: string, description: string) => ({
  [name]: Type.Optional(Type.String({ maxLength: 1024, description })),
});

/** What providers report about messages (docs/design/api-access.md 12.4). */
export const webhookOperations = {
  delivery: operation({
    ...common,
    id: 'webhooks.delivery',
    method: 'POST',
    path: '/api/v1/webhooks/delivery',
    summary: 'Report the status of messages',
    description:
      'Takes four formats, recognized by their shape: Amazon SES (also in SNS), SendGrid, Twilio and the standard format. ' +
      'The standard format is an object `{ providerMessageId, event, timestamp?, recipient?, reason?, eventId? }` or an array ' +
      `of up to ${maxStandardEvents.toLocaleString('en')}; \`event\` is delivered, opened, clicked, failed or bounced. A \`reason\` is stored ` +
      'if it is one of those that deliveries list, and as `other` if not. An event without a `timestamp` gets the time of its ' +
      `arrival; one with an unreadable \`timestamp\` is ignored. SendGrid may send up to ${maxProviderEvents.toLocaleString('en')} events. ` +
      "Events may come in any order and more than once. Instead of X-Webhook-Signature, a provider's own signature is accepted: of SNS for the topics of " +
      'SNS_TOPIC_ARNS, of SendGrid with SENDGRID_WEBHOOK_PUBLIC_KEY, and of Twilio with the auth token of the channel.',
    auth: signature('WEBHOOK_SIGNING_SECRET', 'x-webhook-signature', 'sha256=', { orProviders: true }),
    headers: Type.Object(
      {
        'X-Provider': Type.Optional(
          Type.String({ maxLength: 64, description: 'Format to try first: `ses`, `sendgrid` or `twilio`.' }),
        ),
      },
      { description: 'A hint.' },
    ),
    body: Type.Object(
      {},
      {
        additionalProperties: true,
        description: 'Events, as the provider sends them. At most 1 MiB.',
        examples: [{ providerMessageId: 'wamid.1', event: 'delivered', timestamp: '2026-11-20T10:00:00Z' }],
      },
    ),
    bodyKind: 'raw',
    bodyLimit: 1024 * 1024,
    mediaTypes: ['application/json', 'text/plain', 'application/x-www-form-urlencoded'],
    responses: answer,
    errors: ['validation_failed', 'upstream_failed'],
    transaction: 'own',
  }),
  whatsapp: operation({
    ...common,
    id: 'webhooks.whatsapp',
    method: 'POST',
    path: '/api/v1/webhooks/whatsapp',
    summary: 'Report the status of WhatsApp messages',
    description:
      'Called by the WhatsApp Cloud API. The signature is made with the app secret. A signed body is always accepted; what ' +
      `isn't a status of a known message is ignored, and so are statuses beyond ${maxProviderEvents.toLocaleString('en')}.`,
    auth: signature('WHATSAPP_APP_SECRET', 'x-hub-signature-256'),
    body: Type.Object(
      {},
      {
        additionalProperties: true,
        description: 'Statuses, as the Cloud API sends them. At most 1 MiB.',
        examples: [
          {
            object: 'whatsapp_business_account',
            entry: [
              { changes: [{ value: { statuses: [{ id: 'wamid.1', status: 'read', timestamp: '1795000000' }] } }] },
            ],
          },
        ],
      },
    ),
    bodyKind: 'raw',
    bodyLimit: 1024 * 1024,
    mediaTypes: ['application/json', 'text/plain'],
    responses: answer,
    errors: [],
    transaction: 'own',
  }),
  whatsappVerification: operation({
    ...common,
    id: 'webhooks.whatsappVerification',
    method: 'GET',
    path: '/api/v1/webhooks/whatsapp',
    summary: 'Confirm the WhatsApp webhook',
    description: 'Called by Meta when the webhook is set up. Returns the challenge if the token matches.',
    auth: 'none',
    query: Type.Object(
      {
        ...query('hub.mode', '`subscribe`.'),
        ...query('hub.verify_token', 'Value of WHATSAPP_WEBHOOK_VERIFY_TOKEN.'),
        ...query('hub.challenge', 'Text to return.'),
      },
      { description: 'The challenge.' },
    ),
    responses: {
      200: {
        description: 'The challenge.',
        schema: Type.String({ description: 'Value of `hub.challenge`.' }),
        mediaType: 'text/plain',
      },
    },
    errors: ['forbidden'],
    transaction: 'none',
  }),
} as const;
