import type { X509Certificate } from 'node:crypto';
import type { Outbound } from '../../../platform/outbound/outbound.ts';
import { OutboundError } from '../../../platform/outbound/outbound-error.ts';
import { certificateUrl, isValidAt, readCertificate } from './sns.rules.ts';

/** Returns the certificate that a message of SNS names; null if it isn't one of SNS, or not valid now. */
export type FindCertificate = (url: unknown, now: Date) => Promise<X509Certificate | null>;

/** SNS uses one per region for months. */
const maxCertificates = 20;

/** Returns a function that fetches certificates of SNS from its hosts, and remembers the newest. */
export function createCertificates(outbound: Pick<Outbound, 'call'>): FindCertificate {
  const known = new Map<string, X509Certificate>();
  return async (text, now) => {
    const url = certificateUrl(text);
    if (url === null) return null;
    const before = known.get(url.href);
    if (before !== undefined && isValidAt(before, now)) return before;
    known.delete(url.href);
    const certificate = await fetchCertificate(outbound, url);
    if (certificate === null || !isValidAt(certificate, now)) return null;
    const [oldest] = known.keys();
    if (oldest !== undefined && known.size >= maxCertificates) known.delete(oldest);
    known.set(url.href, certificate);
    return certificate;
  };
}

async function fetchCertificate(outbound: Pick<Outbound, 'call'>, url: URL): Promise<X509Certificate | null> {
  try {
    const { status, body } = await outbound.call(url.href, { timeoutMs: 3_000 });
    return status === 200 ? readCertificate(body) : null;
  } catch (error) {
    if (error instanceof OutboundError) return null;
    throw error;
  }
}
