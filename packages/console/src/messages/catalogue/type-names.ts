import { humanKey } from '../human-key.ts';

/** Names of template types. */
export const templateTypeNames: Readonly<Record<string, string>> = {
  email_html: 'Email',
  push_notification: 'Push notification',
  sms_text: 'SMS',
  banner: 'Banner',
  in_app_modal: 'In-app modal',
  in_app_card: 'In-app card',
  content_card: 'Content card',
  whatsapp_template: 'WhatsApp',
  call_script: 'Call script',
  webhook_json: 'JSON',
};

export const templateTypeName = (type: string): string => templateTypeNames[type] ?? humanKey(type);

const channelTypes: Readonly<Record<string, string>> = {
  sms: 'SMS',
  in_app: 'In-app',
  whatsapp: 'WhatsApp',
};

/** Name of a channel type. Tenants can have others than these. */
export const channelTypeName = (type: string): string => channelTypes[type] ?? humanKey(type);
