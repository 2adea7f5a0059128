import cluster from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError } from '../../config.ts';
import { createLogger, type Logger } from '../../platform/logger.ts';
import { endWithPrimary } from './primary-watch.ts';
import { createQuestions, type FromProcess, type ToProcess } from './process-messages.ts';
import {
  createServerProcess,
  type NodeView,
  type ServerProcess,
  type WorkChecks,
  type WorkFacts,
} from './server-process.ts';

/** The primary answers at once unless it is about to end; then this process is too. */
const answerWithinMs = 3_000;
const takeOverPauseMs = 500;
/** Between the end of the stop and the end of the process, for lines that are still being written. */
const lastMomentMs = 100;

/**
 * Runs a process that the primary has started. It does nothing by itself, only what it's told. It ends with the
 * primary, however that ends.
 */
export function runWorkerProcess(): void {
  endWithPrimary();
  let running: { readonly served: ServerProcess; readonly logger: Logger } | null = null;
  let stopping: Promise<void> | null = null;
  const questions = createQuestions<string | WorkChecks>();
  const node: NodeView = {
    async metricsText() {
      const text = await questions.ask((id) => say({ kind: 'ask-metrics', id }), answerWithinMs);
      if (typeof text !== 'string') throw new Error("the primary process doesn't respond");
      return text;
    },
    async metricsSummary(tenantId) {
      const text = await questions.ask((id) => say({ kind: 'ask-summary', id, tenantId }), answerWithinMs);
      if (typeof text !== 'string') throw new Error("the primary process doesn't respond");
      return JSON.parse(text);
    },
    async workChecks() {
      const own = running?.served.workChecks();
      if (own !== undefined && own.queueConsumer !== 'off') return own;
      const checks = await questions.ask((id) => say({ kind: 'ask-work', id }), answerWithinMs);
      if (checks === null || typeof checks === 'string') return { queueConsumer: 'failed', scheduler: 'failed' };
      return checks;
    },
    workerIs: (name) => say({ kind: 'worker', name }),
  };

  async function start({ config, place, name, work }: Extract<ToProcess, { kind: 'start' }>): Promise<void> {
    const logger = createLogger(config.LOG_LEVEL, undefined, name);
    const served = createServerProcess({ config, place, logger, node });
    running = { served, logger };
    if (work !== null) logger.info('background work started');
    await served.prepare(work);
    say({ kind: 'prepared' });
  }

  /** The queue may be away together with the process that had it; it is tried until it is there. */
  async function takeOver({ served, logger }: NonNullable<typeof running>, work: WorkFacts): Promise<void> {
    logger.info('taking over the background work');
    while (stopping === null) {
      try {
        await served.takeOver(work);
        return;
      } catch (err) {
        logger.warn({ err }, "background work can't be taken over yet");
        await sleep(takeOverPauseMs);
      }
    }
  }

  async function stop(): Promise<void> {
    await running?.served.stop();
    if (running !== null) say({ kind: 'ended', metrics: await running.served.server.metrics() });
    await sleep(lastMomentMs);
    process.exit(0);
  }
  const stopOnce = (): void => {
    stopping ??= stop().catch(fail);
  };

  async function obey(message: ToProcess): Promise<void> {
    if (message.kind === 'start') return start(message);
    if (message.kind === 'stop') return stopOnce();
    if (running === null) return;
    const { served } = running;
    switch (message.kind) {
      case 'listen':
        await served.listen();
        return say({ kind: 'listening' });
      case 'spread':
        return served.spreadConnections();
      case 'take-over':
        return takeOver(running, message.work);
      case 'tell-metrics':
        return say({ kind: 'metrics', id: message.id, metrics: await served.server.metrics() });
      case 'tell-work':
        return say({ kind: 'work', id: message.id, checks: served.workChecks() });
      case 'answer':
        questions.answer(message.id, message.value);
    }
  }

  process.on('message', (message: ToProcess) => {
    obey(message).catch((err: unknown) => {
      if (message.kind === 'start' || message.kind === 'listen') fail(err);
      else
        running?.logger.error(
          { err, message: message.kind },
          'a message from the primary process could not be handled',
        );
    });
  });
  // Ctrl+C reaches all processes of the terminal, SIGTERM those of a service; the primary decides when to stop. A
  // SIGTERM to this process alone ends it cleanly, and it's replaced.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', stopOnce);
  say({ kind: 'loaded' });
}

function say(message: FromProcess): void {
  // The primary may have just exited. Then this process exits too.
  if (cluster.worker?.isConnected() === true) cluster.worker.send(message);
}

/** Ends the process and reports the reason to the primary, which knows whether there will be another. */
function fail(error: unknown): void {
  const message =
    error instanceof ConfigError ? error.problems.join('; ') : error instanceof Error ? error.message : '';
  say({ kind: 'failed', message });
  setTimeout(() => process.exit(1), lastMomentMs);
}
