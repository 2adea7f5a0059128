// A real server as a child process, started like `npm start`. `stopAll` ends everything a test starts.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

export interface ServerProcess {
  readonly url: string;
  readonly pid: number;
  /** Milliseconds from program start to the ready line. */
  readonly readyMs: number;
  /** Everything it has written to both outputs. */
  output(): string;
  kill(signal: NodeJS.Signals): void;
  /** Resolves when the process has ended, with its exit code or signal. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  /** Whether it is still running. */
  running(): boolean;
}

/** A tenant of the bootstrap file, with one key for everything. */
export interface BootTenant {
  readonly name: string;
  readonly key: string;
}

/** One installation under test: several processes may run with the same secrets on the same database. */
export interface Installation {
  readonly tenants: readonly BootTenant[];
  /** Folder of this installation, which `stopAll` removes. */
  readonly folder: string;
  /** Starts a process and waits until it is ready. */
  start(environment?: Readonly<Record<string, string>>): Promise<ServerProcess>;
  /** Kills what is still running and removes the folder. */
  stopAll(): Promise<void>;
}

/**
 * Returns what the runner of the tests gives to node: where compiled sources are (a killed server stores none for the next
 * one), and the hooks that start programs from a bundle (`tools/tests/module-hooks.ts`).
 */
export function nodeEnvironment(): Readonly<Record<string, string>> {
  const { NODE_COMPILE_CACHE, NODE_OPTIONS } = process.env;
  return { ...(NODE_COMPILE_CACHE ? { NODE_COMPILE_CACHE } : {}), ...(NODE_OPTIONS ? { NODE_OPTIONS } : {}) };
}

/** Environment of a server whose clock runs this many milliseconds ahead of the machine's; negative: behind. */
export const clockAhead = (aheadMs: number): Readonly<Record<string, string>> => ({
  NODE_OPTIONS: `--import=${pathToFileURL(join(import.meta.dirname, 'nodes/shifted-clock.ts')).href}`,
  CLOCK_AHEAD_MS: String(aheadMs),
});

const program = join(import.meta.dirname, '../../packages/cli/bin/arbiter.js');
const readyLine = /^arbiter ready url=(\S+)/m;
const startPatienceMs = 150_000;

/**
 * `environment` applies to every process. Without DATABASE_URL the server uses its embedded database. Tenants come from
 * a bootstrap file; without one, a new database gets the demo.
 */
export async function createInstallation(
  environment: Readonly<Record<string, string>>,
  tenantNames: readonly string[],
): Promise<Installation> {
  const folder = await mkdtemp(join(tmpdir(), 'arbiter-faults-'));
  const tenants = tenantNames.map((name) => ({ name, key: `krn_${randomBytes(16).toString('hex')}` }));
  const bootstrap = join(folder, 'bootstrap.json');
  const scopes = ['read', 'write', 'admin'];
  await writeFile(
    bootstrap,
    JSON.stringify({
      tenants: tenants.map(({ name, key }) => ({ name, apiKeys: [{ name: 'everything', key, scopes }] })),
    }),
  );
  const fixed: Readonly<Record<string, string>> = {
    ...(process.env.PATH === undefined ? {} : { PATH: process.env.PATH }),
    ...(process.env.HOME === undefined ? {} : { HOME: process.env.HOME }),
    ...nodeEnvironment(),
    PORT: '0',
    LOG_LEVEL: 'warn',
    DATA_DIR: join(folder, 'data'),
    API_KEY_PEPPER: randomBytes(32).toString('hex'),
    DATA_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    NEXTAUTH_SECRET: randomBytes(32).toString('hex'),
    ...(tenants.length > 0 ? { BOOTSTRAP_FILE: bootstrap } : {}),
    ...environment,
  };
  const started = new Set<ServerProcess>();
  return {
    tenants,
    folder,
    async start(own = {}) {
      const NODE_OPTIONS = [fixed.NODE_OPTIONS, own.NODE_OPTIONS].join(' ').trim();
      const server = await startProcess({ ...fixed, ...own, NODE_OPTIONS });
      started.add(server);
      return server;
    },
    async stopAll() {
      for (const server of started) if (server.running()) server.kill('SIGKILL');
      await Promise.all([...started].map((server) => server.ended));
      // An embedded database ends a moment after its parent.
      await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
    },
  };
}

async function startProcess(environment: Readonly<Record<string, string>>): Promise<ServerProcess> {
  const began = performance.now();
  const child: ChildProcess = spawn(process.execPath, [program, 'serve'], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  const ready = Promise.withResolvers<string>();
  const read = (chunk: Buffer): void => {
    output += chunk.toString('utf8');
    const url = readyLine.exec(output)?.[1];
    if (url !== undefined) ready.resolve(url);
  };
  child.stdout?.on('data', read);
  child.stderr?.on('data', read);
  const url = await Promise.race([
    ready.promise,
    ended.then(({ code, signal }) => {
      throw new Error(`the server ended before it was ready (${signal ?? code}):\n${output}`);
    }),
    sleep(startPatienceMs, null, { ref: false }),
  ]);
  if (url === null) {
    child.kill('SIGKILL');
    throw new Error(`the server was not ready after ${startPatienceMs / 1000} s:\n${output}`);
  }
  return {
    url,
    pid: child.pid!,
    readyMs: performance.now() - began,
    output: () => output,
    kill: (signal) => void child.kill(signal),
    ended,
    running: () => child.exitCode === null && child.signalCode === null,
  };
}

/** Returns a port that was free a moment ago, so that a server can restart at the same address. */
export async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}
