import { createPublicKey, type KeyObject } from 'node:crypto';

/** Reads an elliptic-curve public key: DER (SubjectPublicKeyInfo) in base64. Throws an Error that completes "<NAME> ...". */
export function readPublicKey(text: string): KeyObject {
  const problem = 'must be an ECDSA public key in base64, as the SendGrid console shows it';
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) throw new Error(problem);
  let key: KeyObject;
  try {
    key = createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' });
  } catch {
    throw new Error(problem);
  }
  if (key.asymmetricKeyType !== 'ec') throw new Error(problem);
  return key;
}
