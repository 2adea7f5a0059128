import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';

/** A file of the built console, with its compressed forms. */
export interface DistFile {
  readonly mediaType: string;
  readonly bytes: Uint8Array;
  readonly brotli: Uint8Array | null;
  readonly gzip: Uint8Array | null;
}

/** One build of the console, wholly in memory: a build next to the running server can't mix with it. */
export interface Build {
  /** index.html. */
  readonly page: string;
  /** By path, `/assets/index-3f9a.js`; index.html is not among them. */
  readonly files: ReadonlyMap<string, DistFile>;
}

/** Reads the console's build when it is first asked for, and again when there is a newer one. Null while there is none. */
export interface Dist {
  read(): Promise<Build | null>;
}

/** @param folder packages/console/dist, which tools/build.js replaces as a whole */
export function createDist(folder: string): Dist {
  let known: { readonly changedAt: number; readonly build: Promise<Build> } | null = null;
  return {
    async read() {
      const changedAt = await changeOf(join(folder, 'index.html'));
      if (changedAt === null) return known?.build ?? null;
      if (known?.changedAt !== changedAt) {
        const build = readBuild(folder);
        known = { changedAt, build };
        // A build that cannot be read is read again at the next request.
        build.catch(() => {
          if (known?.build === build) known = null;
        });
      }
      return known.build;
    },
  };
}

/** Returns the text of a file in the build; null if it doesn't exist. */
export async function readTextOf(dist: Dist, path: string): Promise<string | null> {
  const bytes = (await dist.read())?.files.get(path)?.bytes;
  return bytes === undefined ? null : Buffer.from(bytes).toString('utf8');
}

/** Epoch ms of the last change; null if the file doesn't exist. */
async function changeOf(file: string): Promise<number | null> {
  try {
    return (await stat(file)).mtimeMs;
  } catch (error) {
    if (error instanceof Error && Reflect.get(error, 'code') === 'ENOENT') return null;
    throw error;
  }
}

async function readBuild(folder: string): Promise<Build> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    // What begins with a dot is for the build itself: stamp and manifest.
    .filter((path) => !path.startsWith('.'));
  const bytes = new Map(
    await Promise.all(
      paths.map(async (path) => [`/${path.split(sep).join('/')}`, await readFile(join(folder, path))] as const),
    ),
  );
  const page = bytes.get('/index.html');
  if (page === undefined) throw new Error(`${folder} has no index.html`);
  const files = new Map<string, DistFile>();
  for (const [path, content] of bytes) {
    if (path === '/index.html' || path.endsWith('.br') || path.endsWith('.gz')) continue;
    files.set(path, {
      mediaType: mediaTypes[extname(path)] ?? 'application/octet-stream',
      bytes: content,
      brotli: bytes.get(`${path}.br`) ?? null,
      gzip: bytes.get(`${path}.gz`) ?? null,
    });
  }
  return { page: page.toString('utf8'), files };
}

const mediaTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};
