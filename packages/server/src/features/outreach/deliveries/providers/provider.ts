import type { ProviderConfig } from '@arbiter/contract';
import type { MailSender } from '../../../../config/mail-settings.ts';
import type { MailTransport } from '../../../../platform/mail/mail-transport.ts';
import type { Outbound } from '../../../../platform/outbound/outbound.ts';
import type { OutgoingDelivery, SendOutcome } from '../message.ts';

/** Addresses of providers, without a slash at the end. Tests play the providers elsewhere. */
export interface ProviderAddresses {
  readonly sendgrid: string;
  readonly twilio: string;
  readonly whatsapp: string;
  readonly fcm: string;
}

export const publicAddresses: ProviderAddresses = {
  sendgrid: 'https://api.sendgrid.com',
  twilio: 'https://api.twilio.com',
  whatsapp: 'https://graph.facebook.com',
  fcm: 'https://fcm.googleapis.com',
};

/** An account of SES. `maxAttempts`: attempts for one email. */
export interface SesAccess {
  readonly region: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | null;
}

/** What providers need of the process. */
export interface ProviderDeps {
  readonly outbound: Pick<Outbound, 'call'>;
  readonly addresses: ProviderAddresses;
  /** The operator's mail server, or files without one. */
  readonly smtp: MailTransport;
  /** SES with the account of a channel, or the operator's. Null: neither has a region. */
  readonly ses: (own: Partial<SesAccess>) => MailTransport | null;
  /** Sender of email from channels that name none. */
  readonly sender: MailSender;
  /** Where Twilio reports what becomes of a message. Null: the server has no https address. */
  readonly statusCallback: string | null;
}

/** Sends a message once. Never throws for what the provider does. */
export type Provider = (deps: ProviderDeps, config: ProviderConfig, message: OutgoingDelivery) => Promise<SendOutcome>;
