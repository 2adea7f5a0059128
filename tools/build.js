#!/usr/bin/env node
// Builds the console (packages/console/dist) and bundles the server (packages/server/dist). Plain JavaScript, because npm
// runs it (`prepare`, `prestart`) under any installed Node from 20 on. The bundler itself runs under the repository's own
// Node.
//
// --if-stale   skips what was built from these very sources
// --required   fails if something can't be built; otherwise prints one line that says why, and Arbiter runs without it
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const options = new Set(process.argv.slice(2));
const isRequired = options.has('--required');

const targets = [
  {
    name: 'the console was',
    without: 'The server runs without it',
    dist: join(root, 'packages/console/dist'),
    first: 'index.html',
    bundler: 'bundle-console.ts',
    packages: ['console', 'contract', 'sdk', 'engine'],
    tools: ['bundle-console.ts', 'bundle-proof.ts'],
  },
  {
    name: "the server's bundle was",
    without: 'The server starts from its sources, slower',
    dist: join(root, 'packages/server/dist'),
    first: 'main.js',
    bundler: 'bundle-server.ts',
    packages: ['cli', 'contract', 'engine', 'lab', 'packs', 'sdk', 'server'],
    tools: ['bundle-server.ts', 'bundle-modules.ts'],
  },
];

let failed = false;
for (const target of targets) {
  const stamp = stampOf(target);
  if (options.has('--if-stale') && isFresh(target, stamp)) continue;
  const [problem, details] = build(target, stamp);
  if (problem === null) continue;
  failed = true;
  if (isRequired && details !== '') console.error(details);
  const remedy = isRequired ? '' : ` ${target.without}. Run "npm run build" for details.`;
  console.error(`arbiter: ${target.name} not built: ${problem}.${remedy}`);
}
process.exit(failed && isRequired ? 1 : 0);

/** Hashes everything that goes into the build. */
function stampOf({ packages, tools }) {
  const sources = packages.flatMap((name) => filesBelow(join(root, 'packages', name)));
  const others = ['package-lock.json', 'tools/build.js', ...tools.map((name) => `tools/${name}`)].map((path) =>
    join(root, path),
  );
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
    return entry.isFile() && !entry.name.includes('.test.') ? [path] : [];
  });
}

function isFresh({ dist, first }, wanted) {
  const file = join(dist, '.stamp');
  return existsSync(file) && existsSync(join(dist, first)) && readFileSync(file, 'utf8') === wanted;
}

/** Returns what went wrong, with the output; null if the build succeeded. */
function build({ bundler, packages }, wanted) {
  if (packages.some((name) => !existsSync(join(root, 'packages', name, 'package.json'))))
    return ['its sources are missing', ''];
  if (!existsSync(join(root, 'node_modules/vite/package.json'))) return ['Vite is not installed', ''];
  const node = nodeForTypeScript();
  if (node === null) return [`it requires Node 22.18 or newer, and this is ${process.version}`, ''];
  const run = spawnSync(node, [join(root, 'tools', bundler), wanted], { cwd: root, encoding: 'utf8' });
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
