import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { extname, join, resolve } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build, type Plugin } from 'vite';
import { bundleProofPage } from './bundle-proof.ts';

/**
 * The console's bundle: what tools/build.js starts. Writes into a folder beside `dist` and puts it there in the end, so
 * that neither a running server nor a second build sees half of it. Beside what Vite writes stand:
 *
 * - a brotli and a gzip form of each text, so that the server compresses nothing
 * - proof.html: the page of a proof file
 * - licences.json: the packages whose code, styles or fonts are in it, with version and licence
 * - .stamp: what it was built from; .vite/manifest.json: who loads whom
 */

const root = join(import.meta.dirname, '..');
const consoleFolder = join(root, 'packages/console');
const dist = join(consoleFolder, 'dist');
const made = `${dist}.${process.pid}`;
const [, , stamp = ''] = process.argv;

interface Bundled {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** Text of the license file; null if the package has none. */
  readonly text: string | null;
}

/** Folders of packages with files in the bundle. Base styles come inside a style sheet without a file name. */
const packageFolders = new Set([join(root, 'node_modules/tailwindcss')]);

const collectPackages: Plugin = {
  name: 'collect-packages',
  generateBundle(_options, bundle) {
    const files = Object.values(bundle).flatMap((part) =>
      part.type === 'chunk'
        ? Object.keys(part.modules)
        : part.originalFileNames.map((name) => resolve(consoleFolder, name)),
    );
    for (const file of files) {
      const folder = /^\0?(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/.exec(file)?.[1];
      if (folder !== undefined && existsSync(join(folder, 'package.json'))) packageFolders.add(folder);
    }
  },
};

function readPackages(): Bundled[] {
  const found = [...packageFolders].map((folder): Bundled => {
    const { name, version, license = 'unknown' } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((each) => /^(licen[cs]e|copying)/i.test(each));
    return { name, version, license, text: file === undefined ? null : readFileSync(join(folder, file), 'utf8') };
  });
  const own = found.filter(({ name }) => !name.startsWith('@arbiter/'));
  return own.sort((a, b) => (`${a.name}@${a.version}` < `${b.name}@${b.version}` ? -1 : 1));
}

const texts = new Set(['.css', '.js', '.json', '.svg', '.txt', '.html', '.map']);
/** Below this size, compression saves less than its headers cost. */
const minBytes = 512;

function compress(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.name.startsWith('.')) continue;
    if (entry.isDirectory()) compress(path);
    // The server completes index.html for each response.
    else if (texts.has(extname(path)) && entry.name !== 'index.html' && statSync(path).size >= minBytes) {
      const bytes = readFileSync(path);
      const quality = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
      writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params: quality }));
      writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
    }
  }
}

const startedAt = performance.now();
try {
  await build({
    root: consoleFolder,
    configFile: join(consoleFolder, 'vite.config.ts'),
    logLevel: 'error',
    plugins: [collectPackages],
    build: { outDir: made, emptyOutDir: true, manifest: true },
  });
  writeFileSync(join(made, 'proof.html'), await bundleProofPage(consoleFolder));
  writeFileSync(join(made, 'licences.json'), JSON.stringify(readPackages()));
  compress(made);
  writeFileSync(join(made, '.stamp'), stamp);
  const old = `${made}.old`;
  if (existsSync(dist)) renameSync(dist, old);
  renameSync(made, dist);
  rmSync(old, { recursive: true, force: true });
} finally {
  rmSync(made, { recursive: true, force: true });
}
console.log(`arbiter: built the console in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
