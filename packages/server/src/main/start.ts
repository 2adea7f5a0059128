import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReadyChecks } from '@arbiter/contract';
import type { Config } from '../config.ts';
import { type Database, databaseAnswers, readNewestCatalogueVersion } from '../db/index.ts';
import { createWorker, type Worker } from '../jobs/index.ts';
import { systemClock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import { type Background, startBackground } from './background.ts';
import { composeServer, type Server } from './compose.ts';
import { prepareTenants } from './first-run.ts';
import { createProcessMetrics } from './metrics.ts';
import { withAutoSecrets } from './secrets.ts';
import { openStorage } from './storage.ts';

/** A server process that listens. */
export interface RunningServer {
  /** Address to call, for this machine. */
  readonly url: string;
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

/** Between "not ready" and the closed port, so that a balancer which asks now and then sends nothing more. */
const drainNoticeMs = 500;

/** Catalogues that take longer to read are read on while the first requests come in. */
const warmUpWithinMs = 10_000;

/** A database that takes longer to say a word is not ready. */
const readyWithinMs = 2_000;

/** Version of the product, as in package.json. */
export const version: string = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version;

/**
 * Starts the server by the steps of docs/design/api-access.md 5.1 and resolves when it takes requests. Throws ConfigError when the
 * configuration cannot be used; waits while the database is away.
 */
export async function startServer(given: Config, { logger, print }: StartOptions): Promise<RunningServer> {
  for (const warning of given.warnings) logger.warn({ step: 'configuration' }, warning);
  const config = await withAutoSecrets(given);
  const storage = await openStorage(config, logger);
  const port = config.PORT === 0 ? await freePort(config.HOST) : config.PORT;
  const url = `http://${reachable(config.HOST)}:${port}`;
  const publicUrl = config.NEXTAUTH_URL ?? `http://localhost:${port}`;
  let server: Server | null = null;
  let worker: Worker | null = null;
  let background: Background | null = null;
  try {
    server = composeServer({
      config,
      databaseUrl: storage.url,
      publicUrl,
      clock: systemClock,
      logger,
      version,
      readyChecks: (database) => readyChecks(database, worker, background),
    });
    const { app, database, lifecycle } = server;
    const demo = await prepareTenants(config, database, publicUrl, logger);
    await database.listening();
    const metrics = createProcessMetrics(server.registry, database);
    worker = config.WORKER
      ? await createWorker({
          url: storage.url,
          registry: server.jobs,
          concurrency: config.WORKER_CONCURRENCY,
          graceMs: (config.SHUTDOWN_GRACE_SECONDS * 1000) / 2,
          onError: (err, job) => logger.warn({ err, job }, 'a job or the worker failed'),
          onJob: metrics.jobDone,
        })
      : null;
    // Whoever asks for readiness, or finds the port open, is served as quickly as later callers.
    await server.decisions.warmUp(performance.now() + warmUpWithinMs);
    await app.listen({ port, host: config.HOST });
    // Embedded means that this is the only process.
    const scheduler = config.SCHEDULER ?? config.DATABASE_URL === null;
    background = startBackground({ server, worker, scheduler, metrics });
    for (const line of demo) print(line);
    print(`arbiter ready url=${url} configVersion=${await readNewestCatalogueVersion(database)}`);

    const composed = server;
    const working = worker;
    const beside = background;
    const shutDown = async (): Promise<void> => {
      await sleep(drainNoticeMs);
      await Promise.all([app.close(), working?.stop(), beside.stop()]);
      await composed.close();
    };
    let stopping: Promise<void> | null = null;
    const stop = async (): Promise<void> => {
      lifecycle.beginDrain();
      const late = new AbortController();
      const inTime = await Promise.race([
        shutDown().then(() => true),
        sleep(config.SHUTDOWN_GRACE_SECONDS * 1000, false, { signal: late.signal }).catch(() => true),
      ]);
      late.abort();
      if (!inTime) {
        logger.warn('not everything ended in time; closing what is left');
        app.server.closeAllConnections();
      }
      await storage.stop();
    };
    return {
      url,
      stop() {
        stopping ??= stop();
        return stopping;
      },
    };
  } catch (error) {
    await background?.stop();
    await worker?.stop();
    await server?.close();
    await storage.stop();
    throw error;
  }
}

/** The checks of /ready. Schema and role were checked before the port opened and do not change under a process. */
async function readyChecks(
  database: Database,
  worker: Worker | null,
  background: Background | null,
): Promise<ReadyChecks> {
  const answers = await databaseAnswers(database, { until: performance.now() + readyWithinMs });
  return {
    database: answers ? 'ok' : 'failed',
    migrations: 'ok',
    role: 'ok',
    queueConsumer: worker === null ? 'off' : worker.running() ? 'ok' : 'failed',
    scheduler: background?.scheduler() ?? 'off',
  };
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

/** The host by which this machine reaches an address that may stand for all of them. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
