import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';

/** Layout: salt (16 bytes), nonce (12), ciphertext, tag (16). */
const saltBytes = 16;
const nonceBytes = 12;
const tagBytes = 16;
/** 128 MB and a good part of a second for each guess (OWASP's advice for scrypt). */
const cost = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 * 1024 };

export const shortestPassphrase = 12;

function keyOf(passphrase: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) =>
    scrypt(passphrase.normalize('NFKC'), salt, 32, cost, (error, key) =>
      error === null ? resolve(key) : reject(error),
    ),
  );
}

/** Seals a text with a passphrase: scrypt, then AES-256-GCM. `context` is authenticated. Returns base64. */
export async function sealWithPassphrase(passphrase: string, context: string, plain: string): Promise<string> {
  const salt = randomBytes(saltBytes);
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', await keyOf(passphrase, salt), nonce).setAAD(Buffer.from(context));
  return Buffer.concat([salt, nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString(
    'base64',
  );
}

/** The text; null when the passphrase is wrong or the sealed text was changed. */
export async function openWithPassphrase(passphrase: string, context: string, sealed: string): Promise<string | null> {
  const bytes = Buffer.from(sealed, 'base64');
  const salt = bytes.subarray(0, saltBytes);
  const nonce = bytes.subarray(saltBytes, saltBytes + nonceBytes);
  const end = bytes.length - tagBytes;
  if (end < saltBytes + nonceBytes) return null;
  const decipher = createDecipheriv('aes-256-gcm', await keyOf(passphrase, salt), nonce, { authTagLength: tagBytes })
    .setAAD(Buffer.from(context))
    .setAuthTag(bytes.subarray(end));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(saltBytes + nonceBytes, end)), decipher.final()]).toString(
      'utf8',
    );
  } catch {
    return null;
  }
}
