// Runs test files in this process, one after the other. Arguments: a file for failures (failure-reporter.ts), a file for the
// processor time of each test file (file-clock.ts), the time limit of a test in ms, the test files.
import asyncHooks from 'node:async_hooks';
import { createWriteStream, writeFileSync } from 'node:fs';

// node:test follows every promise to the test that created it, to name the test of an unhandled rejection, which costs a
// tenth of the processor time. Without it, the rejection still fails the run (docs/adr/0133).
const { createHook } = asyncHooks;
Object.assign(asyncHooks, {
  createHook: (callbacks: asyncHooks.HookCallbacks) => createHook({ ...callbacks, trackPromises: false }),
});
const { run } = await import('node:test');
Object.assign(asyncHooks, { createHook });
const { spec } = await import('node:test/reporters');
const { default: failureReporter } = await import('./failure-reporter.ts');
const { createFileClock } = await import('./file-clock.ts');

const [report = '', costs = '', timeoutMs, ...files] = process.argv.slice(2);
// Tests stop their servers and databases when the process exits.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
const events = run({ files, isolation: 'none', timeout: Number(timeoutMs) });
events.compose(new spec()).pipe(process.stdout);
events.compose<NodeJS.ReadableStream>(failureReporter).pipe(createWriteStream(report));
const clock = createFileClock(() => process.cpuUsage());
events.on('test:dequeue', clock.onStart);
events.on('test:complete', clock.onEnd);
process.once('exit', () => writeFileSync(costs, JSON.stringify(clock.seconds())));
events.on('test:summary', ({ success }) => {
  if (!success) process.exitCode = 1;
});
