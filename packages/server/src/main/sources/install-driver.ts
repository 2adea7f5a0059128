import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Config, readConfig } from '../../config.ts';
import { driversFolder, type OptionalDriver } from '../../platform/packages/optional-drivers.ts';
import type { ServerShell } from '../serve.ts';

/** Drivers that don't come with the server, by connector type. */
const driverOf: Readonly<Record<string, OptionalDriver>> = { sqlserver: 'tedious', azure_sql: 'tedious' };

/**
 * Installs the driver of a connector type into a folder in DATA_DIR/drivers with npm, in the tested version and without running
 * package scripts. A running server finds it at the next test or run.
 * @returns an exit code: 1 when npm fails or is missing
 */
export async function installDriver(shell: ServerShell, type: string): Promise<number> {
  const driver = driverOf[type];
  if (driver === undefined) {
    shell.print(`${type} needs no driver. Nothing to install.`);
    return 0;
  }
  const config: Config = readConfig(shell.environment);
  const folder = driversFolder(config.DATA_DIR);
  const wanted = `${driver}@${await versionOf(driver)}`;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // Node never retries a failed import, so a server must not find a half-installed driver.
  const staging = await mkdtemp(join(folder, '.installing-'));
  const code = await npm(['install', '--prefix', staging, '--save-exact', '--ignore-scripts', ...quiet, wanted], shell);
  if (code === 0) await moveFolder(staging, join(folder, driver));
  if (code !== 0) {
    await rm(staging, { recursive: true, force: true });
    shell.warn(`arbiter: npm couldn't install ${wanted} into ${folder}`);
    return 1;
  }
  shell.print(`Installed ${wanted} into ${folder}. Test a connector with: arbiter connectors test <connector>`);
  return 0;
}

/** Moves a folder and deletes the one that it replaces. */
async function moveFolder(from: string, to: string): Promise<void> {
  const previous = `${from}-previous`;
  await rename(to, previous).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  await rename(from, to);
  await rm(previous, { recursive: true, force: true });
}

const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];

/** The version that package.json names as an optional peer. */
async function versionOf(driver: OptionalDriver): Promise<string> {
  const text = await readFile(new URL('../../../package.json', import.meta.url), 'utf8');
  const { peerDependencies }: { peerDependencies: Readonly<Record<string, string>> } = JSON.parse(text);
  const version = peerDependencies[driver];
  if (version === undefined) throw new Error(`package.json lacks a version of ${driver}`);
  return version;
}

/** Runs npm and passes its output to `warn`. Resolves with its exit code; 127 when npm isn't found. */
function npm(args: readonly string[], shell: ServerShell): Promise<number> {
  return new Promise((resolve) => {
    // On Windows, only a shell can start npm.
    const child = spawn('npm', args, { stdio: ['ignore', 'pipe', 'pipe'], shell: process.platform === 'win32' });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => shell.warn(text.trimEnd()));
    }
    child.once('error', () => {
      shell.warn("npm isn't on PATH. Install npm and try again.");
      resolve(127);
    });
    child.once('close', (code) => resolve(code ?? 1));
  });
}
