import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { exitCodes } from './exit-codes.ts';
import { run } from './run.ts';

/** Prompts on standard error, so that standard output contains only the result. */
async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await lines.question(question);
  } finally {
    lines.close();
  }
}

/** Prompts for a secret. The terminal's echo goes to an output that drops it. */
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

/** Ctrl+C or Ctrl+D at a prompt. */
const isCanceled = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError';

try {
  process.exitCode = await run(process.argv.slice(2), shell);
} catch (error) {
  if (isCanceled(error)) {
    shell.warn('\narbiter: canceled');
    process.exit(exitCodes.canceled);
  }
  // Unexpected: the database can't start, the disk is full, a bug. Print the stack only on request.
  const isDetailed = ['debug', 'trace'].includes(process.env.LOG_LEVEL ?? '');
  const message = error instanceof Error ? error.message || error.name : String(error);
  shell.warn(`arbiter: ${message}${isDetailed ? '' : ' (set LOG_LEVEL=debug for the stack trace)'}`);
  if (isDetailed && error instanceof Error) shell.warn(error.stack ?? '');
  process.exitCode = 1;
}
