// Preloaded into a server under test (`--import`): SIGUSR2 blocks the process's event loop for good.
import { writeSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  process.on('SIGUSR2', () => {
    writeSync(1, '{"msg":"hangs"}\n');
    for (;;);
  });
}
