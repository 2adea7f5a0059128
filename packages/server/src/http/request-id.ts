import type { IncomingMessage } from 'node:http';
import { newId } from '../platform/ids.ts';

const requestIdForm = /^[A-Za-z0-9._-]{1,64}$/;

/** Returns the id in the request's `X-Request-Id`, or a new one. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && requestIdForm.test(sent) ? sent : newId();
}
