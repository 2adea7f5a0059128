import { domainToASCII } from 'node:url';

/** An address of a person, in its two parts. */
export interface Address {
  readonly local: string;
  /** Lower case, as DNS has it (IDNA). */
  readonly domain: string;
}

/** Maximum length of a user's email address. */
const longest = 255;

/**
 * Parses an email address; null when it's invalid. Rejects an `@` before the last one, white space and control
 * characters, because with those two readers could see two different domains (docs/design/quality.md T12).
 */
export function parseAddress(text: string): Address | null {
  if (text.length > longest) return null;
  const match = /^([^\s@"<>(),:;\\[\]\p{C}]+)@([^\s@/\\?#\p{C}]+)$/u.exec(text);
  if (match === null) return null;
  const domain = parseDomain(match[2] ?? '');
  return domain === null ? null : { local: match[1] ?? '', domain };
}

/** Returns a domain in its comparable form; null when it's invalid. */
export function parseDomain(text: string): string | null {
  const domain = domainToASCII(text).toLowerCase();
  const isDomain = /^(?=.{1,253}$)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?)(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/.test(
    domain,
  );
  // domainToASCII reads 0x7f.1 as an IP address, where no email is delivered.
  return isDomain && !/^[\d.]+$/.test(domain) ? domain : null;
}
