import { createServer } from 'node:net';
import { type Config, ConfigError } from '../config.ts';
import { connectionRoom, type DatabaseAddress } from '../db/index.ts';
import { queueConnections } from '../jobs/index.ts';
import type { Logger } from '../platform/logger.ts';
import { chunkConnections, requestConnections } from './connections.ts';
import { checkThreads } from './threads/study-threads.ts';
import { urlVariable, whenThere } from './when-there.ts';

/**
 * Where a server's processes work. Determined once, and the same for each of them. Plain data, so it can be sent to
 * them.
 */
export interface ServerAddress {
  readonly address: DatabaseAddress;
  readonly port: number;
  /** Address to call, for this machine. */
  readonly url: string;
  /** Address to call, for everyone. */
  readonly publicUrl: string;
}

/** Throws ConfigError when the database allows fewer connections than the processes may open. */
export async function choosePlace(config: Config, address: DatabaseAddress, logger: Logger): Promise<ServerAddress> {
  await assertConnections(config, address, logger);
  const port = config.PORT === 0 ? await freePort(config.HOST) : config.PORT;
  return {
    address,
    port,
    url: `http://${reachable(config.HOST)}:${port}`,
    publicUrl: config.NEXTAUTH_URL ?? `http://localhost:${port}`,
  };
}

/** Connections to the database itself that all processes of this server may have open at once. */
export function connectionsNeeded(
  config: Pick<Config, 'DATABASE_POOL_MAX' | 'PROCESSES' | 'STUDY_THREADS' | 'WORKER' | 'WORKER_CONCURRENCY'>,
  pooled: boolean,
): number {
  const ofEach = (pooled ? 0 : requestConnections(config)) + 1;
  // Listeners go past the pooler.
  const ofRuns = pooled ? 0 : chunkConnections + config.STUDY_THREADS + checkThreads;
  const ofWorker = config.WORKER ? queueConnections(config.WORKER_CONCURRENCY) + ofRuns : 0;
  return config.PROCESSES * ofEach + ofWorker;
}

/**
 * Failing at start beats failing under load. A single process only gets a warning: it refuses callers one by one for
 * lack of connections, and someone may have chosen that.
 */
async function assertConnections(config: Config, address: DatabaseAddress, logger: Logger): Promise<void> {
  const needed = connectionsNeeded(config, address.pooled);
  const room = await whenThere(urlVariable(config), logger, () => connectionRoom(address.directUrl));
  if (needed <= room) return;
  const lack =
    `${config.PROCESSES} process${config.PROCESSES > 1 ? 'es' : ''} with DATABASE_POOL_MAX ${config.DATABASE_POOL_MAX} can open ${needed} connections, but the database allows ` +
    `this role ${room} (max_connections minus the reserved ones, and the limits of database and role)`;
  if (config.PROCESSES > 1) {
    throw new ConfigError([
      `PROCESSES can't be ${config.PROCESSES}: ${lack}; raise those limits or lower these numbers`,
    ]);
  }
  logger.warn({ step: 'database' }, lack);
}

/** A port that was free a moment ago, known before anything is printed or stored. */
async function freePort(host: string): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => probe.once('error', reject).listen(0, host, resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}

/** Returns the host by which this machine reaches an address that may be a wildcard. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
