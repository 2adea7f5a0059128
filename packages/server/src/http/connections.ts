import type { Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';

/** Limits of one connection. */
export const connectionLimits = {
  /**
   * Milliseconds before we drop a client that reads no byte of an answer. A client that reads, however slowly, is
   * served.
   */
  writeDeadlineMs: 10_000,
  /** Requests of one connection served at the same time. Further ones of a pipeline wait. */
  served: 8,
  /** Maximum waiting requests. We drop a client that sends more without reading. */
  waiting: 64,
  /** When the server closes, milliseconds that an unused connection has to send its first request. */
  firstRequestMs: 500,
} as const;

/**
 * Keeps one client from holding a connection, or the memory of its answers, forever: serves a pipeline's requests a few
 * at a time and drops clients that don't read their answers (docs/design/quality.md T33).
 */
export interface ClientConnections {
  /**
   * Handles a request that arrived before earlier ones on its connection were answered (its response has no socket
   * yet). Calls `serve` now, or once enough of those are answered, or never when the connection is dropped.
   */
  enterBehind(response: ServerResponse, serve: () => void): void;
  /** Call when an answer was handed over completely. Watches the client until it has read all of it. */
  sent(response: ServerResponse): void;
}

export type CutReason = 'write_deadline' | 'pipeline';

interface Pipeline {
  /** Requests behind the one being answered, including those that wait for their turn. */
  behind: number;
  readonly waiting: (() => void)[];
}

export function createConnections(
  onCut: (reason: CutReason) => void,
  limits: Readonly<Record<keyof typeof connectionLimits, number>> = connectionLimits,
): ClientConnections {
  const pipelines = new WeakMap<Socket, Pipeline>();

  function watch(socket: Socket, response: ServerResponse): void {
    // Node counts bytes the system takes as activity, even in the middle of an answer. Incoming bytes would count too,
    // so we read none here: a client that reads no answers has nothing to ask.
    const onTimeout = (): void => {
      onCut('write_deadline');
      socket.destroy();
    };
    socket.pause();
    socket.setTimeout(limits.writeDeadlineMs, onTimeout);
    // Runs before Node's own listener, which sets the time for the next request.
    response.prependOnceListener('finish', () => {
      socket.off('timeout', onTimeout);
      socket.setTimeout(0);
      socket.resume();
    });
  }

  function watchIfHeldUp(response: ServerResponse): void {
    const { socket } = response;
    if (socket instanceof Socket && !socket.destroyed && socket.writableLength > 0 && !response.writableFinished) {
      watch(socket, response);
    }
  }

  return {
    enterBehind(response, serve) {
      const { socket } = response.req;
      if (socket.destroyed) return;
      const pipeline = pipelines.get(socket) ?? { behind: 0, waiting: [] };
      pipelines.set(socket, pipeline);
      const { waiting } = pipeline;
      if (waiting.length >= limits.waiting) {
        onCut('pipeline');
        socket.destroy();
        return;
      }
      pipeline.behind += 1;
      // It's next on the socket: the operating system has the earlier responses.
      response.once('socket', () => {
        pipeline.behind -= 1;
        waiting.shift()?.();
      });
      // The first request of a connection has none before it and is served right away.
      if (pipeline.behind < limits.served) serve();
      else waiting.push(serve);
    },
    sent(response) {
      if (response.socket !== null) watchIfHeldUp(response);
      // Its bytes are written right after it got the socket.
      else response.once('socket', () => process.nextTick(watchIfHeldUp, response));
    },
  };
}

/**
 * Returns a function that closes connections that never sent anything, with a short delay so that a request on its way
 * is still served. Browsers open connections ahead of need. Node counts them as busy, and a closing server would wait
 * for them until the timeout.
 */
export function createUnusedEnd(server: Server, withinMs: number = connectionLimits.firstRequestMs): () => void {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  const end = (): void => {
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
  };
  return () => {
    // Requests that arrived while the process was busy are read before the immediate runs.
    setTimeout(() => setImmediate(end), withinMs).unref();
  };
}
