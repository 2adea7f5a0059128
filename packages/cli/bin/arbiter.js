#!/usr/bin/env node
// Entry point for any Node: Node 22.18 and newer run the bundle, or the TypeScript sources if they have changed since. On an
// older version, this file starts the Node 24 that `npm install` put in node_modules, with the same arguments, streams and
// exit code.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import module from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const self = fileURLToPath(import.meta.url);
const here = dirname(self);
const packages = join(here, '..', '..');
const [major, minor] = process.versions.node.split('.').map(Number);

if (major > 22 || (major === 22 && minor >= 18)) {
  // Caches stripped and compiled sources: commands start in half the time, and the server needs 30 MB
  // less memory, because the stripper is never loaded.
  module.enableCompileCache?.();
  if (isBundleFresh()) await import(pathToFileURL(join(packages, 'server/dist/main.js')).href);
  else await import('../src/main.ts');
} else {
  const node = findNode();
  if (node === null) {
    console.error(`arbiter requires Node 22.18 or newer. This is ${process.version}, and node_modules has no other.`);
    process.exit(2);
  }
  const child = spawn(node, [self, ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/** Returns the `node` in the nearest node_modules/.bin, installed by an optional dependency, or null. */
function findNode() {
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  for (let folder = here; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', '.bin', name);
    if (existsSync(candidate)) return candidate;
    if (dirname(folder) === folder) return null;
  }
}

/** Whether the bundle (tools/build.js) is newer than every source and every folder of sources. */
function isBundleFresh() {
  const stamp = statSync(join(packages, 'server', 'dist', '.stamp'), { throwIfNoEntry: false });
  if (stamp === undefined) return false;
  const isOlder = (path) => statSync(path).mtimeMs <= stamp.mtimeMs;
  return ['cli', 'contract', 'engine', 'lab', 'packs', 'sdk', 'server'].every((name) => {
    const sources = join(packages, name, 'src');
    return isOlder(sources) && readdirSync(sources, { recursive: true }).every((path) => isOlder(join(sources, path)));
  });
}
