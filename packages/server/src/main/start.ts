import type { Config } from '../config.ts';
import { createDatabase, readNewestCatalogueVersion } from '../db/index.ts';
import { newId } from '../platform/ids.ts';
import type { Logger } from '../platform/logger.ts';
import { assertArchive } from './archive.ts';
import { prepareTenants } from './first-run.ts';
import { choosePlace, connectionsNeeded, type ServerAddress } from './place.ts';
import { startProcesses } from './processes/processes.ts';
import { createServerProcess } from './processes/server-process.ts';
import { withAutoSecrets } from './secrets.ts';
import { openStorage } from './storage.ts';
import { startPatience, urlVariable, whenThere } from './when-there.ts';

export { version } from './version.ts';

/** A server that listens, in one process or several. */
export interface RunningServer {
  /** Address to call, for this machine. */
  readonly url: string;
  /** Resolves with the reason when the server can't continue on its own; it is still to be stopped. */
  readonly failed: Promise<string>;
  /**
   * Stops gracefully (R10): first not ready, then no new connections, then requests in flight end, jobs go back to the
   * queue, connections and embedded database close. Takes at most SHUTDOWN_GRACE_SECONDS, plus the database's shutdown.
   */
  stop(): Promise<void>;
}

export interface StartOptions {
  readonly logger: Logger;
  /** Lines for the terminal: the ready line, and the demo's key at the first start. */
  readonly print: (line: string) => void;
}

/**
 * Connections to the embedded database outside this server's pools: its owner's, and those of commands run alongside.
 */
const spareConnections = 20;

/**
 * Starts the server by the steps of docs/design/api-access.md 5.1 and resolves when it takes requests. Throws
 * ConfigError when the configuration is unusable. Waits while the database is away.
 */
export async function startServer(given: Config, { logger, print }: StartOptions): Promise<RunningServer> {
  for (const warning of given.warnings) logger.warn({ step: 'configuration' }, warning);
  if (!given.SCHEDULER) {
    logger.warn(
      { step: 'configuration' },
      "SCHEDULER is off: this server doesn't schedule alerts, segment refreshes, exports and reports; another one must",
    );
  }
  await assertArchive(given, (message) => logger.warn({ step: 'configuration' }, message));
  const config = await withAutoSecrets(given);
  const connections = connectionsNeeded(config, false) + spareConnections;
  const storage = await openStorage(config, logger, { connections });
  try {
    const place = await choosePlace(config, storage.address, logger);
    const { lines, configVersion } = await prepareDatabase(config, place, logger);
    const start = config.PROCESSES > 1 ? startProcesses : startOne;
    const { stop, failed } = await start({ config, place, logger });
    for (const line of lines) print(line);
    print(`arbiter ready url=${place.url} configVersion=${configVersion}`);
    let stopping: Promise<void> | null = null;
    return {
      url: place.url,
      failed,
      stop() {
        stopping ??= stop().then(() => storage.stop());
        return stopping;
      },
    };
  } catch (error) {
    await storage.stop();
    throw error;
  }
}

/** Makes the first tenants; answers with the lines about them, and the newest catalogue version. */
async function prepareDatabase(
  config: Config,
  place: ServerAddress,
  logger: Logger,
): Promise<{ readonly lines: readonly string[]; readonly configVersion: number | string }> {
  const { directUrl: url, isCluster } = place.address;
  const onError = (err: unknown) => logger.warn({ err }, 'database');
  const database = createDatabase({ url, isCluster, poolMax: 2, ...startPatience, onError });
  try {
    return await whenThere(urlVariable(config), logger, async () => ({
      lines: await prepareTenants(config, database, place.publicUrl, logger),
      configVersion: await readNewestCatalogueVersion(database),
    }));
  } finally {
    await database.close();
  }
}

/** This process is the server. */
async function startOne(options: {
  readonly config: Config;
  readonly place: ServerAddress;
  readonly logger: Logger;
}): Promise<Pick<RunningServer, 'stop' | 'failed'>> {
  const running = createServerProcess(options);
  try {
    // A name of its own, whatever machine or container it runs in.
    await running.prepare({ holder: newId(), endedWorker: null });
    await running.listen();
    return { failed: new Promise(() => undefined), stop: () => running.stop() };
  } catch (error) {
    await running.stop();
    throw error;
  }
}
