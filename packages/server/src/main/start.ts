import type { Config } from '../config.ts';
import { createDatabase, readNewestCatalogueVersion } from '../db/index.ts';
import { newId } from '../platform/ids.ts';
import type { Logger } from '../platform/logger.ts';
import { prepareTenants } from './first-run.ts';
import { choosePlace, connectionsNeeded, type Place } from './place.ts';
import { startProcesses } from './processes.ts';
import { withAutoSecrets } from './secrets.ts';
import { createServerProcess } from './server-process.ts';
import { openStorage } from './storage.ts';

export { version } from './version.ts';

/** A server that listens, in one process or several. */
export interface RunningServer {
  /** Address to call, for this machine. */
  readonly url: string;
  /** Resolves with the reason when the server cannot go on by itself; it is still to be stopped. */
  readonly failed: Promise<string>;
  /**
   * Graceful stop (R10): not ready at once, then no new connections, then the end of what is in flight, jobs handed
   * back, connections and embedded database closed. Takes at most SHUTDOWN_GRACE_SECONDS besides the database's end.
   */
  stop(): Promise<void>;
}

export interface StartOptions {
  readonly logger: Logger;
  /** Lines for the terminal: the ready line, and the demo's key at the first start. */
  readonly print: (line: string) => void;
}

/** Connections to the embedded database that are nobody's of this server: its owner's, and those of commands beside it. */
const spareConnections = 20;

/**
 * Starts the server by the steps of docs/design/api-access.md 5.1 and resolves when it takes requests. Throws ConfigError when the
 * configuration cannot be used; waits while the database is away.
 */
export async function startServer(given: Config, { logger, print }: StartOptions): Promise<RunningServer> {
  for (const warning of given.warnings) logger.warn({ step: 'configuration' }, warning);
  const config = await withAutoSecrets(given);
  const connections = connectionsNeeded(config, false) + spareConnections;
  const storage = await openStorage(config, logger, { connections });
  try {
    const place = await choosePlace(config, storage.address, logger);
    const start = config.PROCESSES > 1 ? startSeveral : startOne;
    const { stop, failed, lines } = await start(config, place, logger);
    for (const line of lines) print(line);
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

interface Started extends Pick<RunningServer, 'stop' | 'failed'> {
  /** For the terminal. */
  readonly lines: readonly string[];
}

/** This process is the server. */
async function startOne(config: Config, place: Place, logger: Logger): Promise<Started> {
  const running = createServerProcess({ config, place, logger });
  const { database } = running.server;
  try {
    const demo = await prepareTenants(config, database, place.publicUrl, logger);
    // A name of its own, whatever machine or container it runs in.
    await running.prepare({ holder: newId(), endedWorker: null });
    await running.listen();
    const lines = [...demo, readyLine(place, await readNewestCatalogueVersion(database))];
    return { lines, failed: new Promise(() => undefined), stop: () => running.stop() };
  } catch (error) {
    await running.stop();
    throw error;
  }
}

/** This process starts others, which are the server. */
async function startSeveral(config: Config, place: Place, logger: Logger): Promise<Started> {
  const { directUrl: url } = place.address;
  const database = createDatabase({ url, poolMax: 2, onError: (err) => logger.warn({ err }, 'database') });
  try {
    const demo = await prepareTenants(config, database, place.publicUrl, logger);
    const { stop, failed } = await startProcesses({ config, place, logger });
    return { lines: [...demo, readyLine(place, await readNewestCatalogueVersion(database))], stop, failed };
  } finally {
    await database.close();
  }
}

function readyLine({ url }: Place, configVersion: number | string): string {
  return `arbiter ready url=${url} configVersion=${configVersion}`;
}
