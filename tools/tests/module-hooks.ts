// Preloaded into each process of a test run (`--import`), with `?bundle=<name>` (server-bundle.ts). Programs, processes and
// threads start from their bundle in half the processor time; everything else is read from its source. Node asks the file
// system five times where a relative import leads; here it leads where it says.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const name = new URL(import.meta.url).searchParams.get('bundle');
const folder = name === null ? null : new URL(`../../node_modules/.cache/test-server/${name}/`, import.meta.url);
/** Files of the bundle by the address of the source. */
const bundled: Readonly<Record<string, string>> =
  folder === null ? {} : JSON.parse(readFileSync(new URL('entries.json', folder), 'utf8'));
/** A bundle's packages are those of the server. */
const server = new URL('../../packages/server/src/', import.meta.url).href;

registerHooks({
  resolve(specifier, context, next) {
    const { parentURL } = context;
    const isRelative = specifier.startsWith('.');
    if (isRelative && specifier.endsWith('.ts') && parentURL?.includes('/node_modules/') === false) {
      const { href } = new URL(specifier, parentURL);
      return bundleOf(href) ?? { url: href, format: 'module-typescript', shortCircuit: true };
    }
    const isInBundle = folder !== null && parentURL?.startsWith(folder.href) === true;
    const found = next(specifier, isInBundle && !isRelative ? { ...context, parentURL: server } : context);
    return bundleOf(found.url) ?? found;
  },
});

function bundleOf(source: string): { url: string; format: string; shortCircuit: true } | undefined {
  const file = bundled[source];
  return file === undefined
    ? undefined
    : { url: new URL(file, folder ?? '').href, format: 'module', shortCircuit: true };
}
