import type { Content, FileAnswer, Operation, ResponseSpec, ServerSentEvent } from '@arbiter/contract';
import { create as contentDisposition } from 'content-disposition';
import { RawJson } from '../handler.ts';
import { eventChunks, isChunks } from './streamed-answer.ts';

/** An answer ready to be sent. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Content | null;
}

/** An answer with all of its bytes. */
export type WholeAnswer = Answer & { readonly body: Uint8Array | string | null };

export function isWhole(answer: Answer): answer is WholeAnswer {
  return !isChunks(answer.body);
}

/** What handlers return, without its types. */
export interface UntypedReply {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const none: Readonly<Record<string, string>> = Object.freeze({});
const jsonType = 'application/json; charset=utf-8';
/**
 * Headers of every JSON answer that sets none itself. One shared object: the code that sends answers recognizes it by
 * identity.
 */
export const jsonHeaders: Readonly<Record<string, string>> = Object.freeze({ 'content-type': jsonType });

/** Turns the replies of an operation's handler into bytes. The operation's contract says which statuses aren't JSON. */
export function createRender(operation: Operation): (reply: UntypedReply, signal: AbortSignal) => Answer {
  const others = new Map<number, RenderBody>();
  for (const [status, response] of Object.entries(operation.responses)) {
    const render = renderOf(response);
    if (render !== null) others.set(Number(status), render);
  }
  return ({ status, body, headers: own }, signal) => {
    if (body === null || body === undefined) return { status, headers: own ?? none, body: null };
    const other = others.get(status);
    if (other !== undefined) {
      const rendered = other(body instanceof RawJson ? body.json : body, signal);
      return {
        status,
        headers: own === undefined ? rendered.headers : { ...rendered.headers, ...own },
        body: rendered.body,
      };
    }
    const headers = own === undefined ? jsonHeaders : { ...jsonHeaders, ...own };
    return { status, headers, body: body instanceof RawJson ? body.json : JSON.stringify(body) };
  };
}

const isIterable = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && Symbol.asyncIterator in body;

type RenderBody = (body: unknown, signal: AbortSignal) => Omit<Answer, 'status'>;

/**
 * Returns the `Content-Disposition` of a download with both forms of its name (docs/design/quality.md E30). The package
 * leaves out `filename*` where the plain form is enough.
 */
function dispositionOf(fileName: string): string {
  const header = contentDisposition(fileName);
  if (header.includes('filename*=')) return header;
  // RFC 8187 also wants these characters encoded, which encodeURIComponent leaves alone.
  const encoded = encodeURIComponent(fileName).replace(/['()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`);
  return `${header}; filename*=UTF-8''${encoded}`;
}

/** Returns how to write answers that aren't JSON; null for JSON. */
function renderOf({ kind, mediaType, mediaTypes, events }: ResponseSpec): RenderBody | null {
  const headersOfEvents = Object.freeze({ 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' });
  // The handlers' types restrict the body to an iterable of events (contract, `BodyOf`).
  const renderEvents: RenderBody = (body, signal) => ({
    headers: headersOfEvents,
    body: eventChunks(body as AsyncIterable<ServerSentEvent>, signal),
  });
  if (kind === 'events') return renderEvents;
  if (events !== undefined) {
    return (body, signal) => {
      if (isIterable(body)) return renderEvents(body, signal);
      const isReady = typeof body === 'string' || body instanceof Uint8Array;
      return { headers: jsonHeaders, body: isReady ? body : JSON.stringify(body) };
    };
  }
  if (kind === 'file') {
    const usual = mediaTypes?.[0] ?? mediaType ?? 'application/octet-stream';
    return (body) => {
      const file = body as FileAnswer;
      const headers = {
        'content-type': file.mediaType ?? usual,
        'content-disposition': dispositionOf(file.fileName),
      };
      return { headers, body: file.content };
    };
  }
  if (mediaType === undefined) return null;
  const headers = Object.freeze({ 'content-type': mediaType });
  return (body) => {
    const isText = typeof body === 'string' || body instanceof Uint8Array;
    return { headers, body: isText ? body : JSON.stringify(body) };
  };
}
