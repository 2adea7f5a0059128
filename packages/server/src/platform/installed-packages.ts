import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A package that is part of this server. */
export interface InstalledPackage {
  /** Includes the scope. */
  readonly name: string;
  readonly version: string;
  /** As the package declares it; null when it doesn't. */
  readonly license: string | null;
  /** Hex SHA-512 of its archive; null when it is not known. */
  readonly sha512: string | null;
  /** `name@version` of the packages that it uses, as far as they are installed. */
  readonly uses: readonly string[];
}

interface LockEntry {
  readonly version?: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly link?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

type Lock = Readonly<Record<string, LockEntry>>;

const root = join(import.meta.dirname, '../../../..');
const modules = 'node_modules/';

/** Development packages of the console that build it; everything else that it names is bundled into it. */
const buildsConsole = /^(@types\/|@vitejs\/|@tailwindcss\/|vite$)/;

/**
 * Returns the packages installed here for production use, including transitive and native ones, and those bundled into
 * the console, by name and version, without our own. Reads npm's lockfile of the installation and, because the console
 * may have been built elsewhere, the repository's lockfile.
 */
export async function readInstalledPackages(): Promise<InstalledPackage[]> {
  const installed = await readLock('node_modules/.package-lock.json');
  const locked = await readLock('package-lock.json');
  const found = new Map<string, InstalledPackage>();
  for (const [path, entry] of Object.entries(installed)) {
    if (entry.dev !== true && entry.devOptional !== true) add(found, installed, path);
  }
  const lock = Object.keys(locked).length > 0 ? locked : installed;
  for (const path of await bundledPaths(lock)) add(found, lock, path);
  return [...found.entries()].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, each]) => each);
}

async function readLock(path: string): Promise<Lock> {
  const text = await readFile(join(root, path), 'utf8').catch((error: unknown) => {
    if (error instanceof Error && Reflect.get(error, 'code') === 'ENOENT') return '{}';
    throw error;
  });
  const { packages = {} }: { packages?: Lock } = JSON.parse(text);
  return packages;
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf(modules) + modules.length);

function add(found: Map<string, InstalledPackage>, lock: Lock, path: string): void {
  const entry = lock[path];
  if (entry?.version === undefined || entry.link === true || !path.includes(modules)) return;
  const [name, version] = [nameOf(path), entry.version];
  const uses = pathsUsedBy(lock, path).map((used) => `${nameOf(used)}@${lock[used]?.version}`);
  const { license = null, integrity } = entry;
  const sha512 = integrity?.startsWith('sha512-') ? Buffer.from(integrity.slice(7), 'base64').toString('hex') : null;
  found.set(`${name}@${version}`, { name, version, license, sha512, uses: [...new Set(uses)].sort() });
}

/** Returns where a package's dependencies are: the nearest of their name, from its own folder outwards. */
function pathsUsedBy(lock: Lock, path: string): string[] {
  const entry = lock[path];
  const names = Object.keys({ ...entry?.dependencies, ...entry?.optionalDependencies, ...entry?.peerDependencies });
  return names.flatMap((name) => {
    for (let folder = path; ; ) {
      const candidate = folder === '' ? `${modules}${name}` : `${folder}/${modules}${name}`;
      if (lock[candidate]?.version !== undefined) return [candidate];
      if (folder === '') return [];
      const outer = folder.lastIndexOf(`/${modules.slice(0, -1)}/`);
      folder = outer < 0 ? '' : folder.slice(0, outer);
    }
  });
}

/** Returns the console's non-build dependencies and everything they use. */
async function bundledPaths(lock: Lock): Promise<ReadonlySet<string>> {
  const manifest = await readFile(join(root, 'packages/console/package.json'), 'utf8').catch(() => '{}');
  const { devDependencies = {} }: { devDependencies?: Record<string, string> } = JSON.parse(manifest);
  const named = Object.keys(devDependencies).filter((name) => !buildsConsole.test(name));
  const waiting = named.map((name) => `${modules}${name}`).filter((path) => lock[path] !== undefined);
  const seen = new Set(waiting);
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    for (const used of pathsUsedBy(lock, path)) {
      if (seen.has(used)) continue;
      seen.add(used);
      waiting.push(used);
    }
  }
  return seen;
}
