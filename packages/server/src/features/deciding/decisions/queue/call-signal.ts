/** Tells the threads of a process whether calls were decided just now. */
export interface CallSignal {
  /** A batch of calls begins. */
  note(): void;
  isRecent(): boolean;
}

/** How long a batch of calls is recent. */
const recentMs = 100;

/** Memory that the threads of a process share. */
export type CallSignalMemory = Float64Array<SharedArrayBuffer>;

export const callSignalMemory = (): CallSignalMemory => new Float64Array(new SharedArrayBuffer(8));

/** `now`: monotonic ms, the same in all threads. */
export function createCallSignal(memory: CallSignalMemory, now: () => number): CallSignal {
  return {
    note: () => {
      memory[0] = now();
    },
    isRecent: () => now() - (memory[0] ?? 0) < recentMs,
  };
}
