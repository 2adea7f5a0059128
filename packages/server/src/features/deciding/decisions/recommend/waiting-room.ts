/** Runs at most so many works at once; the others wait in the order they came. */
export type WaitingRoom = (work: () => Promise<void>) => Promise<void>;

/**
 * Waiting for a customer whose row somebody else holds takes a connection each. A few may wait at once, so that held
 * customers never use up the connections that all others are decided on.
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
