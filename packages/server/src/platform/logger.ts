import { type Logger, pino } from 'pino';

export type { Logger };

/**
 * The process's logger: JSON lines to stdout. Callers log allowlisted shapes only: no bodies, no raw URLs, no customer
 * ids, no secrets (quality.md T36). Errors go through `describeError`.
 */
export function createLogger(level: string, destination?: { write(line: string): void }): Logger {
  const options = {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: describeError },
  };
  // Lines are gathered and written in blocks: one write per line would cost more than the line itself. Pino writes
  // what is left when the process ends.
  return destination === undefined
    ? pino(options, pino.destination({ fd: 1, sync: false, minLength: 4096, periodicFlush: 500 }))
    : pino(options, destination);
}

interface DescribedError {
  readonly name: string;
  readonly code?: string;
  readonly message?: string;
  readonly stack: readonly string[];
  readonly cause?: DescribedError;
}

const maximumCauses = 3;

/**
 * What the log keeps of an error: name, code, where it was thrown. The message is left out when it may repeat data: the
 * driver's messages quote values and SQL, a parse error quotes its input.
 */
export function describeError(error: unknown, depth = 0): DescribedError {
  if (!(error instanceof Error)) return { name: typeof error, stack: [] };
  const code: unknown = Reflect.get(error, 'code');
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return {
    name: error.name,
    ...(typeof code === 'string' ? { code } : {}),
    ...(mayQuoteData(error) ? {} : { message: error.message }),
    stack: frames.slice(0, 12).map((line) => line.trim()),
    ...(error.cause === undefined || depth >= maximumCauses ? {} : { cause: describeError(error.cause, depth + 1) }),
  };
}

function mayQuoteData(error: Error): boolean {
  return error.name === 'DatabaseError' || error instanceof SyntaxError || Reflect.get(error, 'severity') !== undefined;
}
