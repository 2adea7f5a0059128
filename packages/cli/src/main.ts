import { createInterface } from 'node:readline/promises';
import { run } from './run.ts';

async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return await lines.question(question);
  } finally {
    lines.close();
  }
}

const shell = {
  environment: process.env,
  print: (line: string) => process.stdout.write(`${line}\n`),
  warn: (line: string) => process.stderr.write(`${line}\n`),
  ...(process.stdin.isTTY ? { ask } : {}),
};

try {
  process.exitCode = await run(process.argv.slice(2), shell);
} catch (error) {
  // Unexpected: a database that cannot be started, a full disk, a bug. The stack is printed only on request.
  const isDetailed = ['debug', 'trace'].includes(process.env.LOG_LEVEL ?? '');
  const message = error instanceof Error ? error.message || error.name : String(error);
  shell.warn(`arbiter: ${message}${isDetailed ? '' : ' (LOG_LEVEL=debug shows where)'}`);
  if (isDetailed && error instanceof Error) shell.warn(error.stack ?? '');
  process.exitCode = 1;
}
