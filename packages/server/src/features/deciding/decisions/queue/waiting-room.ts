/** Runs at most this many works at once; the others wait in the order they came. */
export type WaitingRoom = (work: () => Promise<void>) => Promise<void>;

/**
 * Waiting for a customer whose row someone else holds takes a connection. Only a few may wait at once, so that held
 * customers never use up the connections that all others need.
 */
export function createWaitingRoom(seats: number): WaitingRoom {
  const queue: (() => void)[] = [];
  let taken = 0;
  return async (work) => {
    if (taken >= seats) await new Promise<void>((resolve) => queue.push(resolve));
    else taken++;
    try {
      await work();
    } finally {
      const next = queue.shift();
      if (next) next();
      else taken--;
    }
  };
}
