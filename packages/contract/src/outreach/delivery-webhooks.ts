import Type, { type Static } from 'typebox';
import { signature } from '../core/auth.ts';
import { Binary } from '../core/bodies.ts';
import { operation } from '../core/operation.ts';
import { Int } from '../core/schemas.ts';

/** Events of one call in the standard format. */
export const maxReportedEvents = 1_000;

const Count = (description: string) => Int(0, Number.MAX_SAFE_INTEGER, description);

/** What a call of a provider did. `received` is the sum of the others. */
export const ReportsAnswer = Type.Object(
  {
    received: Count('Events in the body.'),
    applied: Count('Events stored with their delivery, including late ones that did not move it.'),
    duplicates: Count('Events that had been stored before.'),
    ignored: Count('Events of no interest, malformed ones, and those of messages that are not known.'),
  },
  { description: 'What became of the events.' },
);
export type ReportsAnswer = Static<typeof ReportsAnswer>;

const header = (description: string) => Type.Optional(Type.String({ description }));

const common = {
  tag: 'Deliveries',
  role: null,
  csrfExempt: true,
  loadClass: 'inbound',
  audit: [],
} as const;

/** Calls of providers (contract part 1 4.8, docs/design/api-access.md 12.4). */
export const deliveryWebhookOperations = {
  report: operation({
    ...common,
    id: 'deliveryWebhooks.report',
    method: 'POST',
    path: '/api/v1/webhooks/delivery',
    summary: 'Report what became of messages',
    description:
      'For providers, or a relay between them and this server. The format is detected: the standard format ' +
      `(\`{ providerMessageId, event, timestamp, recipient, reason, eventId }\` or a list of up to ${maxReportedEvents}; only the ` +
      'first two are required), Amazon SES with or without its SNS envelope, SendGrid, or a status callback of Twilio. ' +
      "Events may come twice and in any order. Instead of `X-Webhook-Signature`, the provider's own signature is " +
      'accepted: SNS for the topics in `SNS_TOPIC_ARNS`, SendGrid with `SENDGRID_WEBHOOK_PUBLIC_KEY`, Twilio with the ' +
      'auth token of the channel. A subscription of SNS is confirmed.',
    auth: signature('WEBHOOK_SIGNING_SECRET', 'x-webhook-signature', 'sha256=', [
      'x-amz-sns-message-type',
      'x-twilio-email-event-webhook-signature',
      'x-twilio-signature',
    ]),
    headers: Type.Object(
      {
        'X-Webhook-Signature': header('`sha256=` and the hex HMAC-SHA256 of the raw body.'),
        'X-Provider': header('Format to try first: ses, sendgrid or twilio.'),
        'X-Amz-Sns-Message-Type': header('Sent by SNS, which signs inside the body.'),
        'X-Twilio-Email-Event-Webhook-Signature': header('Signature of SendGrid.'),
        'X-Twilio-Email-Event-Webhook-Timestamp': header('Time that the signature of SendGrid covers.'),
        'X-Twilio-Signature': header('Signature of Twilio.'),
      },
      { description: 'Signature and format.' },
    ),
    body: Binary({ description: 'The events, in a format of the description.' }),
    bodyKind: 'raw',
    mediaTypes: ['application/json', 'text/plain', 'application/x-www-form-urlencoded'],
    bodyLimit: 1024 * 1024,
    responses: { 200: { description: 'The events were handled.', schema: ReportsAnswer } },
    errors: ['bad_signature', 'malformed_json', 'malformed_request', 'validation_failed'],
    transaction: 'own',
  }),
  verifyWhatsapp: operation({
    ...common,
    id: 'deliveryWebhooks.verifyWhatsapp',
    method: 'GET',
    path: '/api/v1/webhooks/whatsapp',
    summary: 'Confirm the subscription of WhatsApp',
    description:
      'Returns `hub.challenge` if `hub.verify_token` is `WHATSAPP_WEBHOOK_VERIFY_TOKEN`. While that variable is unset, ' +
      'every call returns 403.',
    auth: 'none',
    query: Type.Object(
      {
        'hub.mode': Type.Optional(Type.String({ description: '`subscribe`.' })),
        'hub.verify_token': Type.Optional(Type.String({ description: 'The token that was set up at Meta.' })),
        'hub.challenge': Type.Optional(Type.String({ maxLength: 1024, description: 'Text to return.' })),
      },
      { description: 'The challenge.' },
    ),
    responses: {
      200: {
        description: 'The challenge.',
        schema: Type.String({ description: '`hub.challenge`.' }),
        mediaType: 'text/plain; charset=utf-8',
      },
    },
    errors: ['forbidden'],
    transaction: 'none',
  }),
  reportWhatsapp: operation({
    ...common,
    id: 'deliveryWebhooks.reportWhatsapp',
    method: 'POST',
    path: '/api/v1/webhooks/whatsapp',
    summary: 'Report what became of WhatsApp messages',
    description:
      'Called by the WhatsApp Cloud API. A signed body always returns 200, whatever it contains; statuses that are not ' +
      'known are ignored. `sent` and `delivered` both count as delivered, `read` as opened.',
    auth: signature('WHATSAPP_APP_SECRET', 'x-hub-signature-256'),
    body: Binary({
      description: '`{ object, entry: [{ changes: [{ value: { statuses: [{ id, status, timestamp }] } }] }] }`',
    }),
    bodyKind: 'raw',
    mediaTypes: ['application/json'],
    bodyLimit: 4 * 1024 * 1024,
    responses: { 200: { description: 'The statuses were handled.', schema: ReportsAnswer } },
    errors: ['bad_signature'],
    transaction: 'own',
  }),
} as const;
