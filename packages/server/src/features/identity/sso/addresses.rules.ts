import { domainToASCII } from 'node:url';

/** An address of a person, in its two parts. */
export interface Address {
  readonly local: string;
  /** Lower case, as DNS has it (IDNA). */
  readonly domain: string;
}

/** Longest address that a user may have. */
const longest = 255;

/**
 * Reads an e-mail address; null for what is none. An `@` before the last one, white space and control characters make no
 * address: by them two readers could take two domains for the one (docs/design/quality.md T12).
 */
export function parseAddress(text: string): Address | null {
  if (text.length > longest) return null;
  const match = /^([^\s@"<>(),:;\\[\]\p{C}]+)@([^\s@/\\?#\p{C}]+)$/u.exec(text);
  if (match === null) return null;
  const domain = parseDomain(match[2] ?? '');
  return domain === null ? null : { local: match[1] ?? '', domain };
}

/** A domain in the form in which domains are compared; null for what is none. */
export function parseDomain(text: string): string | null {
  const domain = domainToASCII(text).toLowerCase();
  const isDomain = /^(?=.{1,253}$)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?)(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/.test(
    domain,
  );
  // domainToASCII reads 0x7f.1 as an IP address; no mail is delivered there.
  return isDomain && !/^[\d.]+$/.test(domain) ? domain : null;
}
