/** Template types with the texts that they show, in reading order. */
const keys: Readonly<Record<string, readonly string[]>> = {
  email_html: ['subject', 'preheader', 'headline', 'body', 'imageUrl', 'ctaText', 'ctaUrl'],
  push_notification: ['headline', 'body', 'ctaText', 'deepLink'],
  sms_text: ['body', 'ctaUrl'],
  banner: ['headline', 'body', 'imageUrl', 'ctaText', 'ctaUrl'],
  in_app_modal: ['headline', 'body', 'imageUrl', 'ctaText', 'deepLink'],
  in_app_card: ['headline', 'body', 'imageUrl', 'ctaText', 'deepLink'],
  content_card: ['headline', 'body', 'imageUrl', 'ctaText', 'ctaUrl'],
  whatsapp_template: ['body', 'ctaText', 'ctaUrl'],
  call_script: ['headline', 'body'],
  webhook_json: [],
};

export const templateTypes: readonly string[] = Object.keys(keys);

export const longKeys: ReadonlySet<string> = new Set(['body', 'html', 'text']);

/** Returns the texts to edit: those of the type, then others that the content has. */
export function contentKeys(templateType: string, content: Readonly<Record<string, unknown>>): readonly string[] {
  const usual = keys[templateType] ?? ['headline', 'body', 'ctaText', 'ctaUrl'];
  const others = Object.keys(content).filter((key) => !usual.includes(key) && typeof content[key] === 'string');
  return [...usual, ...others];
}

export type Device = 'desktop' | 'phone';

/** Widths at which a type is shown, in pixels. Some look the same on every device. */
export const previewWidths = (templateType: string): Readonly<Record<Device, number>> => {
  const phone = 360;
  if (templateType === 'email_html') return { desktop: 640, phone };
  if (templateType === 'banner' || templateType === 'call_script') return { desktop: 480, phone };
  return { desktop: phone, phone };
};

/** The template type with which items of a channel type are rendered. */
const typeOfChannel: Readonly<Record<string, string>> = {
  email: 'email_html',
  sms: 'sms_text',
  push: 'push_notification',
  webhook: 'webhook_json',
  in_app: 'in_app_modal',
  web: 'banner',
  mobile: 'banner',
  whatsapp: 'whatsapp_template',
};

export const templateTypeOf = (channelType: string): string => typeOfChannel[channelType] ?? 'call_script';
