import { Worker } from 'node:worker_threads';

const lookEveryMs = 500;

/** JavaScript, because a thread that strips types needs many times the memory. A parent that changes has ended. */
const watch = `
  const primary = process.ppid;
  setInterval(() => {
    if (process.ppid !== primary) process.kill(process.pid, 'SIGKILL');
  }, ${lookEveryMs});
`;

/**
 * Ends this process with the primary, however that ended. The cluster module does so too, but from this process's event
 * loop and through all exit handlers, which a blocked loop never reaches. A separate thread waits for neither.
 */
export function endWithPrimary(): void {
  process.prependListener('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  new Worker(watch, { eval: true }).unref();
}
