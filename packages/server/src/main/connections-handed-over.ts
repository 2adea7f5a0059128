import type { Worker } from 'node:cluster';

/**
 * Connections that were handed to a process which ended before it took them. Node waits for its word for ever, and the
 * connection with it: nobody answers it and nobody closes it. Here each is handed to another process once the one that ended has
 * said all that it had to say, or closed where there is none. A process gives its word before it reads from a connection, so of
 * such a one nothing was read.
 *
 * Node has no interface for this: the messages are those of its `internal/cluster`, and test/faults/processes.test.ts fails when
 * they change.
 */
export function rescueConnections({ process: child }: Worker, hasOthers: () => boolean): void {
  /** By the number under which the process would give its word. */
  const handedOver = new Map<unknown, unknown>();
  child.send = new Proxy(child.send, {
    apply(send, self, args) {
      const [message, connection] = args;
      if (memberOf(message, 'act') === 'newconn') handedOver.set(memberOf(message, 'seq'), connection);
      return Reflect.apply(send, self, args);
    },
  });
  child.on('internalMessage', (message: unknown) => handedOver.delete(memberOf(message, 'ack')));
  let isDisconnected = false;
  child.once('disconnect', () => {
    isDisconnected = true;
  });
  // Its end, and the end of the channel to it.
  child.once('close', () => {
    // Node does not tell of the channel's end while a connection is on its way, and would go on choosing the process.
    if (!isDisconnected) child.emit('disconnect');
    for (const [number, connection] of handedOver) {
      // What a process says that takes no more connections.
      if (hasOthers()) child.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack: number, accepted: false });
      else if (isClosable(connection)) connection.close();
    }
    handedOver.clear();
  });
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

const isClosable = (value: unknown): value is { close(): void } => typeof memberOf(value, 'close') === 'function';
