import { X509Certificate } from 'node:crypto';

const pem = /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----/g;
const maxCertificates = 10;

/**
 * The certificates in a text, as PEM: one or several in PEM, or one in bare base64, as metadata have it. Null when the text
 * holds anything else, or a key that is not RSA of 2,048 bits at least.
 */
export function readCertificates(text: string): readonly string[] | null {
  const blocks = [...text.matchAll(pem)].map(([, base64 = '']) => base64);
  // Only white space may be between and around the blocks; otherwise the text isn't a list of certificates.
  if (blocks.length > 0 && text.replace(pem, '').trim() !== '') return null;
  const encoded = blocks.length > 0 ? blocks : text.trim().split(/\n\s*\n|,/);
  if (encoded.length > maxCertificates) return null;
  const certificates = encoded.map(certificateOf);
  return certificates.every((certificate) => certificate !== null) ? certificates : null;
}

function certificateOf(base64: string): string | null {
  const packed = base64.replace(/\s+/g, '');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(packed)) return null;
  try {
    const certificate = new X509Certificate(Buffer.from(packed, 'base64'));
    const { asymmetricKeyType, asymmetricKeyDetails } = certificate.publicKey;
    const isStrong = (asymmetricKeyDetails?.modulusLength ?? 0) >= 2_048;
    return asymmetricKeyType === 'rsa' && isStrong ? certificate.toString() : null;
  } catch {
    // Not a certificate, which is what we're checking.
    return null;
  }
}
