import { dirname, join, relative, sep } from 'node:path';
import { build, type Plugin } from 'vite';

const root = join(import.meta.dirname, '..');

/** Packages of hundreds of small modules go into the bundle. The others stay where they look for their own files. */
const bundledPackages = new Set(['typebox', 'kysely', 'jose', 'luxon']);
/** A program that a module starts: a thread, or a process. */
const programAddress = /new URL\('\.\/([\w-]+-(?:thread|entry))\.ts', import\.meta\.url\)/g;
/** Vite would take `import.meta.url` in the address of a thread for something that it has to bundle. */
const ownUrl = "import.meta['url']";

/** Returns the name of an entry's file in a bundle, without its ending. */
export const bundledName = (entry: string): string => entry.replaceAll('/', '-').replace(/\.ts$/, '');

/**
 * Bundles programs and everything they import into a folder. `entries`: file names, without their endings, by the path of
 * the source from the root. Names and lines stay readable, for stack traces.
 */
export async function bundleModules(folder: string, entries: Readonly<Record<string, string>>): Promise<void> {
  await build({
    root,
    configFile: false,
    envFile: false,
    logLevel: 'error',
    plugins: [standAtSource(folder, entries), asciiOnly],
    ssr: { noExternal: true },
    build: {
      ssr: true,
      target: 'node22',
      minify: false,
      outDir: folder,
      emptyOutDir: true,
      rolldownOptions: {
        input: Object.fromEntries(Object.entries(entries).map(([path, name]) => [name, join(root, path)])),
        output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  });
}

/** Modules find files next to their source, packages from the bundle, and programs in it. */
function standAtSource(folder: string, entries: Readonly<Record<string, string>>): Plugin {
  const pathFromBundle = (path: string): string => relative(folder, path).split(sep).join('/');
  return {
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
      const programs = code.replace(programAddress, (address, name: string) => {
        const bundled = entries[pathFromRoot(join(dirname(file), `${name}.ts`))];
        return bundled === undefined ? address : `new URL('./${bundled}.js', ${ownUrl})`;
      });
      const source = JSON.stringify(pathFromBundle(file));
      const directory = JSON.stringify(pathFromBundle(dirname(file)));
      return programs
        .replaceAll('import.meta.url', `new URL(${source}, ${ownUrl}).href`)
        .replaceAll(
          'import.meta.dirname',
          `process.getBuiltinModule('node:path').join(import.meta['dirname'], ${directory})`,
        );
    },
  };
}

const pathFromRoot = (path: string): string => relative(root, path).split(sep).join('/');

/** A single character beyond ASCII would make V8 store a whole file with two bytes per character. */
const asciiOnly: Plugin = {
  name: 'ascii-only',
  generateBundle(_options, bundle) {
    for (const part of Object.values(bundle)) {
      if (part.type !== 'chunk') continue;
      part.code = part.code.replace(
        /[\u0080-\uffff]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
      );
    }
  },
};
