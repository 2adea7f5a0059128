import { hash } from 'node:crypto';

/** Returns an effect key as a UUID: keys may be of any length, and may name a customer. */
export function storedEffectKey(key: string): string {
  const digits = hash('sha256', `delivery ${key}`, 'hex');
  // Version 8 of RFC 9562: a name of our own.
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-8${digits.slice(13, 16)}-8${digits.slice(17, 20)}-${digits.slice(20, 32)}`;
}
