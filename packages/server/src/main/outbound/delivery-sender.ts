import { join } from 'node:path';
import {
  createDeliverySender,
  type DeliverySender,
  publicAddresses,
  type SenderDeps,
  type SesAccess,
} from '../../features/outreach/deliveries/index.ts';
import { createMailOutbox } from '../../platform/mail/mail-outbox.ts';
import { createSesTransport } from '../../platform/mail/mail-ses.ts';
import { createSmtpTransport } from '../../platform/mail/mail-smtp.ts';
import type { MailTransport } from '../../platform/mail/mail-transport.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import type { MailConfig } from './mail.ts';

/** Clients of SES kept at once. Each account of a tenant has one. */
const maxAccounts = 50;

/** Creates what gives messages of campaigns, journeys and triggers to providers. */
export function deliverySender(
  config: MailConfig,
  outbound: Outbound,
  publicUrl: string,
  onBreakerMoved: NonNullable<SenderDeps['onBreakerMoved']>,
): DeliverySender {
  const smtp =
    config.SMTP_URL === null
      ? createMailOutbox(config.MAIL_OUTBOX_DIR ?? join(config.DATA_DIR, 'outbox'))
      : createSmtpTransport(config.SMTP_URL);
  return createDeliverySender({
    ...{ outbound, smtp, onBreakerMoved },
    addresses: publicAddresses,
    ses: sesAccounts(config),
    sender: config.SES_FROM_EMAIL ?? config.MAIL_FROM,
    statusCallback: publicUrl.startsWith('https://') ? `${publicUrl}/api/v1/webhooks/delivery` : null,
  });
}

/** Returns transports by account: a channel's own, or the operator's. */
function sesAccounts(config: MailConfig): SenderDeps['ses'] {
  const { AWS_REGION, AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = config;
  const operators =
    accessKeyId === null || secretAccessKey === null
      ? null
      : { accessKeyId, secretAccessKey, sessionToken: config.AWS_SESSION_TOKEN };
  const known = new Map<string, MailTransport>();
  return ({ region: ownRegion, credentials: own }: Partial<SesAccess>) => {
    const region = ownRegion ?? AWS_REGION;
    if (region === null) return null;
    const credentials = own == null ? operators : { ...own, sessionToken: null };
    const name = JSON.stringify([region, credentials]);
    const transport =
      known.get(name) ??
      // One attempt: a second one after a timeout could send the email twice. The job tries again.
      createSesTransport({ region, credentials, endpoint: null, maxAttempts: 1 });
    if (known.size >= maxAccounts) known.clear();
    known.set(name, transport);
    return transport;
  };
}
