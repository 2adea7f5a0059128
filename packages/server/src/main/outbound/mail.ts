import { join } from 'node:path';
import type { Config } from '../../config.ts';
import type { MailPorts } from '../../features/identity/mail/index.ts';
import { createMailOutbox } from '../../platform/mail/mail-outbox.ts';
import { createSesTransport } from '../../platform/mail/mail-ses.ts';
import { createSmtpTransport } from '../../platform/mail/mail-smtp.ts';

/** The mail part of the configuration. */
export type MailConfig = Pick<
  Config,
  | 'AWS_ACCESS_KEY_ID'
  | 'AWS_REGION'
  | 'AWS_SECRET_ACCESS_KEY'
  | 'AWS_SESSION_TOKEN'
  | 'DATA_DIR'
  | 'MAIL_FROM'
  | 'MAIL_OUTBOX_DIR'
  | 'SES_FROM_EMAIL'
  | 'SMTP_URL'
>;

/** SES when it is configured, else SMTP, else files (docs/design/api-access.md 4.2). */
export function mailWay(config: MailConfig): Pick<MailPorts, 'transport' | 'sender'> {
  const { SES_FROM_EMAIL, AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = config;
  if (SES_FROM_EMAIL !== null && AWS_REGION !== null) {
    const credentials =
      AWS_ACCESS_KEY_ID === null || AWS_SECRET_ACCESS_KEY === null
        ? null
        : {
            accessKeyId: AWS_ACCESS_KEY_ID,
            secretAccessKey: AWS_SECRET_ACCESS_KEY,
            sessionToken: AWS_SESSION_TOKEN,
          };
    return {
      transport: createSesTransport({ region: AWS_REGION, credentials, endpoint: null }),
      sender: SES_FROM_EMAIL,
    };
  }
  const sender = config.MAIL_FROM;
  if (config.SMTP_URL !== null) return { transport: createSmtpTransport(config.SMTP_URL), sender };
  return { transport: createMailOutbox(config.MAIL_OUTBOX_DIR ?? join(config.DATA_DIR, 'outbox')), sender };
}
