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
const jsonHeaders: Readonly<Record<string, string>> = Object.freeze({ 'content-type': jsonType });

/** Turns a handler's reply into bytes. `mediaTypes`: media type by status for answers that are not JSON. */
export function renderReply(reply: UntypedReply, mediaTypes: ReadonlyMap<number, string>): Answer {
  const { status, body } = reply;
  if (body === null || body === undefined) return { status, headers: reply.headers ?? none, body: null };
  const mediaType = mediaTypes.get(status);
  const typed = mediaType === undefined ? jsonHeaders : { 'content-type': mediaType };
  const headers = reply.headers === undefined ? typed : { ...typed, ...reply.headers };
  if (body instanceof RawJson) return { status, headers, body: body.text };
  if (mediaType !== undefined && (typeof body === 'string' || body instanceof Uint8Array)) {
    return { status, headers, body };
  }
  return { status, headers, body: JSON.stringify(body) };
}
