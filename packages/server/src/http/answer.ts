import type { Operation } from '@arbiter/contract';
import { RawJson } from './handler.ts';

/** An answer ready to be sent. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | null;
}

/** What handlers return, with the types gone. */
export interface UntypedReply {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const none: Readonly<Record<string, string>> = Object.freeze({});
const jsonType = 'application/json; charset=utf-8';
/** The headers of every JSON answer that has none of its own; known by identity where answers are sent. */
export const jsonHeaders: Readonly<Record<string, string>> = Object.freeze({ 'content-type': jsonType });

/** Turns the replies of an operation's handler into bytes; its contract says which statuses are not JSON. */
export function createRender(operation: Operation): (reply: UntypedReply) => Answer {
  const typed = new Map<number, Readonly<Record<string, string>>>();
  for (const [status, { mediaType }] of Object.entries(operation.responses)) {
    if (mediaType !== undefined) typed.set(Number(status), Object.freeze({ 'content-type': mediaType }));
  }
  return ({ status, body, headers: own }) => {
    if (body === null || body === undefined) return { status, headers: own ?? none, body: null };
    const other = typed.get(status);
    const headers = own === undefined ? (other ?? jsonHeaders) : { ...(other ?? jsonHeaders), ...own };
    if (body instanceof RawJson) return { status, headers, body: body.json };
    if (other !== undefined && (typeof body === 'string' || body instanceof Uint8Array)) {
      return { status, headers, body };
    }
    return { status, headers, body: JSON.stringify(body) };
  };
}
