import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';

const sum = (hash: string, key: Buffer, message: string) => createHmac(hash, key).update(message).digest();

/** The server's side of SCRAM (RFC 5802), in two steps. Null: the password is wrong. */
export function createScramServer(hash: string, password: string): (message: string) => string | null {
  let [first, bare, nonce] = ['', '', ''];
  const salt = randomBytes(16);
  return (message) => {
    if (bare === '') {
      bare = message.replace(/^n,,/, '');
      nonce = `${bare.split('r=')[1]}server`;
      first = `r=${nonce},s=${salt.toString('base64')},i=4096`;
      return first;
    }
    const size = createHash(hash).digest().length;
    const salted = pbkdf2Sync(password, salt, 4096, size, hash);
    const key = sum(hash, salted, 'Client Key');
    const signed = `${bare},${first},c=biws,r=${nonce}`;
    const mask = sum(hash, createHash(hash).update(key).digest(), signed);
    const proof = Buffer.from(key.map((byte, at) => byte ^ (mask[at] ?? 0))).toString('base64');
    if (message !== `c=biws,r=${nonce},p=${proof}`) return null;
    return `v=${sum(hash, sum(hash, salted, 'Server Key'), signed).toString('base64')}`;
  };
}
