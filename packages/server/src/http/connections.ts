import type { Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';

/** Limits of one connection. */
export const connectionLimits = {
  /** A client that takes no byte of an answer for so long is cut, in ms. One that reads, however slowly, is served. */
  writeDeadlineMs: 10_000,
  /** Requests of one connection that are served at once; further ones of a pipeline wait for their turn. */
  served: 8,
  /** Requests that may wait so; a client that sends still more without reading is cut. */
  waiting: 64,
  /** When the server closes, a connection that has brought nothing has so long to bring its first request, in ms. */
  firstRequestMs: 500,
} as const;

/**
 * Keeps one client from holding a connection, or the memory of its answers, for ever: requests of a pipeline are served
 * a few at a time, and who takes nothing of an answer is cut (docs/design/quality.md T33).
 */
export interface Connections {
  /**
   * For a request that came while others of its connection were not answered (its response has no socket yet): calls
   * `serve` now, or when enough of those before it are answered; never, when the connection is cut.
   */
  enterBehind(response: ServerResponse, serve: () => void): void;
  /** To be called when an answer was handed over whole: watches the client while it has not taken all of it. */
  sent(response: ServerResponse): void;
}

export type CutReason = 'write_deadline' | 'pipeline';

interface Pipeline {
  /** Requests behind the one that is being answered, those that wait for their turn included. */
  behind: number;
  readonly waiting: (() => void)[];
}

export function createConnections(
  onCut: (reason: CutReason) => void,
  limits: Readonly<Record<keyof typeof connectionLimits, number>> = connectionLimits,
): Connections {
  const pipelines = new WeakMap<Socket, Pipeline>();

  function watch(socket: Socket, response: ServerResponse): void {
    // Node counts bytes that the system takes as activity, also in the middle of an answer. Bytes that come in would
    // count as well, so none are read meanwhile: who takes no answers has nothing to ask.
    const onTimeout = (): void => {
      onCut('write_deadline');
      socket.destroy();
    };
    socket.pause();
    socket.setTimeout(limits.writeDeadlineMs, onTimeout);
    // Before node's own listener, which sets the time for the next request.
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
      // Its turn on the socket has come: the answers before it are with the operating system.
      response.once('socket', () => {
        pipeline.behind -= 1;
        waiting.shift()?.();
      });
      // The first of a connection's requests stands behind no other, and is served as well.
      if (pipeline.behind < limits.served) serve();
      else waiting.push(serve);
    },
    sent(response) {
      if (response.socket !== null) watchIfHeldUp(response);
      // Its bytes are written right after the socket was given to it.
      else response.once('socket', () => process.nextTick(watchIfHeldUp, response));
    },
  };
}

/**
 * Answers with what ends the connections on which nothing ever came, a little later, so that a request that is on its way is
 * still served. Browsers open connections ahead of need; node takes them for busy, and a server that closes would wait for
 * them until its time is up.
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
    // What came while the process was busy is read before the immediate runs.
    setTimeout(() => setImmediate(end), withinMs).unref();
  };
}
