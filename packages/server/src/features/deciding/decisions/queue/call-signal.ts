/** Lets the threads of a process know whether calls were decided recently. */
export interface CallSignal {
  /** Records that a batch of calls begins. */
  note(): void;
  isRecent(): boolean;
}

/** Age up to which a batch of calls counts as recent. */
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
