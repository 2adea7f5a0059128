import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/**
 * Modules that start a server, a database, a browser or another program. A test that imports one, directly or not,
 * isn't fast.
 */
const slowModules = new Set([
  'packages/server/src/db/embedded/embedded-postgres.ts',
  'packages/server/src/db/test-database.ts',
  'node:child_process',
  'playwright-core',
]);

/**
 * Returns those test files that need no server, database or browser: no chain of their imports leads to one of `slowModules`.
 *
 * @param files paths from the root of the repository
 */
export function fastFiles(files: readonly string[], sourceOf: (file: string) => string = readSource): string[] {
  const imports = new Map<string, readonly string[]>();
  const importsOf = (file: string): readonly string[] => {
    const known = imports.get(file);
    if (known !== undefined) return known;
    const found = importedBy(file, sourceOf(file));
    imports.set(file, found);
    return found;
  };
  const isFast = (start: string): boolean => {
    const seen = new Set([start]);
    for (const file of seen) {
      for (const target of importsOf(file)) {
        if (slowModules.has(target)) return false;
        if (target.endsWith('.ts') || target.endsWith('.tsx')) seen.add(target);
      }
    }
    return true;
  };
  return files.map((file) => normalize(file)).filter(isFast);
}

function readSource(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

/**
 * Returns the modules that a source imports at run time: relative ones as paths from the root, others by name. Types
 * don't count.
 */
function importedBy(file: string, source: string): string[] {
  const statements = source.matchAll(
    /^(?:import|export)\s(?!type\s)[^;]*?from\s+'([^']+)'|\bimport\(\s*'([^']+)'|^import '([^']+)'/gm,
  );
  return [...statements].map(([, from, dynamic, bare]) => {
    const specifier = from ?? dynamic ?? bare ?? '';
    return specifier.startsWith('.') ? normalize(join(dirname(file), specifier)) : specifier;
  });
}
