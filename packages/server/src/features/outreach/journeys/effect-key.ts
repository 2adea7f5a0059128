import { hash } from 'node:crypto';

/** Returns a key with the form of a UUID, the same for every repetition of a step: enrollment, node and visit. */
export function effectKey({ id, visit }: { readonly id: string; readonly visit: number }, nodeId: string): string {
  const digits = hash('sha256', `journey step ${id} ${nodeId} ${visit}`, 'hex');
  // Version 8 of RFC 9562: a name of our own.
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-8${digits.slice(13, 16)}-8${digits.slice(17, 20)}-${digits.slice(20, 32)}`;
}
