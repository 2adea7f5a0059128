import { createHash, createHmac, pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { SourceError } from './source-error.ts';

const derive = promisify(pbkdf2);
/** RFC 7677 asks for 4,096. More than a million would be an attack on this process. */
const maxIterations = 1_000_000;

export type ScramHash = 'sha1' | 'sha256' | 'sha512';

/** Signs in by SCRAM (RFC 5802) without channel binding. Throws SourceError `auth_failed` if the server doesn't prove that it knows the password. */
export interface ScramClient {
  readonly first: string;
  /** Answers the server's first message. */
  final(serverFirst: string): Promise<string>;
  /** Checks the server's last message. */
  verify(serverFinal: string): void;
}

const part = (message: string, name: string): string => {
  const found = message.split(',').find((each) => each.startsWith(`${name}=`));
  if (found === undefined) throw new SourceError('auth_failed');
  return found.slice(2);
};

export function createScramClient(
  hash: ScramHash,
  { username, password }: { readonly username: string; readonly password: string },
): ScramClient {
  const hmac = (key: Buffer, text: string) => createHmac(hash, key).update(text).digest();
  const nonce = randomBytes(24).toString('base64');
  const name = username.normalize('NFKC').replaceAll('=', '=3D').replaceAll(',', '=2C');
  const bare = `n=${name},r=${nonce}`;
  let signature: Buffer | null = null;
  return {
    first: `n,,${bare}`,
    async final(serverFirst) {
      const [serverNonce, salt, count] = ['r', 's', 'i'].map((each) => part(serverFirst, each));
      const iterations = Number(count);
      const isSane = Number.isInteger(iterations) && iterations >= 1 && iterations <= maxIterations;
      if (serverNonce === undefined || !serverNonce.startsWith(nonce) || !isSane) throw new SourceError('auth_failed');
      const size = createHash(hash).digest().length;
      const salted = await derive(
        password.normalize('NFKC'),
        Buffer.from(salt ?? '', 'base64'),
        iterations,
        size,
        hash,
      );
      const clientKey = hmac(salted, 'Client Key');
      const withoutProof = `c=biws,r=${serverNonce}`;
      const message = `${bare},${serverFirst},${withoutProof}`;
      const mask = hmac(createHash(hash).update(clientKey).digest(), message);
      const proof = Buffer.from(clientKey.map((byte, at) => byte ^ (mask[at] ?? 0)));
      signature = hmac(hmac(salted, 'Server Key'), message);
      return `${withoutProof},p=${proof.toString('base64')}`;
    },
    verify(serverFinal) {
      const given = Buffer.from(part(serverFinal, 'v'), 'base64');
      if (signature === null || given.length !== signature.length || !timingSafeEqual(given, signature)) {
        throw new SourceError('auth_failed');
      }
    },
  };
}
