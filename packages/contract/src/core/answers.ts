/** Responses other than a single JSON text. Handlers return them where the operation declares such a response. */

/** Bytes that are ready, or that arrive while they are sent. */
export type Content = Uint8Array | string | AsyncIterable<Uint8Array | string>;

/** An answer that is saved as a file: sent with `Content-Disposition: attachment` (RFC 6266). */
export interface FileAnswer {
  /** Suggested name; any characters. */
  readonly fileName: string;
  /** One of the response's declared types; default: the first. */
  readonly mediaType?: string;
  readonly content: Content;
}

/** One event of a stream of events (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
export interface ServerSentEvent {
  /** The client sends it back as `Last-Event-ID` when it reconnects. No line break. */
  readonly id?: string;
  /** Default `message`. No line break. */
  readonly event?: string;
  /** JSON. */
  readonly data: unknown;
}
