import { mkdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDrivers, driversFolder } from '../../platform/packages/optional-drivers.ts';
import { installDriver } from './install-driver.ts';

const cache = join(import.meta.dirname, '../../../../../node_modules/.cache/arbiter');

/** Optional drivers for tests, installed once for all. */
export const testDrivers = createDrivers(driversFolder(cache));

/** Longer than npm takes, so the installing process was killed. */
const longestInstallMs = 120_000;

/**
 * Installs the driver of a type like `arbiter connectors install`. Returns the reason to skip its tests if that fails, for `skip` of
 * node:test; otherwise false. With SOURCE_TESTS=required, the tests run anyway and fail.
 */
export async function missingDriver(type: 'sqlserver'): Promise<string | false> {
  const lock = join(cache, 'installing');
  await mkdir(cache, { recursive: true });
  const giveUpAt = Date.now() + longestInstallMs;
  while (!(await isInstalled())) {
    if (await createFolder(lock)) return install(type).finally(() => rmdir(lock));
    if (Date.now() > giveUpAt) return unlessRequired(`${lock} is there, but nobody installs. Delete it.`);
    await sleep(200);
  }
  return false;
}

async function install(type: 'sqlserver'): Promise<string | false> {
  const warnings: string[] = [];
  const shell = {
    environment: { DATA_DIR: cache },
    print: () => undefined,
    warn: (line: string) => warnings.push(line),
  };
  const code = await installDriver(shell, type);
  return code === 0 ? false : unlessRequired(`npm can't install the driver: ${warnings.join(' ')}`);
}

const unlessRequired = (reason: string): string | false => process.env.SOURCE_TESTS !== 'required' && reason;

const isInstalled = (): Promise<boolean> =>
  testDrivers.load('tedious').then(
    () => true,
    () => false,
  );

/** Returns whether the folder is new. */
const createFolder = (folder: string): Promise<boolean> =>
  mkdir(folder).then(
    () => true,
    () => false,
  );
