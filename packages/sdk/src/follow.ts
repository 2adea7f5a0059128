import { ApiError, isProblem } from './api-error.ts';
import type { CallerOptions } from './caller.ts';
import { type ResponseEvent, readEvents } from './events.ts';
import { type Callable, type LooseInput, requestOf } from './request.ts';

/**
 * Reads operations that answer with an open event stream, such as `events.stream`. A separate entry point
 * (`@arbiter/sdk/follow`), because most programs don't need streams.
 */

export interface FollowOptions extends Pick<CallerOptions, 'baseUrl' | 'apiKey' | 'tenantId' | 'fetch'> {
  /** A stream without a byte for this long counts as broken; default 40,000 ms. The server sends one every 15 seconds. */
  readonly silenceMs?: number;
}

const defaultSilenceMs = 40_000;

/**
 * Opens the stream and yields its events until the server ends it. Servers end streams regularly: open the next one after
 * the last event's `id`. Throws ApiError if the server refuses, a TimeoutError after silence, and what `fetch` throws for
 * network failures.
 */
export async function* followOperation(
  operation: Callable,
  input: LooseInput,
  options: FollowOptions,
): AsyncGenerator<ResponseEvent> {
  const silenceMs = options.silenceMs ?? defaultSilenceMs;
  const silence = new AbortController();
  const end = () => silence.abort(new DOMException('The event stream is silent.', 'TimeoutError'));
  let timer = setTimeout(end, silenceMs);
  const onBytes = () => {
    clearTimeout(timer);
    timer = setTimeout(end, silenceMs);
  };
  const signal = input.signal === undefined ? silence.signal : AbortSignal.any([input.signal, silence.signal]);
  try {
    const baseUrl = options.baseUrl.replace(/\/+$/, '');
    const { url, init } = requestOf(operation, { ...input, signal }, baseUrl, options, 'strict');
    const headers = new Headers(init.headers);
    headers.set('accept', 'text/event-stream');
    const response = await (options.fetch ?? globalThis.fetch)(url, { ...init, headers });
    onBytes();
    if (!response.ok || response.body === null) throw await refusalOf(operation, response);
    yield* readEvents(chunksOf(response.body, onBytes));
  } finally {
    clearTimeout(timer);
    // Closes the connection if the caller left early.
    silence.abort();
  }
}

async function refusalOf(operation: Callable, response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => null);
  return new ApiError(operation.id, response.status, isProblem(body) ? body : null);
}

/** Not every browser can iterate over a stream. */
async function* chunksOf(body: ReadableStream<Uint8Array>, onBytes: () => void): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    onBytes();
    yield value;
  }
}
