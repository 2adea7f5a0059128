import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Content, ServerSentEvent } from '@arbiter/contract';

/** Bytes of an answer that come while it is sent. */
export type Chunks = AsyncIterable<Uint8Array | string>;

export function isChunks(content: Content | null): content is Chunks {
  return typeof content === 'object' && content !== null && Symbol.asyncIterator in content;
}

/** An event stream that says nothing for so long sends a comment, or proxies would take it for dead. */
const heartbeatMs = 15_000;

/**
 * Events as they go over the wire (https://html.spec.whatwg.org/multipage/server-sent-events.html). Ends with its source,
 * or when `signal` is aborted; the source is told by its `return`.
 */
export async function* eventChunks(
  events: AsyncIterable<ServerSentEvent>,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const source = events[Symbol.asyncIterator]();
  const left = whenAborted(signal);
  try {
    // The first bytes at once: the client learns that the stream is open.
    yield ': open\n\n';
    let next = source.next();
    while (!signal.aborted) {
      const beat = sleep(heartbeatMs);
      const winner = await Promise.race([next, beat.over, left]);
      beat.cancel();
      if (winner === 'left') return;
      if (winner === 'beat') {
        yield ': still here\n\n';
        continue;
      }
      if (winner.done === true) return;
      yield eventText(winner.value);
      next = source.next();
    }
  } finally {
    // A source that waits for its next event ends when its abort signal fires; this call does not wait for that.
    source.return?.().catch(() => undefined);
  }
}

function eventText({ id, event, data }: ServerSentEvent): string {
  for (const name of [id, event]) {
    if (name !== undefined && /[\r\n\0]/.test(name))
      throw new Error('the id or name of an event contains a line break');
  }
  const head = `${id === undefined ? '' : `id: ${id}\n`}${event === undefined ? '' : `event: ${event}\n`}`;
  // JSON text has no line break of its own.
  return `${head}data: ${JSON.stringify(data)}\n\n`;
}

function whenAborted(signal: AbortSignal): Promise<'left'> {
  if (signal.aborted) return Promise.resolve('left');
  return once(signal, 'abort').then(() => 'left');
}

function sleep(ms: number): { readonly over: Promise<'beat'>; cancel(): void } {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<'beat'>((resolve) => {
    timer = setTimeout(() => resolve('beat'), ms);
  });
  return { over, cancel: () => clearTimeout(timer) };
}

/**
 * Writes the chunks as fast as the client takes them, then ends the answer. Rejects when the source fails; the answer is
 * cut off then, so that the client does not take it for whole. A client who leaves, or takes nothing for `patienceMs`,
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
