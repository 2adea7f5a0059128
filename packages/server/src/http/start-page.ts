import type { IncomingMessage } from 'node:http';
import type { WholeAnswer } from './answer.ts';

/**
 * Sends a person who opens the bare address in a browser to the documents. A client that does not ask for HTML is answered as
 * for any other unknown path. `publicUrl` may have a path (Arbiter behind `https://example.com/arbiter`): the proxy takes
 * it off before a request arrives, and the address of the documents must have it again.
 */
export function createStartPage(publicUrl: string): (request: IncomingMessage) => WholeAnswer | null {
  const location = `${basePath(publicUrl)}/api/docs`;
  const answer: WholeAnswer = { status: 303, headers: { location }, body: null };
  return (request) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return null;
    if (request.url?.split('?', 1)[0] !== '/') return null;
    return asksForHtml(request.headers.accept ?? '') ? answer : null;
  };
}

/** Path of the public address, without a slash at its end: what stands before every path of this server. */
export function basePath(publicUrl: string): string {
  return new URL(publicUrl).pathname.replace(/\/+$/, '');
}

/** True when `Accept` names HTML itself; `*\/*` is what programs send. */
export function asksForHtml(accept: string): boolean {
  return accept.split(',').some((each) => {
    const [type = '', ...parameters] = each.split(';').map((part) => part.trim().toLowerCase());
    return type === 'text/html' && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}
