// The program of a server process that another one has started (processes.ts). Nothing else is loaded before the cache of
// compiled sources is on, as in the program of the command line.
import module from 'node:module';

module.enableCompileCache();
const { runWorkerProcess } = await import('./worker-process.ts');
runWorkerProcess();
