import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { exitCodes } from './exit-codes.ts';
import { run } from './run.ts';

/** Asks on standard error, so that standard output holds the answer alone. */
async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await lines.question(question);
  } finally {
    lines.close();
  }
}

/** A password is not shown while it is typed: the terminal's echo goes to an output that drops it. */
async function askSecretly(question: string): Promise<string> {
  process.stderr.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  try {
    return await lines.question('');
  } finally {
    lines.close();
    process.stderr.write('\n');
  }
}

const shell = {
  environment: process.env,
  print: (line: string) => process.stdout.write(`${line}\n`),
  warn: (line: string) => process.stderr.write(`${line}\n`),
  ...(process.stdin.isTTY ? { ask, askSecretly } : {}),
};

/** Ctrl+C or Ctrl+D at a question. */
const isCanceled = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError';

try {
  process.exitCode = await run(process.argv.slice(2), shell);
} catch (error) {
  if (isCanceled(error)) {
    shell.warn('\narbiter: canceled');
    process.exit(exitCodes.canceled);
  }
  // Unexpected: a database that cannot be started, a full disk, a bug. The stack is printed only on request.
  const isDetailed = ['debug', 'trace'].includes(process.env.LOG_LEVEL ?? '');
  const message = error instanceof Error ? error.message || error.name : String(error);
  shell.warn(`arbiter: ${message}${isDetailed ? '' : ' (LOG_LEVEL=debug shows where)'}`);
  if (isDetailed && error instanceof Error) shell.warn(error.stack ?? '');
  process.exitCode = 1;
}
