import cluster, { type Worker } from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Config } from '../../config.ts';
import { newId } from '../../platform/ids.ts';
import type { Logger } from '../../platform/logger.ts';
import { createNodeMetrics } from '../metrics/node-metrics.ts';
import { shownMetrics, summaryOf } from '../metrics/tenant-metrics.ts';
import type { ServerAddress } from '../place.ts';
import { rescueConnections } from './connections-handed-over.ts';
import { createQuestions, type FromProcess, type Questions, type ToProcess } from './process-messages.ts';
import { afterEnd, type Lives, noLives } from './restarts.ts';
import type { WorkChecks, WorkFacts } from './server-process.ts';

/** Several server processes behind one port (docs/adr/0018), started and watched by this one. */
export interface Processes {
  /** Why there will be no more processes: one ended again and again. Resolves at most once. */
  readonly failed: Promise<string>;
  /** Stops all of them at once, each as a single server stops. */
  stop(): Promise<void>;
}

export interface ProcessesOptions {
  /** Includes its secrets. */
  readonly config: Config;
  readonly place: ServerAddress;
  readonly logger: Logger;
}

/** A place for a process, and the process in it. */
interface Slot {
  readonly name: string;
  worker: Worker | null;
  /** Monotonic ms at which it opened the port; null: not yet. */
  listensSince: number | null;
  lives: Lives;
  /** The reason the process gave for its failure. */
  failure: string | null;
}

/** What the primary knows of its processes. */
interface Primary extends ProcessesOptions {
  readonly slots: readonly Slot[];
  readonly metrics: ReturnType<typeof createNodeMetrics>;
  /** Waits for processes to report their metrics. */
  readonly metricReports: Questions<true>;
  readonly workReports: Questions<WorkChecks>;
  readonly failed: PromiseWithResolvers<string>;
  /** The step of the start that each process is at. */
  readonly steps: Map<Slot, PromiseWithResolvers<void>>;
  readonly cannotStart: PromiseWithResolvers<never>;
  /** Restarts that wait. */
  readonly pauses: Set<NodeJS.Timeout>;
  work: WorkFacts;
  /** The process that does the background work. */
  working: Slot | null;
  phase: 'starting' | 'running' | 'stopping';
}

const program = fileURLToPath(new URL('./process-entry.ts', import.meta.url));

/** A process too busy to report its metrics counts with its last report. */
const reportWithinMs = 2_000;
/** Beyond the time that each process has for its own stop. */
const killMarginMs = 2_000;

/** Starts the processes. Resolves when all of them take requests. Throws when one couldn't start. */
export async function startProcesses(options: ProcessesOptions): Promise<Processes> {
  // The primary takes each new connection and passes it to the next free process in turn.
  cluster.schedulingPolicy = cluster.SCHED_RR;
  cluster.setupPrimary({ exec: program, args: [] });
  const primary = createPrimary(options);
  let stopping: Promise<void> | null = null;
  const stopOnce = (): Promise<void> => {
    stopping ??= stop(primary);
    return stopping;
  };
  try {
    await takeStep(primary, (slot) => launch(primary, slot));
    await takeStep(primary, (slot) => send(slot, { kind: 'listen' }));
  } catch (error) {
    await stopOnce();
    throw error;
  }
  primary.phase = 'running';
  return { failed: primary.failed.promise, stop: stopOnce };
}

function createPrimary(options: ProcessesOptions): Primary {
  const cannotStart = Promise.withResolvers<never>();
  // Without a handler, a rejection before the first step would end the process.
  cannotStart.promise.catch(() => undefined);
  return {
    ...options,
    slots: Array.from({ length: options.config.PROCESSES }, (_, i) => emptySlot(String(i + 1))),
    metrics: createNodeMetrics(() => process.memoryUsage.rss()),
    metricReports: createQuestions<true>(),
    workReports: createQuestions<WorkChecks>(),
    failed: Promise.withResolvers<string>(),
    steps: new Map(),
    cannotStart,
    pauses: new Set(),
    work: { holder: newId(), endedWorker: null },
    working: null,
    phase: 'starting',
  };
}

function emptySlot(name: string): Slot {
  return { name, worker: null, listensSince: null, lives: noLives, failure: null };
}

/** Has every process take the next step of the start, and waits for all of them. */
async function takeStep({ slots, steps, cannotStart }: Primary, step: (slot: Slot) => void): Promise<void> {
  for (const slot of slots) steps.set(slot, Promise.withResolvers());
  for (const slot of slots) step(slot);
  await Promise.race([Promise.all([...steps.values()].map(({ promise }) => promise)), cannotStart.promise]);
}

function send({ worker }: Slot, message: ToProcess): void {
  if (worker?.isConnected() === true) worker.send(message);
}

const listening = ({ slots }: Primary): readonly Slot[] =>
  slots.filter(({ worker, listensSince }) => worker && listensSince !== null);

function launch(primary: Primary, slot: Slot): void {
  const worker = cluster.fork();
  Object.assign(slot, { worker, listensSince: null, failure: null });
  rescueConnections(worker, () => listening(primary).some((other) => other !== slot));
  worker.on('message', (message: FromProcess) => {
    if (slot.worker === worker) receive(primary, slot, worker, message);
  });
  worker.once('exit', (code, signal) => {
    if (slot.worker === worker) ended(primary, slot, worker, signal ?? code);
  });
  // A channel that breaks in mid-message belongs to a process that is exiting. `exit` handles that.
  worker.on('error', (err) => primary.logger.warn({ err, name: slot.name }, "a server process can't be reached"));
}

function receive(primary: Primary, slot: Slot, worker: Worker, message: FromProcess): void {
  const { config, place, metrics, steps } = primary;
  switch (message.kind) {
    case 'loaded':
      if (primary.phase !== 'stopping') primary.working ??= slot;
      send(slot, {
        kind: 'start',
        config,
        place,
        name: slot.name,
        work: primary.working === slot ? primary.work : null,
      });
      break;
    case 'prepared':
      steps.get(slot)?.resolve();
      // At the first start, all of them wait until the last is ready.
      if (primary.phase === 'running') send(slot, { kind: 'listen' });
      break;
    case 'listening':
      noteListening(primary, slot, worker);
      break;
    case 'failed':
      slot.failure = message.message;
      break;
    case 'metrics':
      metrics.reported(slot.name, message.metrics);
      primary.metricReports.answer(message.id, true);
      break;
    case 'ended':
      metrics.reported(slot.name, message.metrics);
      break;
    case 'worker':
      primary.work = { ...primary.work, endedWorker: message.name };
      break;
    case 'work':
      primary.workReports.answer(message.id, message.checks);
      break;
    default:
      answer(primary, message).then(
        (value) => send(slot, { kind: 'answer', id: message.id, value }),
        (err: unknown) => primary.logger.error({ err }, 'server process got no response'),
      );
  }
}

function noteListening(primary: Primary, slot: Slot, { process: { pid } }: Worker): void {
  // Connections that are kept alive stay where they are. Without this, the new process would wait for new clients.
  if (primary.phase === 'running') for (const other of listening(primary)) send(other, { kind: 'spread' });
  slot.listensSince = performance.now();
  primary.logger.info({ name: slot.name, pid }, 'server process ready');
  primary.steps.get(slot)?.resolve();
}

type ProcessQuestion = Extract<FromProcess, { kind: 'ask-metrics' | 'ask-summary' | 'ask-work' }>;

/** Answers a process's question about the whole server. */
async function answer(primary: Primary, question: ProcessQuestion): Promise<string | WorkChecks | null> {
  if (question.kind === 'ask-work') return workChecks(primary);
  const { config, metrics } = primary;
  await Promise.all(
    listening(primary).map((slot) =>
      primary.metricReports.ask((id) => send(slot, { kind: 'tell-metrics', id }), reportWithinMs),
    ),
  );
  if (question.kind === 'ask-metrics') return metrics.text((all) => shownMetrics(all, config.METRICS_TENANT_LABEL));
  return JSON.stringify(summaryOf(await metrics.read(), question.tenantId));
}

async function workChecks({ config, working, workReports }: Primary): Promise<WorkChecks | null> {
  if (working === null) return config.WORKER ? null : { queueConsumer: 'off', scheduler: 'off' };
  return workReports.ask((id) => send(working, { kind: 'tell-work', id }), reportWithinMs);
}

/** Starts another process in place of one that ended, after a pause. */
function ended(primary: Primary, slot: Slot, worker: Worker, reason: string | number): void {
  const livedMs = slot.listensSince === null ? null : performance.now() - slot.listensSince;
  slot.worker = null;
  slot.listensSince = null;
  primary.metrics.ended(slot.name);
  if (primary.working === slot) primary.working = null;
  if (primary.phase === 'stopping') return;
  const why = `server process ${slot.name} exited (${reason})${slot.failure === null ? '' : `: ${slot.failure}`}`;
  if (primary.phase === 'starting') {
    primary.cannotStart.reject(new Error(why));
    return;
  }
  const next = afterEnd(slot.lives, livedMs);
  slot.lives = next.lives;
  if (next.pauseMs === null) {
    primary.failed.resolve(`${why}; it exited shortly after starting ${slot.lives.earlyEnds} times in a row`);
    return;
  }
  primary.logger.error({ name: slot.name, pid: worker.process.pid, livedMs, pauseMs: next.pauseMs }, why);
  moveBackgroundWork(primary);
  const timer = setTimeout(() => {
    primary.pauses.delete(timer);
    primary.metrics.restarted();
    launch(primary, slot);
  }, next.pauseMs);
  primary.pauses.add(timer);
}

/** Moves the background work to a running process, or to the first one that starts. */
function moveBackgroundWork(primary: Primary): void {
  if (primary.working !== null) return;
  primary.working = listening(primary)[0] ?? null;
  if (primary.working !== null) send(primary.working, { kind: 'take-over', work: primary.work });
}

async function stop(primary: Primary): Promise<void> {
  const { config, pauses, slots } = primary;
  primary.phase = 'stopping';
  for (const timer of pauses) clearTimeout(timer);
  const exits = slots.flatMap(({ worker }) =>
    worker === null ? [] : [new Promise<void>((resolve) => worker.once('exit', () => resolve()))],
  );
  for (const slot of slots) send(slot, { kind: 'stop' });
  const inTime = new AbortController();
  const killLate = sleep(config.SHUTDOWN_GRACE_SECONDS * 1000 + killMarginMs, undefined, { signal: inTime.signal });
  killLate.then(
    () => {
      for (const { worker } of slots) worker?.process.kill('SIGKILL');
    },
    () => undefined,
  );
  await Promise.all(exits);
  inTime.abort();
}
