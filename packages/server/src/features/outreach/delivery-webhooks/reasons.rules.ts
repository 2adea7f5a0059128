import { type DeliveryReason, deliveryReasons } from '@arbiter/contract';
import { isObject } from '../../../platform/json.ts';

type Reasons = Readonly<Record<string, DeliveryReason>>;
type Fields = Readonly<Record<string, unknown>>;

/**
 * Translates the code or text of a provider. `other` for a text that the list doesn't have, null for no text. Nothing of
 * the text itself is stored: it may contain the customer's address.
 */
function translated(reasons: Reasons, value: unknown): DeliveryReason | null {
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : '';
  if (text === '') return null;
  const word = text.toLowerCase().replaceAll(/[\s-]+/g, '_');
  return (Object.hasOwn(reasons, word) ? reasons[word] : undefined) ?? 'other';
}

const ownReasons: Reasons = Object.fromEntries(deliveryReasons.map((reason) => [reason, reason]));

/** The reason of an event in the standard format. */
export const standardReason = (value: unknown): DeliveryReason | null => translated(ownReasons, value);

/** Subtypes of bounces (docs.aws.amazon.com/ses, "Bounce types"); `General` says no more than the type. */
const sesSubtypes: Reasons = {
  noemail: 'invalid_address',
  suppressed: 'suppressed',
  onaccountsuppressionlist: 'suppressed',
  unsubscribedrecipient: 'suppressed',
  mailboxfull: 'mailbox_full',
  messagetoolarge: 'content_rejected',
  contentrejected: 'content_rejected',
  attachmentrejected: 'content_rejected',
};
const sesTypes: Reasons = { permanent: 'permanent', transient: 'temporary' };

/** The reason of a notification of SES. */
export function sesReason({ bounce, complaint, reject, failure }: Fields): DeliveryReason | null {
  if (isObject(complaint)) return 'complaint';
  if (isObject(reject) || isObject(failure)) return 'content_rejected';
  if (!isObject(bounce)) return null;
  const reason = translated(sesSubtypes, bounce.bounceSubType);
  return reason === null || reason === 'other' ? translated(sesTypes, bounce.bounceType) : reason;
}

/** Classes of bounces (twilio.com/docs/sendgrid, "Bounce and block classifications"). */
const sendgridClasses: Reasons = {
  invalid_address: 'invalid_address',
  mailbox_unavailable: 'mailbox_full',
  technical: 'unreachable',
  technical_failure: 'unreachable',
  content: 'content_rejected',
  reputation: 'blocked',
  frequency_or_volume_too_high: 'limit_exceeded',
  'frequency/volume': 'limit_exceeded',
};
/** Reasons of dropped emails, which SendGrid never tried to send. */
const sendgridDrops: Reasons = {
  bounced_address: 'suppressed',
  spam_reporting_address: 'suppressed',
  unsubscribed_address: 'suppressed',
  invalid: 'invalid_address',
  invalid_smtpapi_header: 'content_rejected',
  spam_content: 'content_rejected',
  'spam_content_(if_spam_checker_app_enabled)': 'content_rejected',
  recipient_list_over_package_quota: 'limit_exceeded',
};

/** The reason of an event of SendGrid. */
export function sendgridReason({ event, type, bounce_classification: kind, status, reason }: Fields) {
  if (event === 'spamreport') return 'complaint';
  if (event === 'dropped') return translated(sendgridDrops, reason);
  const classified = translated(sendgridClasses, kind);
  if (classified !== null && classified !== 'other') return classified;
  const known = enhancedStatus(status);
  if (known !== null) return known;
  if (event === 'blocked' || type === 'blocked') return 'blocked';
  return classified ?? translated({}, reason);
}

/** Reads an enhanced status code (RFC 3463), such as `5.1.1`. */
function enhancedStatus(value: unknown): DeliveryReason | null {
  const [code, family, subject, detail] =
    typeof value === 'string' ? (/^([45])\.(\d)\.(\d{1,3})$/.exec(value) ?? []) : [];
  if (code === undefined) return null;
  if (subject === '1') return 'invalid_address';
  if (subject === '2' && detail === '2') return 'mailbox_full';
  if (subject === '7') return 'blocked';
  return family === '4' ? 'temporary' : 'permanent';
}

/** Error codes (twilio.com/docs/api/errors). */
const twilioCodes: Reasons = {
  21211: 'invalid_address',
  21610: 'suppressed',
  21614: 'invalid_address',
  30001: 'limit_exceeded',
  30003: 'unreachable',
  30004: 'blocked',
  30005: 'invalid_address',
  30006: 'invalid_address',
  30007: 'blocked',
  30022: 'limit_exceeded',
  30023: 'limit_exceeded',
  30034: 'blocked',
  30410: 'temporary',
  63003: 'invalid_address',
  63013: 'blocked',
  63016: 'content_rejected',
  63018: 'limit_exceeded',
  63024: 'invalid_address',
};

/** The reason of a status callback of Twilio. */
export const twilioReason = (value: string | null): DeliveryReason | null =>
  value === '0' ? null : translated(twilioCodes, value);

/** Error codes (developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes). */
const whatsappCodes: Reasons = {
  130429: 'limit_exceeded',
  131000: 'temporary',
  131016: 'temporary',
  131021: 'invalid_address',
  131026: 'unreachable',
  131031: 'blocked',
  131047: 'content_rejected',
  131048: 'limit_exceeded',
  131049: 'limit_exceeded',
  131050: 'suppressed',
  131051: 'content_rejected',
  131053: 'content_rejected',
  131056: 'limit_exceeded',
  132000: 'content_rejected',
  132001: 'content_rejected',
  132005: 'content_rejected',
  132007: 'content_rejected',
  132012: 'content_rejected',
  132015: 'content_rejected',
  132016: 'content_rejected',
};

/** The reason of a status of WhatsApp: the code of its first error. */
export function whatsappReason(errors: unknown): DeliveryReason | null {
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined;
  if (!isObject(first)) return null;
  return translated(whatsappCodes, first.code) ?? 'other';
}
