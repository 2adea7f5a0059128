import { setTimeout as sleep } from 'node:timers/promises';
import type { MetricsSummary, ReadyChecks } from '@arbiter/contract';
import type { Config } from '../../config.ts';
import { type Database, databaseAnswers } from '../../db/index.ts';
import { createWorker, type Worker } from '../../jobs/index.ts';
import { collectGarbage } from '../../platform/collect-garbage.ts';
import type { Logger } from '../../platform/logger.ts';
import { systemClock } from '../../platform/time/clock.ts';
import { type Background, startBackground } from '../background.ts';
import { composeServer, type Server } from '../compose.ts';
import { createProcessMetrics } from '../metrics/metrics.ts';
import type { ServerAddress } from '../place.ts';
import { version } from '../version.ts';
import { urlVariable, whenThere } from '../when-there.ts';

/** The state of the background work for /ready, wherever it runs. */
export type WorkChecks = Pick<ReadyChecks, 'queueConsumer' | 'scheduler'>;

/** Settings of this server's background work, whichever process does it. */
export interface WorkFacts {
  /** The name by which leases know this server, unlike that of any other. */
  readonly holder: string;
  /** The name under which the process before took jobs, if there was one: it has ended. */
  readonly endedWorker: string | null;
}

/** One process that answers requests, from creation to end. Call the steps in the order of their names here. */
export interface ServerProcess {
  readonly server: Server;
  /** Prepares everything for the first request. With `work`, also starts to take jobs. Throws on failure. */
  prepare(work: WorkFacts | null): Promise<void>;
  /** Opens the port and starts background work. */
  listen(): Promise<void>;
  /** Takes the background work over from a process that has ended. Throws when the queue cannot be reached now. */
  takeOver(work: WorkFacts): Promise<void>;
  /** Has the clients that are connected come back by way of the port, each after its next answer. */
  spreadConnections(): void;
  /** State of this process's work; `off` if it has none. */
  workChecks(): WorkChecks;
  /**
   * Stops gracefully (R10): first not ready, then no new connections, then requests in flight end, jobs go back to the
   * queue, connections close. Takes at most SHUTDOWN_GRACE_SECONDS.
   */
  stop(): Promise<void>;
}

export interface ServerProcessOptions {
  /** Includes its secrets. */
  readonly config: Config;
  readonly place: ServerAddress;
  readonly logger: Logger;
  /** Shared by all processes of this server. Default: this is the only one. */
  readonly node?: NodeView;
}

/** What one process knows about the others of its server. */
export interface NodeView {
  workChecks(): Promise<WorkChecks>;
  metricsText(): Promise<string>;
  metricsSummary(tenantId: string): Promise<MetricsSummary>;
  /** Reports the name under which this process takes jobs. */
  workerIs(id: string): void;
}

/** Between "not ready" and the closed port, so that a balancer which asks now and then sends nothing more. */
const drainNoticeMs = 500;

/** Catalogues that take longer keep loading while the first requests come in. */
const warmUpWithinMs = 10_000;

/** A database that takes longer to answer isn't ready. */
const readyWithinMs = 2_000;

/** The background work of one process. */
interface BackgroundWork {
  /** Takes the work, from a process that has ended or as the first. */
  take(facts: WorkFacts): Promise<void>;
  startLoops(): void;
  stopJobs(): Promise<void>;
  stopLoops(): Promise<void>;
  checks(): WorkChecks;
}

/** Assembles a process. Nothing is connected yet. */
export function createServerProcess(options: ServerProcessOptions): ServerProcess {
  const { config, place, logger, node } = options;
  const server = composeServer({
    config,
    address: place.address,
    publicUrl: place.publicUrl,
    clock: systemClock,
    logger,
    version,
    readyChecks: (database) => readyChecks(database, node?.workChecks ?? (async () => work.checks())),
    ...(node === undefined ? {} : { metricsText: node.metricsText, metricsSummary: node.metricsSummary }),
  });
  const { app, database, lifecycle } = server;
  const work = createWork(options, server);
  let isListening = false;
  let stopping: Promise<void> | null = null;

  return {
    server,
    async prepare(facts) {
      await database.listening();
      if (facts !== null) await whenThere(urlVariable(config), logger, () => work.take(facts));
      // What loading left behind, before anything is warm: a collection also drops compiled code.
      collectGarbage();
      // Callers that check readiness, or find the port open, get the same speed as later ones.
      await server.decisions.warmUp(performance.now() + warmUpWithinMs);
    },
    async listen() {
      await app.listen({ port: place.port, host: config.HOST });
      work.startLoops();
      isListening = true;
    },
    async takeOver(facts) {
      await work.take(facts);
      if (stopping !== null) {
        await work.stopJobs();
        return;
      }
      await work.stopLoops();
      work.startLoops();
    },
    spreadConnections() {
      app.server.getConnections((_error, count) => lifecycle.closeConnections(count ?? 0));
    },
    workChecks: work.checks,
    stop() {
      stopping ??= isListening
        ? stopInTime(options, server, work)
        : Promise.all([work.stopLoops(), work.stopJobs()]).then(() => server.close());
      return stopping;
    },
  };
}

function createWork({ config, place, logger, node }: ServerProcessOptions, server: Server): BackgroundWork {
  const metrics = createProcessMetrics(server.registry, server.database);
  let worker: Worker | null = null;
  let background: Background | null = null;
  let holder = '';
  return {
    async take(facts) {
      holder = facts.holder;
      if (!config.WORKER) return;
      logger.info({ step: 'mail' }, server.aboutMail);
      worker = await createWorker({
        url: place.address.directUrl,
        registry: server.jobs,
        concurrency: config.WORKER_CONCURRENCY,
        graceMs: (config.SHUTDOWN_GRACE_SECONDS * 1000) / 2,
        onError: (err, job) => logger.warn({ err, job }, 'job or worker failed'),
        onJob: metrics.jobDone,
        endedWorker: facts.endedWorker,
        onId: (id) => node?.workerIs(id),
      });
    },
    startLoops() {
      background = startBackground({ server, worker, scheduler: holder !== '' && config.SCHEDULER, holder, metrics });
    },
    async stopJobs() {
      await worker?.stop();
    },
    async stopLoops() {
      await background?.stop();
    },
    checks: () => ({
      queueConsumer: worker === null ? 'off' : worker.running() ? 'ok' : 'failed',
      scheduler: background?.scheduler() ?? 'off',
    }),
  };
}

/** Stops a process that takes requests. What hasn't ended within SHUTDOWN_GRACE_SECONDS is cut off. */
async function stopInTime(
  { config, logger }: ServerProcessOptions,
  { app, lifecycle, close }: Server,
  work: BackgroundWork,
): Promise<void> {
  const shutDown = async (): Promise<void> => {
    await sleep(drainNoticeMs);
    await Promise.all([app.close(), work.stopJobs(), work.stopLoops()]);
    await close();
  };
  lifecycle.beginDrain();
  const late = new AbortController();
  const inTime = await Promise.race([
    shutDown().then(() => true),
    sleep(config.SHUTDOWN_GRACE_SECONDS * 1000, false, { signal: late.signal }).catch(() => true),
  ]);
  late.abort();
  if (inTime) return;
  logger.warn('not everything ended in time; closing what is left');
  app.server.closeAllConnections();
}

/** The checks of /ready. Schema and role were checked before the port opened and do not change under a process. */
async function readyChecks(database: Database, workChecks: () => Promise<WorkChecks>): Promise<ReadyChecks> {
  const [answers, work] = await Promise.all([
    databaseAnswers(database, { until: performance.now() + readyWithinMs }),
    workChecks(),
  ]);
  return { database: answers ? 'ok' : 'failed', migrations: 'ok', role: 'ok', ...work };
}
