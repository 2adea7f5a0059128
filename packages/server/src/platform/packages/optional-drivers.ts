import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SourceError } from '../sources/source-error.ts';

/** Optional peers of the server, which npm doesn't install with it (docs/adr/0100). */
export type OptionalDriver = 'tedious';

/** Loads drivers on first use. */
export interface Drivers {
  /** Returns the package's exports. Throws SourceError `driver_missing`, which names the package. */
  load(driver: OptionalDriver): Promise<unknown>;
}

/** Folder of the installed drivers in DATA_DIR. Each driver has a folder of its own in it. */
export const driversFolder = (dataDir: string): string => join(dataDir, 'drivers');

/** Finds drivers in the folder, or in the server's own `node_modules`. */
export function createDrivers(folder: string): Drivers {
  const require = createRequire(import.meta.url);
  /** Node also searches `node_modules` in parent folders, which others may be able to write. */
  function installed(driver: OptionalDriver): string | undefined {
    try {
      const place = realpathSync(join(folder, driver));
      const path = require.resolve(driver, { paths: [place] });
      return path.startsWith(place + sep) ? path : undefined;
    } catch {
      return undefined;
    }
  }
  return {
    async load(driver) {
      let path: string;
      try {
        path = installed(driver) ?? require.resolve(driver);
      } catch (cause) {
        throw new SourceError('driver_missing', { driver, cause });
      }
      return import(pathToFileURL(path).href);
    },
  };
}
