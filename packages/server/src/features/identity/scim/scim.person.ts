import { isObject } from '../../../platform/json.ts';
import type { ScimAttributes, ScimUserRow } from '../users/index.ts';
import { type Attributes, isPrimary } from './scim.attributes.ts';
import { scimProblem } from './scim-error.ts';

/** What of a stored user a directory may set, as one record of attributes, `active` and all. */
export function attributesOf(row: ScimUserRow): Attributes {
  return {
    ...row.attributes,
    userName: row.email,
    displayName: row.name,
    externalId: row.externalId,
    active: row.deactivatedAt === null,
  };
}

/** Any white space of Unicode separates (docs/design/quality.md E8). */
const space = /\p{White_Space}+/u;

/** The stored full name as two: its first word, and the rest as it is. */
export function splitName(fullName: string): { readonly givenName: string; readonly familyName: string } {
  const text = fullName.replace(/^\p{White_Space}+|\p{White_Space}+$/gu, '');
  const gap = space.exec(text);
  if (gap === null) return { givenName: text, familyName: '' };
  return { givenName: text.slice(0, gap.index), familyName: text.slice(gap.index + gap[0].length) };
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value.trim() !== '' ? value : null);

/** The name that follows from the others when no displayName is sent. */
function derivedName({ name, userName }: Attributes): string {
  const parts = isObject(name) ? name : {};
  const words = [textOf(parts.givenName), textOf(parts.familyName)].filter((word) => word !== null);
  return words.length > 0 ? words.join(' ') : (textOf(parts.formatted) ?? String(userName));
}

/**
 * Returns the attributes after a change. A displayName that wasn't sent follows the parts of the name if it was derived
 * from them before, and otherwise stays.
 */
export function renamed(before: Attributes, after: Attributes): Attributes {
  const isOwn = textOf(after.displayName) !== null;
  const wasDerived = before.displayName === derivedName(before);
  const isUntouched = after.displayName === before.displayName;
  if (isOwn && !(isUntouched && wasDerived)) return after;
  return { ...after, displayName: derivedName(after) };
}

/** An address as mail needs it: something on both sides of one @, without white space. */
const isAddress = (text: string): boolean => /^[^\s@]+@[^\s@]+$/u.test(text);

/** Returns where to send the person's email when it isn't the account's name: the primary address, or the first. */
function mailAddressOf({ emails }: Attributes): string | null {
  const items = Array.isArray(emails) ? emails.filter(isObject) : [];
  const addresses = [...items.filter(isPrimary), ...items].map(({ value }) => textOf(value));
  return addresses.find((address) => address !== null && isAddress(address)) ?? null;
}

/** Characters of JSON that the attributes of one user may take. */
const maxText = 256 * 1024;

/**
 * The stored part of a record of attributes. `deactivatedAt`: of the user until now; `now`: for one who is deactivated now. Throws
 * 400 `invalidValue`.
 */
export function storedOf(
  all: Attributes,
  { deactivatedAt, now }: { readonly deactivatedAt: Date | null; readonly now: Date },
): Pick<ScimUserRow, 'email' | 'name' | 'externalId' | 'attributes' | 'mailAddress' | 'deactivatedAt'> {
  const { userName, displayName, externalId, active, ...rest } = all;
  if (typeof userName !== 'string' || userName === '') {
    throw scimProblem('invalidValue', 'userName must be a string of 1 to 255 characters.');
  }
  if (typeof active !== 'boolean') throw scimProblem('invalidValue', 'active must be true or false.');
  const attributes: ScimAttributes = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null));
  if (JSON.stringify(attributes).length > maxText) {
    throw scimProblem('invalidValue', `A user's attributes can have up to ${maxText} characters in total.`);
  }
  return {
    email: userName,
    name: String(displayName),
    externalId: typeof externalId === 'string' ? externalId : null,
    attributes,
    mailAddress: mailAddressOf(all),
    deactivatedAt: active ? null : (deactivatedAt ?? now),
  };
}

/** The addresses as answers show them: those that were sent, else the account's name when it is one. */
export function shownEmails(row: ScimUserRow): unknown {
  if (row.attributes.emails !== undefined) return row.attributes.emails;
  return isAddress(row.email) ? [{ value: row.email, primary: true }] : undefined;
}
