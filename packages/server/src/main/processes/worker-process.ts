import cluster from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError } from '../../config.ts';
import { createLogger, type Logger } from '../../platform/logger.ts';
import { endWithPrimary } from './primary-watch.ts';
import { createQuestions, type FromProcess, type Questions, type ToProcess } from './process-messages.ts';
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

/** What a process started by the primary knows. */
interface ProcessState {
  readonly questions: Questions<string | WorkChecks>;
  running: { readonly served: ServerProcess; readonly logger: Logger } | null;
  stopping: Promise<void> | null;
}

/**
 * Runs a process that the primary has started. It does nothing on its own, only what the primary says. It ends with the
 * primary, however that ends.
 */
export function runWorkerProcess(): void {
  endWithPrimary();
  const state: ProcessState = { questions: createQuestions(), running: null, stopping: null };
  process.on('message', (message: ToProcess) => {
    obey(state, message).catch((err: unknown) => {
      if (message.kind === 'start' || message.kind === 'listen') fail(err);
      else
        state.running?.logger.error(
          { err, message: message.kind },
          'a message from the primary process could not be handled',
        );
    });
  });
  // Ctrl+C reaches all processes of the terminal, SIGTERM those of a service; the primary decides when to stop. A
  // SIGTERM to this process alone ends it cleanly, and it's replaced.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => stopOnce(state));
  say({ kind: 'loaded' });
}

async function obey(state: ProcessState, message: ToProcess): Promise<void> {
  if (message.kind === 'start') return start(state, message);
  if (message.kind === 'stop') return stopOnce(state);
  if (state.running === null) return;
  const { served } = state.running;
  switch (message.kind) {
    case 'listen':
      await served.listen();
      return say({ kind: 'listening' });
    case 'spread':
      return served.spreadConnections();
    case 'take-over':
      return takeOver(state, message.work);
    case 'tell-metrics':
      return say({ kind: 'metrics', id: message.id, metrics: await served.server.metrics() });
    case 'tell-work':
      return say({ kind: 'work', id: message.id, checks: served.workChecks() });
    case 'answer':
      state.questions.answer(message.id, message.value);
  }
}

async function start(state: ProcessState, message: Extract<ToProcess, { kind: 'start' }>): Promise<void> {
  const { config, place, name, work } = message;
  const logger = createLogger(config.LOG_LEVEL, undefined, name);
  const served = createServerProcess({ config, place, logger, node: createNodeView(state) });
  state.running = { served, logger };
  if (work !== null) logger.info('background work started');
  await served.prepare(work);
  say({ kind: 'prepared' });
}

/** Asks the primary about the whole server. */
function createNodeView(state: ProcessState): NodeView {
  const { questions } = state;
  const text = async (ask: (id: number) => void): Promise<string> => {
    const answer = await questions.ask(ask, answerWithinMs);
    if (typeof answer !== 'string') throw new Error("the primary process doesn't respond");
    return answer;
  };
  return {
    metricsText: () => text((id) => say({ kind: 'ask-metrics', id })),
    metricsSummary: async (tenantId) => JSON.parse(await text((id) => say({ kind: 'ask-summary', id, tenantId }))),
    async workChecks() {
      const own = state.running?.served.workChecks();
      if (own !== undefined && own.queueConsumer !== 'off') return own;
      const checks = await questions.ask((id) => say({ kind: 'ask-work', id }), answerWithinMs);
      if (checks === null || typeof checks === 'string') return { queueConsumer: 'failed', scheduler: 'failed' };
      return checks;
    },
    workerIs: (name) => say({ kind: 'worker', name }),
  };
}

/** Tries until it succeeds: the queue may have failed together with the process that had the work. */
async function takeOver(state: ProcessState, work: WorkFacts): Promise<void> {
  if (state.running === null) return;
  const { served, logger } = state.running;
  logger.info('taking over the background work');
  while (state.stopping === null) {
    try {
      await served.takeOver(work);
      return;
    } catch (err) {
      logger.warn({ err }, "background work can't be taken over yet");
      await sleep(takeOverPauseMs);
    }
  }
}

function stopOnce(state: ProcessState): void {
  state.stopping ??= stop(state).catch(fail);
}

async function stop({ running }: ProcessState): Promise<void> {
  await running?.served.stop();
  if (running !== null) say({ kind: 'ended', metrics: await running.served.server.metrics() });
  await sleep(lastMomentMs);
  process.exit(0);
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
