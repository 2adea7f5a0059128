import { createHash } from 'node:crypto';
import { existsSync, globSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Plugin } from 'vite';

const root = join(import.meta.dirname, '../..');
const cache = join(root, 'node_modules/.cache/test-server');

/** What tests start as a process or a thread, all from the same sources: about 2,000 modules each. */
const starts = [
  'packages/cli/src/main.ts',
  'packages/server/src/main/processes/worker-process.ts',
  'packages/server/src/main/threads/*-thread.ts',
  'test/faults/nodes/{export,job,pipeline}-node.ts',
];
const sources = ['packages/{cli,contract,engine,lab,packs,sdk,server}/**/*.{ts,json}', 'test/faults/**/*.ts'];
/** Packages of hundreds of small modules go into the bundle. The others stay where they look for their own files. */
const bundledPackages = new Set(['typebox', 'kysely', 'jose', 'luxon']);
/** Another run may still start servers from a bundle of other sources. */
const oldAfterMs = 86_400_000;

/**
 * Bundles everything that tests start, with `entries.json` for `module-hooks.ts`, and returns the bundle's name. Builds it
 * if a source changed since the last run, which takes two seconds of processor time. A server process then starts in 1.2 s
 * instead of 2.
 */
export async function bundleServer(): Promise<string> {
  const exclude = ['**/node_modules/**', '**/*.test.ts'];
  const name = hashOf([
    ...globSync(sources, { cwd: root, exclude }),
    'package-lock.json',
    'tools/tests/server-bundle.ts',
  ]);
  const folder = join(cache, name);
  if (existsSync(folder)) return name;
  const draft = `${folder}.${process.pid}`;
  const entries = globSync(starts, { cwd: root, exclude });
  try {
    await build(draft, entries);
    const files = entries.map((entry) => [pathToFileURL(join(root, entry)).href, `${nameOf(entry)}.js`]);
    writeFileSync(join(draft, 'entries.json'), JSON.stringify(Object.fromEntries(files)));
    for (const other of readdirSync(cache).map((each) => join(cache, each))) {
      if (Date.now() - statSync(other).mtimeMs > oldAfterMs) rmSync(other, { recursive: true, force: true });
    }
    renameSync(draft, folder);
  } catch (error) {
    // Another run may have built the same bundle in the meantime.
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return name;
}

/** Returns the option of node that loads the hooks with a bundle, or without one. */
export function hooksOption(bundle: string | null): string {
  const hooks = pathToFileURL(join(import.meta.dirname, 'module-hooks.ts')).href;
  return `--import=${hooks}${bundle === null ? '' : `?bundle=${bundle}`}`;
}

function hashOf(files: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of files.toSorted()) {
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(join(root, file)))
      .update('\0');
  }
  return hash.digest('hex').slice(0, 16);
}

const nameOf = (entry: string): string => entry.replaceAll('/', '-').replace(/\.ts$/, '');

async function build(folder: string, entries: readonly string[]): Promise<void> {
  const { build: bundle } = await import('vite');
  await bundle({
    root,
    configFile: false,
    envFile: false,
    logLevel: 'error',
    plugins: [standAtSource],
    ssr: { noExternal: true },
    build: {
      ssr: true,
      target: 'node24',
      minify: false,
      outDir: folder,
      rolldownOptions: {
        input: Object.fromEntries(entries.map((entry) => [nameOf(entry), join(root, entry)])),
        output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  });
}

/** Modules find files and programs next to their source, and packages from there. */
const standAtSource: Plugin = {
  name: 'stand-at-source',
  enforce: 'pre',
  resolveId(id, importer) {
    if (importer === undefined || /^[./]|^node:|^@arbiter\//.test(id) || importer.includes('/node_modules/'))
      return null;
    if (bundledPackages.has(id.split('/')[0] ?? '')) return null;
    return { id, external: true };
  },
  transform(code, file) {
    if (!code.includes('import.meta.') || file.includes('/node_modules/')) return null;
    return code
      .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(file).href))
      .replaceAll('import.meta.dirname', JSON.stringify(dirname(file)));
  },
};
