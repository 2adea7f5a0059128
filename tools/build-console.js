#!/usr/bin/env node
// Builds packages/console into its folder `dist`. Plain JavaScript, because npm runs it (`prepare`, `prestart`) under
// any installed Node from 20 on. The bundler itself runs under the repository's own Node.
//
// --if-stale   does nothing if dist was built from these very sources
// --required   fails without a build; otherwise prints one line that says why, and the API works without a console
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(root, 'packages/console/dist');
const options = new Set(process.argv.slice(2));
const isRequired = options.has('--required');

const stamp = stampOf();
const [problem, details] = options.has('--if-stale') && isFresh(stamp) ? [null, ''] : build(stamp);
if (problem !== null) {
  if (isRequired && details !== '') console.error(details);
  const remedy = isRequired ? '' : ' The server runs without it; "npm run console:build" says more.';
  console.error(`arbiter: the console was not built: ${problem}.${remedy}`);
  process.exit(isRequired ? 1 : 0);
}

/** Hashes everything that goes into the build. */
function stampOf() {
  const sources = ['console', 'contract', 'sdk', 'engine'].flatMap((name) => filesBelow(join(root, 'packages', name)));
  const others = [
    'package-lock.json',
    'tools/build-console.js',
    'tools/bundle-console.ts',
    'tools/bundle-proof.ts',
  ].map((path) => join(root, path));
  const hash = createHash('sha256');
  for (const file of [...sources, ...others].filter((path) => existsSync(path)).sort()) {
    // Use the same separators on every system.
    hash.update(relative(root, file).split(sep).join('/')).update('\0').update(readFileSync(file)).update('\0');
  }
  return hash.digest('hex');
}

function filesBelow(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      const isSource = !/^(dist.*|node_modules|corpus|conformance|gallery)$/.test(entry.name);
      return isSource ? filesBelow(path) : [];
    }
    return entry.name.includes('.test.') ? [] : [path];
  });
}

function isFresh(wanted) {
  const file = join(dist, '.stamp');
  return existsSync(file) && existsSync(join(dist, 'index.html')) && readFileSync(file, 'utf8') === wanted;
}

/** Returns what went wrong, with the output; null if the build succeeded. */
function build(wanted) {
  if (!existsSync(join(root, 'packages/console/vite.config.ts'))) return ['its sources are not here', ''];
  if (!existsSync(join(root, 'node_modules/vite/package.json'))) return ['Vite is not installed', ''];
  const node = nodeForTypeScript();
  if (node === null) return [`it takes Node 22.18 or newer, this is ${process.version}`, ''];
  const run = spawnSync(node, [join(root, 'tools/bundle-console.ts'), wanted], { cwd: root, encoding: 'utf8' });
  if (run.error !== undefined) return [run.error.message, ''];
  if (run.status !== 0) return ['the bundler failed', `${run.stdout}${run.stderr}`];
  process.stdout.write(run.stdout);
  return [null, ''];
}

/** Returns this Node, or the one in node_modules, if it can run TypeScript; otherwise null. */
function nodeForTypeScript() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 18)) return process.execPath;
  const own = join(root, 'node_modules/.bin', process.platform === 'win32' ? 'node.exe' : 'node');
  return existsSync(own) ? own : null;
}
