// Bundles the command line, server processes and threads into packages/server/dist (docs/adr/0103). tools/build.js starts it
// with the stamp of the sources. Writes into a folder beside `dist` and puts it there in the end, so that no server starts
// from half a bundle.
import { existsSync, globSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { bundleModules } from './bundle-modules.ts';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'packages/server/dist');
const draft = `${dist}.${process.pid}`;
const [, , stamp = ''] = process.argv;

/** What starts as a process or a thread. */
const programs = [
  'packages/cli/src/main.ts',
  'packages/server/src/main/processes/process-entry.ts',
  ...globSync('packages/server/src/main/threads/*-thread.ts', { cwd: root }),
];
const nameOf = (path: string): string => basename(path, '.ts');

try {
  await bundleModules(draft, Object.fromEntries(programs.map((path) => [path, nameOf(path)])));
  writeFileSync(join(draft, '.stamp'), stamp);
  if (existsSync(dist)) renameSync(dist, `${draft}.old`);
  renameSync(draft, dist);
} finally {
  for (const folder of [draft, `${draft}.old`]) rmSync(folder, { recursive: true, force: true });
}
