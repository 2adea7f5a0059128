import type { Worker } from 'node:cluster';

/**
 * Rescues connections handed to a process that ended before it took them. Node waits forever for that process's
 * acknowledgement, and the connection hangs: nobody answers or closes it. Once the ended process's messages are all in,
 * each connection goes to another process, or is closed if there is none. A process acknowledges before it reads, so
 * nothing was read from these. Node has no API for this: the messages are those of its `internal/cluster`, and
 * test/faults/processes.test.ts fails when they change.
 */
export function rescueConnections({ process: child }: Worker, hasOthers: () => boolean): void {
  /** By the number under which the process would acknowledge. */
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
  // The process and its channel have ended.
  child.once('close', () => {
    // Node does not tell of the channel's end while a connection is on its way, and would go on choosing the process.
    if (!isDisconnected) child.emit('disconnect');
    for (const [number, connection] of handedOver) {
      // Sent by a process that takes no more connections.
      if (hasOthers()) child.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack: number, accepted: false });
      else if (isClosable(connection)) connection.close();
    }
    handedOver.clear();
  });
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

const isClosable = (value: unknown): value is { close(): void } => typeof memberOf(value, 'close') === 'function';
