import { type Logger, pino } from 'pino';

export type { Logger };

/**
 * Creates the process's logger: JSON lines to stdout, or readable lines in a terminal. Log only allowlisted fields: no
 * bodies, raw URLs, customer ids or secrets (docs/design/quality.md T36). Pass errors through `describeError`. Where
 * several processes share an output, each line names its own in `process`.
 */
export function createLogger(
  level: string,
  destination?: { write(line: string): void },
  processName: string | null = null,
): Logger {
  const options = {
    level,
    base: processName === null ? null : { process: processName },
    timestamp: createTimestamp(),
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: describeError },
  };
  return pino(options, destination ?? (process.stdout.isTTY ? terminal(level) : gatheredOutput(processName !== null)));
}

/** For a person at a terminal, who reads lines, not JSON. */
function terminal(level: string): { write(line: string): void } {
  const isDetailed = ['debug', 'trace'].includes(level);
  return { write: (line) => void process.stdout.write(terminalLine(line, isDetailed)) };
}

/**
 * A line of the log as a terminal shows it: time, level where it isn't `info`, step, message, everything else. `isDetailed`: with
 * the stacks of errors.
 */
export function terminalLine(line: string, isDetailed: boolean): string {
  const { time, level, step, msg, ...rest }: Record<string, unknown> = JSON.parse(line);
  const start = [
    String(time).slice(11, 19),
    ...(level === 'info' ? [] : [level]),
    ...(step === undefined ? [] : [step]),
  ];
  const leave = (key: string, value: unknown): unknown => (key === 'stack' && !isDetailed ? undefined : value);
  const others = Object.entries(rest).map(([key, value]) => ` ${key}=${JSON.stringify(value, leave)}`);
  return `${start.join(' ')}: ${String(msg)}${others.join('')}\n`;
}

/** Also the most that a pipe writes atomically for one of several writers (PIPE_BUF of Linux). */
const blockCharacters = 4096;
const longestWaitMs = 250;

/**
 * Standard output, written in blocks, because a write per line would cost more than the line itself. We buffer lines
 * here and not in pino's stream, which measures its whole buffer for each line (7 us and 8 KB of garbage). The rest is
 * written when the process ends. A shared output gets blocks small enough that another process can't interleave them.
 */
function gatheredOutput(shared: boolean): { write(line: string): void; flushSync(): void } {
  let lines = '';
  let timer: NodeJS.Timeout | undefined;
  const handOver = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const block = lines;
    lines = '';
    if (block !== '') output.write(block);
  };
  // Register before creating the stream, which flushes at the same events: our lines must have reached it by then.
  process.on('beforeExit', handOver);
  process.on('exit', handOver);
  const output = pino.destination({
    fd: 1,
    sync: false,
    minLength: 0,
    ...(shared ? { maxWrite: blockCharacters } : {}),
  });
  return {
    write(line) {
      if (shared && lines.length + line.length > blockCharacters) handOver();
      lines += line;
      if (lines.length >= blockCharacters) handOver();
      else timer ??= setTimeout(handOver, longestWaitMs).unref();
    },
    flushSync() {
      handOver();
      output.flushSync();
    },
  };
}

/** The time of a line, as `toISOString` writes it, of which only the milliseconds are new most of the time. */
function createTimestamp(): () => string {
  let second = Number.NaN;
  let start = '';
  return () => {
    const now = Date.now();
    const milliseconds = now % 1000;
    if (now - milliseconds !== second) {
      second = now - milliseconds;
      start = `,"time":"${new Date(second).toISOString().slice(0, 'YYYY-MM-DDTHH:MM:SS.'.length)}`;
    }
    return `${start}${String(milliseconds).padStart(3, '0')}Z"`;
  };
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
 * Returns what the log stores of an error: name, code, where it was thrown. Leaves out a message that may repeat data:
 * the driver's messages quote values and SQL, a parse error quotes its input.
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
