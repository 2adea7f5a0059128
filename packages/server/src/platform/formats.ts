/** The string formats that contract schemas name. Everything else in them is plain JSON Schema. */

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const dateTime = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.\d{1,9})?(?:[Zz]|[+-](\d\d):(\d\d))$/;
const date = /^(\d{4})-(\d\d)-(\d\d)$/;
const daysOfMonth = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function isRealDay(year: number, month: number, day: number): boolean {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 && leap ? 29 : daysOfMonth[month - 1];
  return days !== undefined && day >= 1 && day <= days;
}

/** RFC 3339 date-time with `Z` or an offset; without a zone it isn't an instant, and is rejected (docs/design/api-access.md 1). */
export function isDateTime(text: string): boolean {
  const parts = dateTime.exec(text);
  if (parts === null) return false;
  const [year, month, day, hour, minute, second, offsetHour, offsetMinute] = parts.slice(1).map(Number);
  // A leap second has no instant of its own in JavaScript or PostgreSQL, so :60 is refused.
  return (
    // PostgreSQL knows no year 0 and no offset beyond 15:59.
    year! > 0 &&
    isRealDay(year!, month!, day!) &&
    hour! <= 23 &&
    minute! <= 59 &&
    second! <= 59 &&
    !(offsetHour! > 15) &&
    !(offsetMinute! > 59)
  );
}

/** A calendar day, `2026-11-20`. */
export function isDate(text: string): boolean {
  const parts = date.exec(text);
  return parts !== null && isRealDay(Number(parts[1]), Number(parts[2]), Number(parts[3]));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const controls = /[\u0000-\u001f\u007f-\u009f]/;
const outerSpace = /^\s|\s$/u;

/** 1 to 255 characters (code points), no control character, no outer white space, no lone surrogate (E20). */
export function isCustomerId(text: string): boolean {
  if (text.length === 0 || text.length > 510 || controls.test(text) || outerSpace.test(text)) return false;
  if (!text.isWellFormed()) return false;
  return text.length <= 255 || [...text].length <= 255;
}

/** 1 to 255 visible ASCII characters (docs/design/api-access.md 1, Idempotency). */
export function isIdempotencyKey(text: string): boolean {
  return /^[\x21-\x7e]{1,255}$/.test(text);
}

const mailAddress = /^[^\s\p{C}<>()[\],;:"\\@]+@[^\s\p{C}<>()[\],;:"\\@]+$/u;

/**
 * Returns true for one address that can receive email: no name, no comment, no second address, no line break
 * (docs/design/quality.md T20).
 */
export function isEmail(text: string): boolean {
  return text.length <= 254 && mailAddress.test(text);
}

/** Returns true with at least one uppercase letter and one digit, of any script. The schemas limit the length. */
export function isNewPassword(text: string): boolean {
  return /\p{Lu}/u.test(text) && /\p{Nd}/u.test(text) && !text.includes('\0');
}

/** The formats, each with its error message. */
export const formats: Readonly<Record<string, { test: (text: string) => boolean; message: string }>> = {
  uuid: { test: (text) => uuid.test(text), message: 'must be a UUID' },
  'date-time': {
    test: isDateTime,
    message: 'must be an RFC 3339 date and time with a zone, such as 2026-11-20T09:00:00Z',
  },
  date: { test: isDate, message: 'must be a calendar date, such as 2026-11-20' },
  'customer-id': {
    test: isCustomerId,
    message: 'must be 1 to 255 characters, without control characters and without leading or trailing white space',
  },
  email: { test: isEmail, message: 'must be an email address' },
  'new-password': { test: isNewPassword, message: 'must contain an uppercase letter and a digit' },
  'idempotency-key': { test: isIdempotencyKey, message: 'must be 1 to 255 visible ASCII characters' },
};
