import type { ChannelProvider } from '@arbiter/contract';
import { sendWithSendgrid, sendWithSes, sendWithSmtp } from './email.ts';
import { sendWithFcm } from './fcm.ts';
import { sendWithTwilio, sendWithWhatsapp } from './phone.ts';
import type { Provider } from './provider.ts';
import { sendWithWebhook } from './webhook.ts';

/** How each provider is sent to. */
export const providers: Readonly<Record<ChannelProvider, Provider>> = {
  ses: sendWithSes,
  smtp: sendWithSmtp,
  sendgrid: sendWithSendgrid,
  twilio: sendWithTwilio,
  whatsapp_cloud: sendWithWhatsapp,
  fcm: sendWithFcm,
  webhook: sendWithWebhook,
};
