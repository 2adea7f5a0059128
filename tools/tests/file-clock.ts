/** A test or suite as node:test tells of it; nesting 0: at the top of its file. */
interface TestPlace {
  readonly nesting: number;
  readonly file?: string | undefined;
}

/** Processor time of this process so far, in microseconds. */
type ProcessorTime = () => { readonly user: number; readonly system: number };

/** Sums the processor time that each test file takes in a process that runs several, one after the other. */
export interface FileClock {
  /** Before a test or suite starts. What the process did before the first one, such as loading files, counts for none. */
  onStart(place: TestPlace): void;
  /** After a test or suite ended. */
  onEnd(place: TestPlace): void;
  /** Returns the seconds by path. */
  seconds(): Readonly<Record<string, number>>;
}

export function createFileClock(processorTime: ProcessorTime): FileClock {
  const micros = (): number => {
    const { user, system } = processorTime();
    return user + system;
  };
  let counted: number | null = null;
  const sums = new Map<string, number>();
  return {
    onStart({ nesting }) {
      if (nesting === 0) counted ??= micros();
    },
    onEnd({ nesting, file }) {
      if (nesting > 0 || file === undefined) return;
      const now = micros();
      sums.set(file, (sums.get(file) ?? 0) + (now - (counted ?? now)) / 1e6);
      counted = now;
    },
    seconds: () => Object.fromEntries(sums),
  };
}
