import type { ServerResponse } from 'node:http';
import type { Content, ServerSentEvent } from '@arbiter/contract';
import { orAborted } from '../../platform/deadline.ts';

/** Bytes of an answer that are produced while it's sent. */
export type Chunks = AsyncIterable<Uint8Array | string>;

export function isChunks(content: Content | null): content is Chunks {
  return typeof content === 'object' && content !== null && Symbol.asyncIterator in content;
}

/** An event stream that's silent this long sends a comment; otherwise proxies would assume it's dead. */
const heartbeatMs = 15_000;

/**
 * Yields events in wire format (https://html.spec.whatwg.org/multipage/server-sent-events.html). Ends with its source
 * or when `signal` is aborted; then it calls the source's `return`.
 */
export async function* eventChunks(
  events: AsyncIterable<ServerSentEvent>,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const source = events[Symbol.asyncIterator]();
  try {
    // Send the first bytes right away, so the client knows the stream is open.
    yield ': open\n\n';
    let next = source.next();
    while (!signal.aborted) {
      const beat = sleep(heartbeatMs);
      const winner = await orAborted(Promise.race([next, beat.over]), signal).finally(beat.cancel);
      if (winner === 'beat') {
        yield ': still here\n\n';
        continue;
      }
      if (winner.done === true) return;
      yield eventText(winner.value);
      next = source.next();
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    // A source waiting for its next event ends when its abort signal fires. Don't wait for that.
    source.return?.().catch(() => undefined);
  }
}

function eventText({ id, event, data }: ServerSentEvent): string {
  for (const name of [id, event]) {
    if (name !== undefined && /[\r\n\0]/.test(name))
      throw new Error('the ID or name of an event contains a line break');
  }
  const head = `${id === undefined ? '' : `id: ${id}\n`}${event === undefined ? '' : `event: ${event}\n`}`;
  // JSON text contains no line breaks.
  return `${head}data: ${JSON.stringify(data)}\n\n`;
}

function sleep(ms: number): { readonly over: Promise<'beat'>; cancel(): void } {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<'beat'>((resolve) => {
    timer = setTimeout(() => resolve('beat'), ms);
  });
  return { over, cancel: () => clearTimeout(timer) };
}

/**
 * Writes the chunks as fast as the client reads them, then ends the answer. Rejects when the source fails, and cuts the
 * answer off, so that the client doesn't take it for complete. A client that leaves, or reads nothing for `patienceMs`,
 * ends the source.
 */
export async function writeChunks(response: ServerResponse, chunks: Chunks, patienceMs: number): Promise<void> {
  try {
    for await (const chunk of chunks) {
      if (response.destroyed) return;
      if (!response.write(chunk)) await writable(response, patienceMs);
    }
    response.end();
  } catch (error) {
    response.destroy();
    throw error;
  }
}

function writable(response: ServerResponse, patienceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => response.destroy(), patienceMs);
    const done = (): void => {
      clearTimeout(timer);
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}
