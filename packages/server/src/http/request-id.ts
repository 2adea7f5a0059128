import type { IncomingMessage } from 'node:http';
import { newId } from '../platform/ids.ts';

const requestIdForm = /^[A-Za-z0-9._-]{1,64}$/;

/** The id that a request sent in `X-Request-Id`, or a new one. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && requestIdForm.test(sent) ? sent : newId();
}
